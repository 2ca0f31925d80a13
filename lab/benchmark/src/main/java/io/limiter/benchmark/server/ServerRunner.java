package io.limiter.benchmark.server;

import io.limiter.benchmark.measure.BenchmarkRedis;
import io.limiter.benchmark.measure.ChildJvm;
import io.limiter.benchmark.measure.Rounds;
import io.limiter.benchmark.measure.Spread;
import io.limiter.benchmark.measure.Timing;
import io.limiter.benchmark.server.ServerApplication.Limiting;
import io.limiter.benchmark.server.ServerApplication.Server;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Measures the requests of servers, each in a JVM for each way of limiting; those take turns in every round. */
public record ServerRunner(BenchmarkRedis redis, Timing timing) {

    private static final String HEAP = "512m";
    private static final double START_SECONDS = 15;

    /**
     * The requests of one server, limited in one way.
     *
     * @param rounds one for each
     */
    public record Result(Server server, Limiting limiting, List<Round> rounds) implements Rounds<Round> {

        /** A figure for each of another one in the same round. */
        public Spread ratio(Result other, ToDoubleFunction<Round> figure) {
            return Spread.ratio(rounds, other.rounds, figure);
        }
    }

    /**
     * The figures of a round.
     *
     * @param p50 of the latency, in microseconds
     * @param serverMicros processor time of the server's JVM for one request
     * @param redisMicros the same of Redis
     */
    public record Round(double requestsPerSecond, double p50, double p99, double serverMicros, double redisMicros) {}

    /** Whether {@code wrk} is installed, which sends the requests. */
    public static boolean isPossible() {
        return Wrk.isInstalled();
    }

    private static List<Server> servers() {
        return Arrays.stream(Server.values()).filter(Server::isPossible).toList();
    }

    /** About how long it takes. */
    public static double plannedSeconds(Timing timing) {
        int variants = Limiting.values().length;
        return servers().size()
                * (START_SECONDS
                        + variants * (seconds(timing.warmUpSeconds()) + timing.rounds() * seconds(timing.seconds())));
    }

    public List<Result> run() throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (Server server : servers()) {
            results.addAll(run(server));
        }
        return results;
    }

    private record Running(Result result, ChildJvm jvm) {}

    private List<Result> run(Server server) throws InterruptedException {
        List<Running> all = new ArrayList<>();
        try {
            for (Limiting limiting : Limiting.values()) {
                List<String> arguments = List.of(server.name(), limiting.name(), Integer.toString(redis.port()));
                all.add(new Running(
                        new Result(server, limiting, new ArrayList<>()),
                        ChildJvm.start(ServerApplication.class, HEAP, arguments)));
            }
            for (Running each : all) {
                Wrk.run(url(each.jvm()), seconds(timing.warmUpSeconds()));
            }
            for (int round = 0; round < timing.rounds(); round++) {
                for (Running each : all) {
                    each.result().rounds().add(measure(each.jvm()));
                }
            }
            return all.stream().map(Running::result).toList();
        } finally {
            all.forEach(each -> each.jvm().close());
            redis.deleteAllKeys();
        }
    }

    private Round measure(ChildJvm jvm) throws InterruptedException {
        long serverNanos = jvm.cpuTime().toNanos();
        double redisMicros = redis.cpuMicros();
        Wrk wrk = Wrk.run(url(jvm), seconds(timing.seconds()));
        return new Round(
                wrk.requestsPerSecond(),
                wrk.p50(),
                wrk.p99(),
                (jvm.cpuTime().toNanos() - serverNanos) / 1e3 / wrk.requests(),
                (redis.cpuMicros() - redisMicros) / wrk.requests());
    }

    private static String url(ChildJvm jvm) {
        return "http://127.0.0.1:" + jvm.port() + ServerApplication.PATH;
    }

    /** {@code wrk} knows whole seconds only. */
    private static long seconds(double seconds) {
        return Math.max(1, Math.round(seconds));
    }
}
