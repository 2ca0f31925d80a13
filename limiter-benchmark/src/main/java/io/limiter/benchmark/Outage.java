package io.limiter.benchmark;

import io.limiter.BackendState;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterListener;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.measure.StoppableRedis;
import io.limiter.redis.RedisRateLimiterFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Measures an outage: Redis is stopped under load and continues half a minute later. Prints the latency and the source of
 * decisions, and how soon Redis decides again. Each of 32 threads decides about once a millisecond.
 */
public final class Outage {

    private static final int THREADS = 32;
    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final String ROW = "%-18s %10s %10s %10s %12s   %s%n";

    private final List<Phase> phases = List.of(new Phase("before"), new Phase("stopped"), new Phase("after"));
    private volatile int phase;
    private volatile boolean ended;

    private Outage() {}

    /**
     * @param args how many seconds Redis is stopped; 30 without
     */
    public static void main(String[] args) throws Exception {
        new Outage().run(Duration.ofSeconds(args.length == 0 ? 30 : Integer.parseInt(args[0])));
    }

    private void run(Duration stopped) throws Exception {
        try (StoppableRedis redis = StoppableRedis.start()) {
            LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", redis.port());
            connections.afterPropertiesSet();
            connections.start();
            AtomicLong downNanos = new AtomicLong();
            AtomicLong upNanos = new AtomicLong();
            try (RedisRateLimiterFactory factory = RedisRateLimiterFactory.builder(connections)
                    .failurePolicy(FailurePolicy.LOCAL)
                    .listener(new Times(downNanos, upNanos))
                    .build()) {
                factory.warmUp().join();
                List<Thread> threads = start(factory.build("outage", TokenBucket.of(1_000_000, 1)));
                TimeUnit.NANOSECONDS.sleep(BEFORE.toNanos());
                downNanos.set(0);
                long stop = System.nanoTime();
                redis.stop();
                phase = 1;
                TimeUnit.NANOSECONDS.sleep(stopped.toNanos());
                BackendState whileStopped = factory.backendState();
                upNanos.set(0);
                long goOn = System.nanoTime();
                redis.goOn();
                phase = 2;
                TimeUnit.NANOSECONDS.sleep(AFTER.toNanos());
                ended = true;
                for (Thread thread : threads) {
                    thread.join();
                }
                print(stopped, whileStopped, downNanos.get() - stop, upNanos.get() - goOn);
            } finally {
                connections.destroy();
            }
        }
    }

    private List<Thread> start(RateLimiter limiter) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            String key = "k" + i % 8;
            Thread thread = new Thread(() -> decideUntilEnded(limiter, key), "caller-" + i);
            thread.start();
            threads.add(thread);
        }
        return threads;
    }

    private void decideUntilEnded(RateLimiter limiter, String key) {
        while (!ended) {
            Phase now = phases.get(phase);
            long start = System.nanoTime();
            Decision decision = limiter.decide(key, 1);
            now.decided(System.nanoTime() - start, decision.source());
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void print(Duration stopped, BackendState whileStopped, long toDownNanos, long toUpNanos) {
        System.out.printf(
                "Redis stopped (SIGSTOP) for %d s under %d threads, policy LOCAL, decision timeout 100 ms%n%n",
                stopped.toSeconds(), THREADS);
        System.out.printf(ROW, "Redis is", "decisions", "p50", "p99", "worst", "by source");
        phases.forEach(Phase::print);
        System.out.printf(
                "%nUnavailable %d ms after it was stopped (%s), and recovered %d ms after it continued.%n",
                TimeUnit.NANOSECONDS.toMillis(toDownNanos),
                whileStopped.up() ? "but available at the end" : "until the end",
                TimeUnit.NANOSECONDS.toMillis(toUpNanos));
    }

    /** The decisions in one part of the run. */
    private static final class Phase {

        private final String name;
        private final Histogram nanos = new ConcurrentHistogram(3);
        private final Map<Decision.Source, AtomicLong> bySource = new EnumMap<>(Decision.Source.class);

        Phase(String name) {
            this.name = name;
            for (Decision.Source source : Decision.Source.values()) {
                bySource.put(source, new AtomicLong());
            }
        }

        void decided(long tookNanos, Decision.Source source) {
            nanos.recordValue(tookNanos);
            Objects.requireNonNull(bySource.get(source)).incrementAndGet();
        }

        void print() {
            Map<Decision.Source, AtomicLong> seen = new EnumMap<>(bySource);
            seen.values().removeIf(count -> count.get() == 0);
            System.out.printf(
                    ROW,
                    name,
                    nanos.getTotalCount(),
                    micros(nanos.getValueAtPercentile(50)),
                    micros(nanos.getValueAtPercentile(99)),
                    micros(nanos.getMaxValue()),
                    seen);
        }

        private static String micros(long nanos) {
            return String.format(Locale.ROOT, "%,d us", nanos / 1000);
        }
    }

    /** The time of the first event of each kind since it was set to 0. */
    private record Times(AtomicLong downNanos, AtomicLong upNanos) implements LimiterListener {

        @Override
        public void backendDown(String node, LimiterBackendException cause) {
            downNanos.compareAndSet(0, System.nanoTime());
        }

        @Override
        public void backendUp(String node, Duration downtime) {
            upNanos.compareAndSet(0, System.nanoTime());
        }
    }
}
