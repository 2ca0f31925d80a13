package io.limiter.redis;

import io.limiter.RateLimiter;
import io.limiter.testing.Concurrently;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One of several JVMs that hammer a limiter. Prints {@code ready}, waits for a line on its input, takes all that is in
 * the bucket with one call, and then calls for some seconds. In the end it takes what is left, and prints how many permits it
 * got, when it started, found the bucket empty, and ended by the time of the Redis server.
 */
final class FleetMember {

    private static final int THREADS = 8;

    private FleetMember() {}

    /** Arguments: URI, prefix, rate, burst in seconds, seconds, engine (script or lock), call (try or acquire). */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        RedisRateLimiterFactory.Builder builder = RedisFixture.builder(connections);
        if (args[5].equals("lock")) {
            builder.lock(new RedisLock(connections)).lockWait(Duration.ofSeconds(30));
        }
        RedisRateLimiterFactory factory = builder.build();
        RateLimiter limiter = factory.withPrefix(args[1])
                .build("fleet", Double.parseDouble(args[2]), Double.parseDouble(args[3]), 60);
        limiter.peek();
        System.out.println("ready");
        if (System.in.read() < 0) {
            return;
        }
        long start = micros(connections);
        long granted = takeAll(limiter);
        long drained = micros(connections);
        long nanos = (long) (Double.parseDouble(args[4]) * 1e9);
        granted += hammer(limiter, args[6].equals("acquire"), System.nanoTime() + nanos);
        long end = micros(connections);
        granted += takeAll(limiter);
        System.out.println(granted + " " + start + " " + drained + " " + end + " " + micros(connections));
        factory.close();
        connections.destroy();
    }

    /** Until nothing is left; another member may take some of it. */
    private static long takeAll(RateLimiter limiter) {
        long granted = 0;
        for (int left = remaining(limiter); left > 0; left = remaining(limiter)) {
            granted += limiter.tryAcquire(left) ? left : 0;
        }
        return granted;
    }

    private static int remaining(RateLimiter limiter) {
        return (int) limiter.peek().remaining();
    }

    private static long hammer(RateLimiter limiter, boolean acquire, long deadlineNanos) {
        AtomicLong granted = new AtomicLong();
        Concurrently.run(THREADS, () -> {
            while (System.nanoTime() < deadlineNanos) {
                if (acquire) {
                    limiter.acquire();
                    granted.incrementAndGet();
                } else if (limiter.tryAcquire()) {
                    granted.incrementAndGet();
                }
            }
        });
        return granted.get();
    }

    private static long micros(LettuceConnectionFactory connections) {
        try (RedisConnection connection = connections.getConnection()) {
            return connection.serverCommands().time(java.util.concurrent.TimeUnit.MICROSECONDS);
        }
    }
}
