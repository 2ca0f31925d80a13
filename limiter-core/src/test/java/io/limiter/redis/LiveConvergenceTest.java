package io.limiter.redis;

import static io.limiter.redis.LiveFleet.TEN;
import static io.limiter.redis.LiveFleet.put;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Prints how long another instance under load takes to obey a change of which no message tells it. */
@Tag("soak")
class LiveConvergenceTest {

    private static final int CHANGES = 50;
    private static final int THREADS = 16;

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void another_instance_obeys_by_its_next_poll() throws InterruptedException {
        RedisRateLimiterFactory one = instance();
        RedisRateLimiterFactory other = instance();
        RateLimiter limiter = other.build("search", TokenBucket.perSecond(50).withCapacity(50));
        LongAdder granted = new LongAdder();
        List<Thread> load = new ArrayList<>();
        for (RedisRateLimiterFactory factory : List.of(one, other)) {
            RateLimiter used = factory.build("search", TokenBucket.perSecond(50).withCapacity(50));
            for (int i = 0; i < THREADS; i++) {
                load.add(new Thread(() -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        if (used.tryAcquire()) {
                            granted.increment();
                        }
                        LockSupport.parkNanos(1_000_000);
                    }
                }));
            }
        }
        load.forEach(Thread::start);
        long[] micros = new long[CHANGES];
        double before;
        double after;
        try {
            before = perSecond(granted);
            for (int i = 0; i < CHANGES; i++) {
                double rate = i % 2 == 0 ? 20 : 30;
                long start = System.nanoTime();
                put(one, "search", TEN.rate(rate));
                while (limiter.getRate() != rate) {
                    LockSupport.parkNanos(100_000);
                }
                micros[i] = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
                // Not in step with the polls.
                Thread.sleep(i * 7L);
            }
            put(one, "search", TEN.rate(20));
            Thread.sleep(3000);
            after = perSecond(granted);
        } finally {
            load.forEach(Thread::interrupt);
            for (Thread each : load) {
                each.join();
            }
        }
        Arrays.sort(micros);
        System.out.printf(
                Locale.ROOT,
                "by polls alone: %d changes obeyed after %.1f ms (median), %.1f ms (worst); granted %.1f/s at 50/s, %.1f/s at 20/s%n",
                CHANGES,
                micros[CHANGES / 2] / 1e3,
                micros[CHANGES - 1] / 1e3,
                before,
                after);
        assertThat(after).isLessThan(before);
    }

    private static RedisRateLimiterFactory instance() {
        return FLEET.instance(builder -> builder.clock(
                        "local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]",
                        Ticker.systemTicker())
                .liveLimits(LiveOptions.DEFAULT)
                .liveHints(false));
    }

    private static double perSecond(LongAdder granted) throws InterruptedException {
        long before = granted.sum();
        Duration time = Duration.ofSeconds(5);
        Thread.sleep(time.toMillis());
        return (granted.sum() - before) / (double) time.toSeconds();
    }
}
