package io.limiter.benchmark.report;

import java.util.List;
import java.util.Locale;

/** The picture: a bar for each row of the summary that is decided in Redis, on a logarithmic scale. */
public final class Chart {

    static final String TITLE = "Decisions of the limiter for each one of the best peer";

    private static final String STYLE = """
            text { font: 13px system-ui, sans-serif; fill: #24292f; }
            .title { font-weight: 600; }
            .tick { fill: #57606a; font-size: 11px; }
            line { stroke: #d0d7de; }
            .equal { stroke: #57606a; stroke-width: 1.5; }
            rect { fill: #0969da; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              .tick { fill: #9198a1; }
              line { stroke: #30363d; }
              .equal { stroke: #9198a1; }
              rect { fill: #4493f8; }
            }
            """;

    private static final int WIDTH = 860;
    private static final int LEFT = 260;
    private static final int RIGHT = 190;
    private static final int TOP = 40;
    private static final int ROW = 28;
    private static final int BAR = 18;

    private final List<Summary.Row> rows;
    private final StringBuilder svg = new StringBuilder();
    private final double least;
    private final double most;

    private Chart(List<Summary.Row> rows) {
        this.rows = rows;
        this.least = Math.min(
                0.5, rows.stream().mapToDouble(Summary.Row::toPeer).min().orElse(1));
        this.most =
                Math.max(2, rows.stream().mapToDouble(Summary.Row::toPeer).max().orElse(1));
    }

    /** The picture's text, in SVG. */
    public static String of(Results results) {
        return new Chart(Summary.rows(results).stream()
                        .filter(row -> row.standard() && row.toPeer() > 0)
                        .toList())
                .draw(results.titled(TITLE));
    }

    private String draw(String title) {
        int bottom = TOP + ROW * rows.size();
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, bottom + 30);
        svg.append("<style>\n").append(STYLE).append("</style>\n");
        text(8, 20, "title", "start", title + " (logarithmic)");
        for (double ratio : new double[] {0.1, 1, 10, 100, 1000}) {
            if (ratio >= least && ratio <= most) {
                String kind = ratio == 1 ? "equal" : "";
                add(
                        "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                        kind, x(ratio), x(ratio), TOP - 6, bottom + 6);
                text(x(ratio), bottom + 20, "tick", "middle", ratio == 1 ? "peer" : "× " + Numbers.of(ratio));
            }
        }
        int y = TOP;
        for (Summary.Row row : rows) {
            bar(row, y);
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private void bar(Summary.Row row, int y) {
        double from = Math.min(x(1), x(row.toPeer()));
        double to = Math.max(x(1), x(row.toPeer()));
        text(LEFT - 12, y + 14, "", "end", row.title());
        add("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>", from, y, Math.max(1, to - from), BAR);
        text(to + 6, y + 14, "", "start", "× " + Numbers.of(row.toPeer()));
    }

    private double x(double ratio) {
        return LEFT + (WIDTH - LEFT - RIGHT) * Math.log(ratio / least) / Math.log(most / least);
    }

    private void text(double x, int y, String kind, String anchor, String text) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>", kind, x, y, anchor, text);
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
