package io.limiter.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** How long a run will take, in a line for each part that has finished. */
final class Progress {

    private final Consumer<String> console;
    private final int parts;
    private double leftSeconds;
    private double plannedSeconds;
    private int number;
    private final long startNanos = System.nanoTime();

    /**
     * @param console what prints
     */
    Progress(List<Part> parts, Consumer<String> console) {
        this.console = console;
        this.parts = parts.size();
        this.leftSeconds = parts.stream().mapToDouble(Part::plannedSeconds).sum();
        console.accept(parts.size() + " parts, about " + text(leftSeconds) + "\n");
    }

    void ended(Part part) {
        leftSeconds -= part.plannedSeconds();
        plannedSeconds += part.plannedSeconds();
        // The rest takes as much longer than planned as what has ended.
        double left = leftSeconds * (System.nanoTime() - startNanos) / 1e9 / plannedSeconds;
        console.accept(String.format(Locale.ROOT, "%3d/%d  %-28s %s left%n", ++number, parts, part.name(), text(left)));
    }

    private static String text(double seconds) {
        Duration duration = Duration.ofSeconds(Math.round(seconds));
        return String.format(Locale.ROOT, "%d:%02d min", duration.toMinutes(), duration.toSecondsPart());
    }
}
