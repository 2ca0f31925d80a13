package io.limiter.benchmark;

import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.benchmark.outage.Calls;
import io.limiter.benchmark.outage.Closing;
import io.limiter.benchmark.outage.Decider;
import io.limiter.benchmark.outage.LimiterInstance;
import io.limiter.benchmark.outage.Load;
import io.limiter.benchmark.report.Environment;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.faults.report.Evidence;
import io.limiter.redis.RedisRateLimiterFactory;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/**
 * Measures an outage: Redis is stopped under the load of four instances and continues half a minute later. Prints the latency and
 * the source of decisions by phase, and how soon Redis decides again for all instances; writes them over time to a file that
 * docs/images/make.py draws.
 *
 * <p>Each instance is a factory with connections of its own, which counts the others as instances do by default. Each of its eight
 * threads decides about once a millisecond: six from buckets that are never empty, two from one limit that all instances share and
 * that grants far less than that.
 */
public final class Outage {

    private static final int INSTANCES = 4;
    private static final int STEADY_THREADS = 6;
    private static final int LIMITED_THREADS = 2;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration STOPPED = Duration.ofSeconds(30);
    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final TokenBucket NEVER_EMPTY = TokenBucket.of(1_000_000, 1);
    private static final TokenBucket LIMITED = TokenBucket.perSecond(1_000).withBurst(Duration.ofMillis(250));

    private String server = "";

    private Outage() {}

    /**
     * @param args the file to write, and for how many seconds Redis is stopped; without the latter for 30, and only then the
     *     file is written
     */
    public static void main(String[] args) throws Exception {
        boolean whole = args.length == 1;
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        Outage outage = new Outage();
        OutageReport report = outage.run(whole ? STOPPED : Duration.ofSeconds(Integer.parseInt(args[1])));
        String header =
                "Redis is stopped (SIGSTOP) for %d s under %d instances with %d threads each, policy local, decision timeout 100 ms; %d processors, load %.1f"
                        .formatted(
                                report.stoppedTime().toSeconds(),
                                INSTANCES,
                                STEADY_THREADS + LIMITED_THREADS,
                                Runtime.getRuntime().availableProcessors(),
                                load);
        System.out.printf("%s%n%n%s", header, report.table());
        if (whole) {
            Files.writeString(
                    Path.of(args[0]),
                    "# mvn -q compile -Poutage: " + header + "\n# " + Evidence.here(outage.server, Environment.CODE)
                            + "\n" + report.series());
        }
    }

    private OutageReport run(Duration stopped) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Closing opened = new Closing()) {
            server = redis.version();
            List<Instance> instances = new ArrayList<>();
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(Instance.start(redis, "instance-" + i, opened));
            }
            Load load = new Load((int) WARM_UP.plus(BEFORE)
                    .plus(stopped)
                    .plus(AFTER)
                    .plusSeconds(5)
                    .toMillis());
            List<Calls> steady = new ArrayList<>();
            List<List<Calls>> limited = new ArrayList<>();
            for (Instance instance : instances) {
                RateLimiter neverEmpty = instance.factory().build("steady", NEVER_EMPTY);
                steady.addAll(load.start(STEADY_THREADS, i -> Decider.of(neverEmpty, "k" + i % 8), PAUSE));
                RateLimiter scarce = instance.factory().build("limited", LIMITED);
                limited.add(load.start(LIMITED_THREADS, i -> Decider.of(scarce, "k0"), PAUSE));
            }
            TimeUnit.NANOSECONDS.sleep(WARM_UP.plus(BEFORE).toNanos());
            instances.forEach(instance -> instance.times().downNanos.set(0));
            redis.stop();
            long stop = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(stopped.toNanos());
            boolean upWhileStopped = instances.stream()
                    .anyMatch(instance -> instance.factory().backendState().up());
            instances.forEach(instance -> instance.times().upNanos.set(0));
            long goOn = System.nanoTime();
            redis.goOn();
            TimeUnit.NANOSECONDS.sleep(AFTER.toNanos());
            load.end(AFTER);
            if (upWhileStopped) {
                throw new IllegalStateException("a circuit breaker is closed although Redis is stopped");
            }
            return new OutageReport(
                    steady,
                    limited,
                    stop,
                    goOn,
                    last(instances, stop, times -> times.downNanos.get()),
                    last(instances, goOn, times -> times.upNanos.get()));
        }
    }

    /** How long after a moment the last instance had such an event. */
    private static long last(List<Instance> instances, long sinceNanos, ToLongFunction<Times> event) {
        return instances.stream()
                .mapToLong(instance -> event.applyAsLong(instance.times()) - sinceNanos)
                .max()
                .orElseThrow();
    }

    private record Instance(RedisRateLimiterFactory factory, Times times) {

        static Instance start(RedisServer redis, String name, Closing opened) {
            Times times = new Times(new AtomicLong(), new AtomicLong());
            RedisClients clients = new RedisClients("127.0.0.1", redis.port());
            opened.add(clients::close);
            return new Instance(LimiterInstance.start(clients, name, times, opened), times);
        }
    }

    /** The time of the first event of each kind since it was set to 0. */
    private record Times(AtomicLong downNanos, AtomicLong upNanos) implements LimiterListener {

        @Override
        public void onBackendDown(LimiterBackendDownEvent event) {
            downNanos.compareAndSet(0, System.nanoTime());
        }

        @Override
        public void onBackendUp(LimiterBackendUpEvent event) {
            upNanos.compareAndSet(0, System.nanoTime());
        }
    }
}
