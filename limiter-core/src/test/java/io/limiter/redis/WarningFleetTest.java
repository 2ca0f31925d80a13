package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimitWarningEvent;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.LimiterOptions;
import io.limiter.Share;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Eventually;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Warnings of instances that share a Redis. */
class WarningFleetTest {

    private static final Instant END = Instant.parse("2025-12-01T00:00:00Z");

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Queue<LimitWarningEvent> warnings = new ConcurrentLinkedQueue<>();
    private final CountDownLatch slow = new CountDownLatch(1);

    private RedisRateLimiterFactory build() {
        return redis.builder()
                .listener(new LimiterListener() {
                    @Override
                    public boolean listensToRejections() {
                        return false;
                    }

                    @Override
                    public void onLimitWarning(LimitWarningEvent event) {
                        Uninterruptibles.awaitUninterruptibly(slow);
                        warnings.add(event);
                    }
                })
                .build();
    }

    private Limiter limiter(LimiterFactory factory, FixedWindow limit) {
        return factory.with(LimiterOptions.NONE.withPrefix(redis.prefix()).withWarnAt(Share.parse("80%")))
                .build("quota", limit);
    }

    @Test
    void one_instance_is_told_of_a_warning() {
        slow.countDown();
        try (RedisRateLimiterFactory one = build();
                RedisRateLimiterFactory two = build()) {
            FixedWindow month = FixedWindow.of(100, CalendarPeriod.MONTH);
            List<Limiter> limiters = List.of(limiter(one, month), limiter(two, month));
            AtomicInteger next = new AtomicInteger();
            Concurrently.run(4, () -> {
                Limiter limiter =
                        limiters.get(next.getAndIncrement() % 2).on("acme").on("ann");
                for (int i = 0; i < 30; i++) {
                    limiter.tryAcquire();
                }
            });
            limiters.get(1).charge(130);
            Eventually.that(() -> assertThat(warnings)
                    .containsExactlyInAnyOrder(
                            LimitWarningEvent.of("quota", List.of("acme", "ann"), 80, 100, END),
                            LimitWarningEvent.of("quota", List.of(), 130, 100, END)));
        }
    }

    @Test
    void thousands_of_warnings_wait_for_a_slow_listener_a_plan_has_its_own_and_a_quiet_limiter_none() {
        try (RedisRateLimiterFactory factory = build()) {
            Limiter limiter = limiter(factory, FixedWindow.of(1, CalendarPeriod.MONTH));
            for (int i = 0; i < 2_000; i++) {
                limiter.async().tryAcquire("key" + i);
            }
            factory.with(LimiterOptions.NONE
                            .withPrefix(redis.prefix())
                            .withPlan("pro")
                            .withWarnAt(Share.permits(1)))
                    .build("quota", FixedWindow.of(2, CalendarPeriod.MONTH))
                    .tryAcquire("pro");
            factory.with(LimiterOptions.NONE
                            .withPrefix(redis.prefix())
                            .withListeners(false)
                            .withWarnAt(Share.permits(1)))
                    .build("quiet", FixedWindow.of(1, CalendarPeriod.MONTH))
                    .tryAcquire();
            factory.with(LimiterOptions.NONE
                            .withPrefix(redis.prefix())
                            .withLeave(Share.permits(20))
                            .withWarnAt(Share.permits(80)))
                    .build("left", FixedWindow.of(100, CalendarPeriod.MONTH))
                    .charge(80);
            slow.countDown();
            Eventually.that(() -> assertThat(warnings).hasSize(2_002));
            assertThat(warnings).contains(LimitWarningEvent.of("quota.pro", List.of("pro"), 1, 2, END));
            assertThat(warnings).contains(LimitWarningEvent.of("left", List.of(), 80, 100, END));
            assertThat(factory.statistics().totals())
                    .extracting(totals -> totals.name() + " " + totals.warnings())
                    .containsExactlyInAnyOrder("quota 2000", "quota.pro 1", "quiet 0", "left 1");
        }
    }
}
