package io.limiter.redis;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Concurrently;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One of several JVMs that take permits ahead. Prints {@code ready}, waits for a line on its input, then hammers the
 * limiter and prints how many permits it has used so far, again and again, until its input ends. At the end it refunds
 * unused permits.
 */
final class PrefetchFleetMember {

    private static final int THREADS = 4;

    private PrefetchFleetMember() {}

    /** Arguments: URI, prefix, rate, burst in seconds, permits of a lease. */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        TokenBucket limit = TokenBucket.of(Double.parseDouble(args[2]), Double.parseDouble(args[3]));
        AtomicLong used = new AtomicLong();
        AtomicBoolean running = new AtomicBoolean(true);
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections).build()) {
            RateLimiter limiter = factory.withPrefix(args[1])
                    .withPrefetch(Integer.parseInt(args[4]), Duration.ofMillis(500))
                    .build("leased", limit);
            limiter.peek();
            System.out.println("ready");
            if (System.in.read() < 0) {
                return;
            }
            Thread reporter = new Thread(() -> report(used, running));
            reporter.start();
            Concurrently.run(THREADS, () -> {
                while (running.get()) {
                    if (limiter.tryAcquire()) {
                        used.incrementAndGet();
                    } else {
                        Thread.onSpinWait();
                    }
                }
            });
            reporter.join();
        }
        System.out.println("end " + used);
        connections.destroy();
    }

    /** Until the input ends. */
    private static void report(AtomicLong used, AtomicBoolean running) {
        try {
            while (System.in.available() == 0) {
                System.out.println(used);
                Thread.sleep(10);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            running.set(false);
        }
    }
}
