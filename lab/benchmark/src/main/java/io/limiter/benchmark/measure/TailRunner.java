package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Measures latencies of blocking decisions at rates below saturation, with one key; subjects take turns in every round. */
public final class TailRunner {

    private static final Cell SATURATED = Cell.HOT_64_THREADS;

    private final BenchmarkRedis redis;
    private final Timing timing;

    /** A rate of requests, as a share of the one at which the floor is saturated. */
    public enum Kind {
        FIFTH(0.2),
        HALF(0.5);

        private final double share;

        Kind(double share) {
            this.share = share;
        }
    }

    /**
     * Latencies of a contender at one rate of requests.
     *
     * @param contender its name
     * @param perSecond requests
     * @param rounds one for each
     */
    public record Result(String contender, Kind kind, double perSecond, List<Latency> rounds) {

        /** A figure of each round. */
        public Spread spread(ToDoubleFunction<Latency> figure) {
            return Spread.of(rounds.stream().mapToDouble(figure));
        }
    }

    public TailRunner(BenchmarkRedis redis, Timing timing) {
        this.redis = redis;
        this.timing = timing;
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
    public List<Result> run(List<Contender> contenders) throws InterruptedException {
        double perSecond = new CellRunner(redis, timing)
                .saturate(SATURATED, contenders)
                .spread(Contenders.RAW_EVALSHA, Slice::decisionsPerSecond)
                .median();
        Map<Contender, OpenSubject> open = new LinkedHashMap<>();
        try {
            for (Contender contender : contenders) {
                open.put(contender, OpenSubject.open(contender, SATURATED, 1, redis));
            }
            return takeTurns(open, perSecond);
        } finally {
            open.values().forEach(OpenSubject::close);
            redis.deleteAllKeys();
        }
    }

    private List<Result> takeTurns(Map<Contender, OpenSubject> open, double perSecond) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            Map<Contender, Result> ofKind = new LinkedHashMap<>();
            for (int round = 0; round < timing.rounds(); round++) {
                for (Map.Entry<Contender, OpenSubject> each : open.entrySet()) {
                    String name = each.getKey().name();
                    Result result = ofKind.computeIfAbsent(
                            each.getKey(),
                            contender -> new Result(name, kind, kind.share * perSecond, new ArrayList<>()));
                    result.rounds().add(measure(each.getValue(), result.perSecond()));
                }
            }
            results.addAll(ofKind.values());
        }
        return results;
    }

    private Latency measure(OpenSubject subject, double perSecond) throws InterruptedException {
        return Latency.of(OpenLoop.run(subject.subject(), perSecond, timing.settleSeconds(), timing.seconds()));
    }
}
