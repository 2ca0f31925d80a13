package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.subject.Contenders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Divides the processor time and the bytes of decisions among their stages, by samples of JDK Flight Recorder. */
public final class StageRunner {

    /** Samples of the processor time also in system calls; older JDKs sample Java code alone. */
    private static final int FIRST_JDK = 25;

    private static final String PROCESSOR = "jdk.CPUTimeSample";
    private static final String ALLOCATION = "jdk.ObjectAllocationSample";

    private static final List<Cell> CELLS = Cell.OF_COSTS;

    private final BenchmarkRedis redis;
    private final Timing timing;
    private final Consumer<String> progress;

    public StageRunner(BenchmarkRedis redis, Timing timing, Consumer<String> progress) {
        this.redis = redis;
        this.timing = timing;
        this.progress = progress;
    }

    /** Whether this JVM can sample what it needs. */
    public static boolean isPossible() {
        return Runtime.version().feature() >= FIRST_JDK
                && System.getProperty("os.name", "").equals("Linux");
    }

    /** About how long it takes. */
    public static double plannedSeconds(Timing timing) {
        return timing.plannedSeconds(CELLS.size())
                + timing.plannedSeconds(CELLS.size())
                - CELLS.size() * timing.warmUpSeconds();
    }

    public List<Stage.Costs> run() throws InterruptedException {
        List<Stage.Costs> results = new ArrayList<>();
        for (Cell cell : CELLS) {
            saturate(cell, timing);
            results.add(recorded(cell));
        }
        return results;
    }

    private CellResult saturate(Cell cell, Timing with) throws InterruptedException {
        return new CellRunner(redis, with, line -> progress.accept("stages: " + line))
                .saturate(cell, List.of(Contenders.LIMITER));
    }

    /** The shares of the stages in all that was recorded, of what one decision costs. */
    private Stage.Costs recorded(Cell cell) throws InterruptedException {
        Map<Stage, Double> nanos = new EnumMap<>(Stage.class);
        Map<Stage, Double> bytes = new EnumMap<>(Stage.class);
        CellResult result;
        double usedNanos;
        try (Recording recording = new Recording()) {
            recording.enable(PROCESSOR).with("throttle", "2 ms");
            recording.enable(ALLOCATION).with("throttle", "1000/s");
            recording.start();
            ClientStats before = ClientStats.now();
            result = saturate(cell, new Timing(timing.rounds(), timing.seconds(), timing.settleSeconds()));
            usedNanos = ClientStats.now().cpuNanosSince(before);
            recording.stop();
            add(recording, nanos, bytes);
        }
        double sampledNanos = sum(nanos);
        nanos.merge(Stage.OTHER, Math.max(0, usedNanos - sampledNanos), Double::sum);
        scale(nanos, median(result, Slice::clientCpuNanos));
        scale(bytes, median(result, Slice::allocatedBytes));
        return new Stage.Costs(cell, nanos, bytes);
    }

    private static void add(Recording recording, Map<Stage, Double> nanos, Map<Stage, Double> bytes) {
        try {
            Path file = Files.createTempFile("stages", ".jfr");
            try {
                recording.dump(file);
                try (RecordingFile events = new RecordingFile(file)) {
                    while (events.hasMoreEvents()) {
                        add(events.readEvent(), nanos, bytes);
                    }
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(RecordedEvent event, Map<Stage, Double> nanos, Map<Stage, Double> bytes) {
        if (event.getEventType().getName().equals(PROCESSOR)) {
            Duration period = event.getDuration("samplingPeriod");
            nanos.merge(stage(event), (double) period.toNanos(), Double::sum);
        } else if (event.getEventType().getName().equals(ALLOCATION)) {
            bytes.merge(stage(event), (double) event.getLong("weight"), Double::sum);
        }
    }

    private static Stage stage(RecordedEvent event) {
        return event.getStackTrace() == null
                ? Stage.OTHER
                : Stage.of(event.getStackTrace().getFrames().stream()
                        .filter(frame -> frame.getMethod() != null)
                        .map(frame -> frame.getMethod().getType().getName())
                        .toList());
    }

    private static double median(CellResult result, ToDoubleFunction<Slice> total) {
        return result.spread(Contenders.LIMITER, slice -> slice.perDecision(total.applyAsDouble(slice)))
                .median();
    }

    private static double sum(Map<Stage, Double> shares) {
        return shares.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private static void scale(Map<Stage, Double> shares, double total) {
        double sum = sum(shares);
        shares.replaceAll((stage, share) -> share / sum * total);
    }
}
