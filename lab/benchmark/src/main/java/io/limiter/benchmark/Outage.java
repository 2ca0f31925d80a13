package io.limiter.benchmark;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.RedisServer;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.redis.RedisRateLimiterFactory;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures an outage: Redis is stopped under load and continues half a minute later. Prints the latency and the source of
 * decisions by phase, and how soon Redis decides again; writes them over time to a file that docs/images/make.py draws.
 *
 * <p>Each of 32 threads decides about once a millisecond: 24 from buckets that are never empty, 8 from one limit that grants
 * far less than that.
 */
public final class Outage {

    private static final int STEADY_THREADS = 24;
    private static final int LIMITED_THREADS = 8;
    private static final Duration WARM_UP = Duration.ofSeconds(5);
    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration STOPPED = Duration.ofSeconds(30);
    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final TokenBucket NEVER_EMPTY = TokenBucket.of(1_000_000, 1);
    private static final TokenBucket LIMITED = TokenBucket.perSecond(1_000).withBurst(Duration.ofMillis(250));

    private volatile boolean ended;

    private Outage() {}

    /**
     * @param args the file to write, and for how many seconds Redis is stopped; without the latter for 30, and only then the
     *     file is written
     */
    public static void main(String[] args) throws Exception {
        boolean whole = args.length == 1;
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        OutageReport report = new Outage().run(whole ? STOPPED : Duration.ofSeconds(Integer.parseInt(args[1])));
        String header =
                "Redis is stopped (SIGSTOP) for %d s under %d threads, policy LOCAL, decision timeout 100 ms; load %.1f"
                        .formatted(report.stoppedTime().toSeconds(), STEADY_THREADS + LIMITED_THREADS, load);
        System.out.printf("%s%n%n%s", header, report.table());
        if (whole) {
            Files.writeString(Path.of(args[0]), "# mvn -q compile -Poutage: " + header + "\n" + report.series());
        }
    }

    private OutageReport run(Duration stopped) throws Exception {
        Times times = new Times(new AtomicLong(), new AtomicLong());
        try (RedisServer redis = RedisServer.start();
                RedisClients clients = new RedisClients("127.0.0.1", redis.port());
                RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(clients.springDataRedis())
                        .failurePolicy(FailurePolicy.LOCAL)
                        .listener(times)
                        .build()) {
            factory.warmUp().join();
            Duration all = WARM_UP.plus(BEFORE).plus(stopped).plus(AFTER).plusSeconds(5);
            int mostCalls = (int) all.toMillis();
            List<Thread> threads = new ArrayList<>();
            List<OutageReport.Calls> steady =
                    start(factory.build("steady", NEVER_EMPTY), STEADY_THREADS, 8, mostCalls, threads);
            List<OutageReport.Calls> limited =
                    start(factory.build("limited", LIMITED), LIMITED_THREADS, 1, mostCalls, threads);
            TimeUnit.NANOSECONDS.sleep(WARM_UP.plus(BEFORE).toNanos());
            times.downNanos.set(0);
            redis.stop();
            long stop = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(stopped.toNanos());
            boolean upWhileStopped = factory.backendState().up();
            times.upNanos.set(0);
            long goOn = System.nanoTime();
            redis.goOn();
            TimeUnit.NANOSECONDS.sleep(AFTER.toNanos());
            ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
            if (upWhileStopped) {
                throw new IllegalStateException("the circuit breaker is closed although Redis is stopped");
            }
            return new OutageReport(
                    steady, limited, stop, goOn, times.downNanos.get() - stop, times.upNanos.get() - goOn);
        }
    }

    private List<OutageReport.Calls> start(
            RateLimiter limiter, int count, int keys, int mostCalls, List<Thread> threads) {
        List<OutageReport.Calls> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String key = "k" + i % keys;
            OutageReport.Calls calls = new OutageReport.Calls(mostCalls);
            Thread thread = new Thread(() -> decideUntilEnded(limiter, key, calls), "caller-" + threads.size());
            thread.start();
            threads.add(thread);
            all.add(calls);
        }
        return all;
    }

    private void decideUntilEnded(RateLimiter limiter, String key, OutageReport.Calls calls) {
        while (!ended) {
            long start = System.nanoTime();
            Decision decision = limiter.decide(key);
            calls.add(start, System.nanoTime(), decision);
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
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
