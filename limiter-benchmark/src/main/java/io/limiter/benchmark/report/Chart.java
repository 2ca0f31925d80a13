package io.limiter.benchmark.report;

import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.measure.CellResult;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The picture: for each cell a group of bars, one for each limiter that calls Redis, from the floor to the left if it
 * makes fewer decisions and to the right if it makes more, on a logarithmic scale.
 */
public final class Chart {

    private static final String STYLE = """
            text { font: 12px system-ui, sans-serif; fill: #24292f; }
            .title { font-weight: 600; }
            .tick { fill: #57606a; font-size: 11px; }
            line { stroke: #d0d7de; }
            .floor { stroke: #57606a; stroke-width: 1.5; }
            .ours { fill: #0969da; }
            .peer { fill: #8c959f; }
            .above { fill: #d4762c; }
            .spread { stroke: #24292f; stroke-opacity: 0.6; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              .tick { fill: #9198a1; }
              line { stroke: #30363d; }
              .floor { stroke: #9198a1; }
              .ours { fill: #4493f8; }
              .peer { fill: #6e7681; }
              .above { fill: #db8b4b; }
              .spread { stroke: #e6edf3; }
            }
            """;

    private static final int WIDTH = 860;
    private static final int NAMES = 180;
    /** With room for a figure between a name and the longest bar. */
    private static final int LEFT = NAMES + 50;

    private static final int RIGHT = 70;
    private static final int TOP = 56;
    private static final int ROW = 18;
    private static final int BAR = 12;
    private static final int GROUP_GAP = 34;

    private final Results results;
    private final StringBuilder svg = new StringBuilder();
    private double leastDecade;
    private double mostDecade;

    private Chart(Results results) {
        this.results = results;
    }

    /** The picture's text, in SVG. */
    public static String of(Results results) {
        return new Chart(results).draw();
    }

    private String draw() {
        List<CellResult> cells = charted();
        spanDecades(cells);
        int height = TOP + 30;
        for (CellResult cell : cells) {
            height += GROUP_GAP + ROW * bars(cell).size();
        }
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">", WIDTH, height);
        svg.append("<style>\n").append(STYLE).append("</style>\n");
        text(8, 20, "title", "start", "Decisions for each one of a bare EVALSHA, on one Redis (logarithmic)");
        legend();
        grid(height);
        int y = TOP;
        for (CellResult cell : cells) {
            y = group(cell, y);
        }
        return svg.append("</svg>\n").toString();
    }

    /** Those of the short selection, or all if there are none of them. */
    private List<CellResult> charted() {
        Map<Boolean, List<CellResult>> isShort = results.cells().stream()
                .filter(cell -> !bars(cell).isEmpty())
                .collect(Collectors.partitioningBy(cell -> Cells.SHORT.contains(cell.cell())));
        List<CellResult> preferred = isShort.getOrDefault(true, List.of());
        return preferred.isEmpty() ? isShort.getOrDefault(false, List.of()) : preferred;
    }

    private static List<Contender> bars(CellResult cell) {
        return cell.contenders().stream()
                .filter(contender -> !contender.isFloor() && !contender.inProcess())
                .filter(contender -> ratio(cell, contender).median() > 0)
                .toList();
    }

    private static Spread ratio(CellResult cell, Contender contender) {
        Spread ratio = cell.ratioToFloor(contender);
        return ratio == null ? new Spread(Double.NaN, Double.NaN, Double.NaN) : ratio;
    }

    private void spanDecades(List<CellResult> cells) {
        leastDecade = -1;
        mostDecade = 1;
        for (CellResult cell : cells) {
            for (Contender contender : bars(cell)) {
                double decade = Math.log10(ratio(cell, contender).median());
                leastDecade = Math.min(leastDecade, Math.floor(decade));
                mostDecade = Math.max(mostDecade, Math.ceil(decade));
            }
        }
    }

    private double x(double ratio) {
        double decade = Math.max(leastDecade, Math.min(mostDecade, Math.log10(ratio)));
        return LEFT + (WIDTH - LEFT - RIGHT) * (decade - leastDecade) / (mostDecade - leastDecade);
    }

    private void legend() {
        int x = LEFT;
        for (String[] entry :
                new String[][] {{"ours", "this project"}, {"peer", "peers"}, {"above", "grants more than allowed"}}) {
            add("<rect class=\"%s\" x=\"%d\" y=\"30\" width=\"10\" height=\"10\"/>", entry[0], x);
            text(x + 15, 39, "tick", "start", entry[1]);
            x += 120;
        }
    }

    private void grid(int height) {
        for (int decade = (int) leastDecade; decade <= mostDecade; decade++) {
            double ratio = Math.pow(10, decade);
            add(
                    "<line%s x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                    decade == 0 ? " class=\"floor\"" : "", x(ratio), x(ratio), TOP, height - 22);
            text(x(ratio), height - 8, "tick", "middle", decade == 0 ? "floor" : "× " + Numbers.of(ratio));
        }
    }

    private int group(CellResult cell, int top) {
        int y = top + GROUP_GAP - 8;
        text(8, y - 6, "title", "start", MarkdownReport.title(cell.cell()));
        for (Contender contender : bars(cell)) {
            bar(contender, ratio(cell, contender), y);
            y += ROW;
        }
        return y + 8;
    }

    private void bar(Contender contender, Spread ratio, int y) {
        double from = Math.min(x(1), x(ratio.median()));
        double to = Math.max(x(1), x(ratio.median()));
        String kind = contender.family() == Family.OURS ? "ours" : "peer";
        add(
                "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
                results.above(contender) > 0 ? "above" : kind, from, y, Math.max(1, to - from), BAR);
        add(
                "<line class=\"spread\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
                x(ratio.least()), x(ratio.most()), y + BAR / 2, y + BAR / 2);
        text(NAMES - 8, y + 10, "", "end", contender.name());
        boolean less = ratio.median() < 1;
        double end = less ? Math.min(from, x(ratio.least())) : Math.max(to, x(ratio.most()));
        text(less ? end - 4 : end + 4, y + 10, "tick", less ? "end" : "start", Numbers.of(ratio.median()));
    }

    private void text(double x, int y, String kind, String anchor, String text) {
        add("<text class=\"%s\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>", kind, x, y, anchor, text);
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
