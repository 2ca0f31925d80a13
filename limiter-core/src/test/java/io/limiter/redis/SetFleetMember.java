package io.limiter.redis;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One of several JVMs that take from sets of limits that overlap. Prints {@code ready}, waits for a line on its input, calls
 * so many times by each thread, and in the end prints how many requests each of the sets granted.
 */
final class SetFleetMember {

    private static final int THREADS = 6;
    private static final int REQUESTS = 300;

    private SetFleetMember() {}

    /** Arguments: URI, prefix, engine (script or lock). */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        boolean lock = args[2].equals("lock");
        RedisRateLimiterFactory.Builder builder = RedisFixture.builder(connections);
        if (lock) {
            builder.lock(new RedisLock(connections)).lockWait(Duration.ofSeconds(30));
        }
        RedisRateLimiterFactory factory = builder.build();
        List<LimitSet> sets = sets(factory.withPrefix(args[1]));
        System.out.println("ready");
        if (System.in.read() < 0) {
            return;
        }
        AtomicIntegerArray granted = new AtomicIntegerArray(sets.size());
        AtomicInteger thread = new AtomicInteger();
        Concurrently.run(THREADS, () -> {
            int first = thread.getAndIncrement();
            for (int i = 0; i < (lock ? REQUESTS / 10 : REQUESTS); i++) {
                int set = (first + i) % sets.size();
                granted.addAndGet(set, sets.get(set).tryAcquire() ? 1 : 0);
            }
        });
        System.out.println(granted.get(0) + " " + granted.get(1) + " " + granted.get(2));
        factory.close();
        connections.destroy();
    }

    /** Each limit is in two of them. */
    static List<LimitSet> sets(LimiterFactory limiters) {
        RateLimiter bucket = limiters.build("bucket", 0.0001, 12_000_000, 60);
        Limiter day = limiters.build("day", FixedWindow.of(900, Duration.ofDays(1)));
        Limiter hour = limiters.build("hour", FixedWindow.of(800, Duration.ofHours(1)));
        return List.of(LimitSet.of(bucket, day), LimitSet.of(day, hour), LimitSet.of(hour, bucket));
    }
}
