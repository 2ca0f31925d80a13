package io.limiter.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What runs and how long it will take: on a terminal a line that is written over, elsewhere a line for each part that has finished. */
final class Progress implements AutoCloseable {

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final boolean terminal = System.console() != null;
    private final Consumer<String> console;
    private final int parts;
    private final Thread ticker = new Thread(this::tick, "progress");
    private double leftSeconds;
    private double plannedSeconds;
    private double tookSeconds;
    private int number;
    private double partSeconds;
    private long startNanos;
    private String detail = "";

    /**
     * @param console what prints
     */
    Progress(List<Part> parts, Consumer<String> console) {
        this.console = console;
        this.parts = parts.size();
        this.leftSeconds = parts.stream().mapToDouble(Part::plannedSeconds).sum();
        console.accept(parts.size() + " parts, about " + text(leftSeconds) + "\n");
        ticker.setDaemon(true);
        if (terminal) {
            ticker.start();
        }
    }

    synchronized void begins(Part part) {
        number++;
        partSeconds = part.plannedSeconds();
        startNanos = System.nanoTime();
        detail = part.name();
    }

    /** What the part is about to do. */
    synchronized void detail(String what) {
        detail = what;
    }

    synchronized void ended(Part part) {
        leftSeconds -= part.plannedSeconds();
        plannedSeconds += part.plannedSeconds();
        tookSeconds += passedSeconds();
        detail = "";
        console.accept(String.format(
                Locale.ROOT,
                "%s%3d/%d  %-28s %s left%n",
                terminal ? CLEAR_LINE : "",
                number,
                parts,
                part.name(),
                text(expected(leftSeconds))));
    }

    private void tick() {
        try {
            while (true) {
                show();
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void show() {
        if (!detail.isEmpty()) {
            double left = leftSeconds - Math.min(partSeconds, passedSeconds());
            console.accept(String.format(
                    Locale.ROOT, "%s%3d/%d  %-56s %s left", CLEAR_LINE, number, parts, detail, text(expected(left))));
        }
    }

    private double passedSeconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** As much longer than planned as what has ended. */
    private double expected(double seconds) {
        return plannedSeconds == 0 ? seconds : seconds * tookSeconds / plannedSeconds;
    }

    private static String text(double seconds) {
        Duration duration = Duration.ofSeconds(Math.round(seconds));
        return String.format(Locale.ROOT, "%d:%02d min", duration.toMinutes(), duration.toSecondsPart());
    }

    @Override
    public void close() {
        ticker.interrupt();
    }
}
