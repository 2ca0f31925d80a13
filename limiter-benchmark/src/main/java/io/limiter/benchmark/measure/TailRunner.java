package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Cells;
import io.limiter.benchmark.measure.TailResult.Kind;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Measures latencies of blocking decisions at rates below saturation, with one key; subjects take turns in every round. */
public final class TailRunner {

    private static final Cell SATURATED = Cells.HOT_64_THREADS;

    /** A pause and what follows from it have to fit in. */
    private static final double PAUSED_SECONDS = 1;

    private final BenchmarkRedis redis;
    private final Timing timing;
    private final Consumer<String> progress;

    public TailRunner(BenchmarkRedis redis, Timing timing, Consumer<String> progress) {
        this.redis = redis;
        this.timing = timing;
        this.progress = progress;
    }

    /** Those whose tail is of interest; the floor is one of them. */
    public static List<Contender> among(List<Contender> contenders) {
        List<String> names = List.of("limiter", "limiter-yield", "bucket4j-batching", "redisson");
        return contenders.stream()
                .filter(contender -> contender.isFloor() || names.contains(contender.name()))
                .toList();
    }

    /**
     * @param contenders with the floor, whose rate without pauses between requests is measured first
     */
    public List<TailResult> run(List<Contender> contenders) throws InterruptedException {
        CellRunner saturating = new CellRunner(redis, timing, line -> progress.accept("tail: " + line));
        CellResult saturated = saturating.saturate(SATURATED, contenders);
        double perSecond = saturated
                .spread(Contenders.RAW_EVALSHA, Slice::decisionsPerSecond)
                .median();
        Map<Contender, OpenSubject> open = new LinkedHashMap<>();
        try {
            for (Contender contender : contenders) {
                open.put(contender, OpenSubject.open(contender, SATURATED, CellRunner.ids(contender, 1), redis));
            }
            return takeTurns(open, perSecond);
        } finally {
            open.values().forEach(OpenSubject::close);
            redis.deleteAllKeys();
        }
    }

    private List<TailResult> takeTurns(Map<Contender, OpenSubject> open, double perSecond) throws InterruptedException {
        List<TailResult> results = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            List<TailResult> ofKind = open.keySet().stream()
                    .map(contender ->
                            new TailResult(contender.name(), kind, kind.share() * perSecond, new ArrayList<>()))
                    .toList();
            for (int round = 0; round < timing.rounds(); round++) {
                int next = 0;
                for (OpenSubject subject : open.values()) {
                    TailResult result = ofKind.get(next++);
                    progress.accept(
                            "tail: " + kind + "  " + (round + 1) + "/" + timing.rounds() + "  " + result.contender());
                    result.rounds().add(measure(subject, kind, result.perSecond()));
                }
            }
            results.addAll(ofKind);
        }
        return results;
    }

    private Latency measure(OpenSubject subject, Kind kind, double perSecond) throws InterruptedException {
        double seconds = kind.paused() ? Math.max(PAUSED_SECONDS, timing.seconds()) : timing.seconds();
        return Latency.of(OpenLoop.run(subject.subject(), perSecond, timing.settleSeconds(), seconds, () -> {
            if (kind.paused()) {
                PauseOfThisJvm.last(Duration.ofMillis(Kind.PAUSE_MILLIS));
            }
        }));
    }
}
