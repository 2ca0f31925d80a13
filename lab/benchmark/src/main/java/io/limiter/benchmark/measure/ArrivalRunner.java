package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Arrivals;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Measures what a decision adds to requests that arrive at a fixed rate; subjects take turns in every round. */
public record ArrivalRunner(BenchmarkRedis redis, Timing timing) {

    /** The same requests without a decision. */
    public static final String NO_LIMIT = "no limit";

    private static final Subject NOTHING = id -> true;

    /**
     * The requests of one contender.
     *
     * @param contender its name, or {@link #NO_LIMIT}
     * @param rounds one for each
     */
    public record Result(String contender, Arrivals arrivals, List<Round> rounds) implements Rounds<Round> {

        /** By how much a figure is higher than that of another one in the same round. */
        public Spread added(Result other, ToDoubleFunction<Round> figure) {
            return Spread.difference(rounds, other.rounds, figure);
        }
    }

    /**
     * The figures of a round.
     *
     * @param latency from the arrival of a request
     * @param callerMicros processor time of this JVM for one request
     * @param redisMicros processor time of Redis for one request
     */
    public record Round(Latency latency, double callerMicros, double redisMicros) {}

    /** Those that a service may choose, and the floor. */
    public static List<Contender> among(List<Contender> contenders) {
        List<String> names = List.of("limiter", "bucket4j-batching", "redisson", "gateway-script");
        return contenders.stream()
                .filter(contender -> contender.isFloor() || names.contains(contender.name()))
                .toList();
    }

    public static double plannedSeconds(Timing timing, int contenders) {
        return timing.plannedSeconds(contenders + 1);
    }

    public List<Result> run(Arrivals arrivals, List<Contender> contenders) throws InterruptedException {
        Map<String, Subject> subjects = new LinkedHashMap<>(Map.of(NO_LIMIT, NOTHING));
        List<OpenSubject> opened = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                int ids = arrivals.keys().ids();
                OpenSubject subject = OpenSubject.open(contender, arrivals.cell(), ids, redis);
                opened.add(subject);
                subjects.put(contender.name(), subject.subject());
            }
            return takeTurns(arrivals, subjects);
        } finally {
            opened.forEach(OpenSubject::close);
            redis.deleteAllKeys();
        }
    }

    private List<Result> takeTurns(Arrivals arrivals, Map<String, Subject> subjects) throws InterruptedException {
        int[] ids = arrivals.keys().requests();
        List<Result> results = subjects.keySet().stream()
                .map(contender -> new Result(contender, arrivals, new ArrayList<>()))
                .toList();
        for (Subject subject : subjects.values()) {
            measure(arrivals, ids, subject, 0, timing.warmUpSeconds());
        }
        for (int round = 0; round < timing.rounds(); round++) {
            int next = 0;
            for (Subject subject : subjects.values()) {
                results.get(next++)
                        .rounds()
                        .add(measure(arrivals, ids, subject, timing.settleSeconds(), timing.seconds()));
            }
        }
        return results;
    }

    private Round measure(Arrivals arrivals, int[] ids, Subject subject, double settleSeconds, double seconds)
            throws InterruptedException {
        List<Usage> before = new ArrayList<>();
        Histogram nanos = OpenLoop.run(
                subject,
                ids,
                arrivals.dueNanos(settleSeconds + seconds),
                (long) (settleSeconds * 1e9),
                () -> before.add(usage()));
        Usage after = usage();
        double requests = nanos.getTotalCount();
        return new Round(
                Latency.of(nanos),
                after.client.cpuNanosSince(before.get(0).client) / 1e3 / requests,
                (after.redisMicros - before.get(0).redisMicros) / requests);
    }

    private Usage usage() {
        return new Usage(ClientStats.now(), redis.cpuMicros());
    }

    private record Usage(ClientStats client, double redisMicros) {}
}
