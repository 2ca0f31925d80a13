package io.limiter.redis;

import io.limiter.Limiter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.testing.Concurrently;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One of several JVMs that hammer a sliding log. Prints {@code ready}, waits for a line on its input, and calls for some
 * seconds. In the end it prints for each grant how many permits it was, and the time before the call and after it, by the
 * wall clock in microseconds; and {@code end}.
 */
final class SlidingFleetMember {

    private static final int THREADS = 8;
    private static final int MOST_PERMITS = 3;

    private SlidingFleetMember() {}

    /** Arguments: URI, prefix, limit, period in milliseconds, seconds, engine (script or lock). */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        RedisRateLimiterFactory.Builder builder = RedisFixture.builder(connections);
        if (args[5].equals("lock")) {
            builder.lock(new RedisLock(connections)).lockWait(Duration.ofSeconds(30));
        }
        SlidingLog limit = SlidingLog.of(Integer.parseInt(args[2]), Duration.ofMillis(Long.parseLong(args[3])));
        Queue<String> ledger = new ConcurrentLinkedQueue<>();
        try (RedisRateLimiterFactory factory = builder.build()) {
            Limiter limiter = factory.withPrefix(args[1]).build("fleet", limit);
            limiter.peek();
            System.out.println("ready");
            if (System.in.read() < 0) {
                return;
            }
            hammer(limiter, ledger, System.nanoTime() + (long) (Double.parseDouble(args[4]) * 1e9));
        }
        ledger.forEach(System.out::println);
        System.out.println("end");
        connections.destroy();
    }

    private static void hammer(Limiter limiter, Queue<String> ledger, long deadlineNanos) {
        Concurrently.run(THREADS, () -> {
            for (int i = 0; System.nanoTime() < deadlineNanos; i++) {
                int permits = 1 + i % MOST_PERMITS;
                long before = micros();
                if (limiter.tryAcquire(permits)) {
                    ledger.add(permits + " " + before + " " + micros());
                }
            }
        });
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
