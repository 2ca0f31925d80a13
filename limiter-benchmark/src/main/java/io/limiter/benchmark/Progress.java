package io.limiter.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** What runs and how long it will take: on a terminal a line that is written over, elsewhere a line for each part that has finished. */
final class Progress {

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final boolean terminal = System.console() != null;
    private final Consumer<String> console;
    private final int parts;
    private double leftSeconds;
    private double plannedSeconds;
    private double tookSeconds;
    private int number;
    private long startNanos;

    /**
     * @param console what prints
     */
    Progress(List<Part> parts, Consumer<String> console) {
        this.console = console;
        this.parts = parts.size();
        this.leftSeconds = parts.stream().mapToDouble(Part::plannedSeconds).sum();
        console.accept(parts.size() + " parts, about " + text(leftSeconds) + "\n");
    }

    void begins(Part part) {
        number++;
        startNanos = System.nanoTime();
        detail(part.name());
    }

    /** What the part is about to do. */
    void detail(String what) {
        if (terminal) {
            double left = leftSeconds - passedSeconds();
            console.accept(CLEAR_LINE + line(what, 56, Math.max(0, left)));
        }
    }

    void ended(Part part) {
        leftSeconds -= part.plannedSeconds();
        plannedSeconds += part.plannedSeconds();
        tookSeconds += passedSeconds();
        console.accept((terminal ? CLEAR_LINE : "") + line(part.name(), 28, leftSeconds) + "\n");
    }

    private double passedSeconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** The rest takes as much longer than planned as what has ended. */
    private String line(String what, int width, double left) {
        double expected = plannedSeconds == 0 ? left : left * tookSeconds / plannedSeconds;
        return String.format(Locale.ROOT, "%3d/%d  %-" + width + "s %s left", number, parts, what, text(expected));
    }

    private static String text(double seconds) {
        Duration duration = Duration.ofSeconds(Math.round(seconds));
        return String.format(Locale.ROOT, "%d:%02d min", duration.toMinutes(), duration.toSecondsPart());
    }
}
