package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimitExceededEvent;
import io.limiter.LimitWarningEvent;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Verdict;
import io.limiter.testing.Eventually;
import io.limiter.testing.FailingStarts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ListenerNotifierTest {

    @Test
    void events_without_a_thread_are_delivered_in_order_as_soon_as_one_can_be_started() {
        List<Duration> up = new CopyOnWriteArrayList<>();
        LimiterListener listener = new LimiterListener() {
            @Override
            public void onBackendUp(LimiterBackendUpEvent event) {
                up.add(event.downtime());
            }
        };
        FailingStarts starts = new FailingStarts(0, 2);
        try (ListenerNotifier notifier = new ListenerNotifier(List.of(listener), starts)) {
            for (int i = 1; i <= 2; i++) {
                Duration downtime = Duration.ofSeconds(i);
                notifier.publish(each -> each.onBackendUp(LimiterBackendUpEvent.of("redis", downtime)));
            }
            Eventually.that(() -> assertThat(up).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2)));
        }
        assertThat(starts.haveFailed()).isTrue();
    }

    @Test
    void ten_thousand_warnings_wait_for_a_slow_listener_and_take_no_room_of_rejections() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch slow = new CountDownLatch(1);
        AtomicInteger warnings = new AtomicInteger();
        AtomicInteger rejections = new AtomicInteger();
        LimiterListener listener = new LimiterListener() {
            @Override
            public void onLimitWarning(LimitWarningEvent event) {
                begun.countDown();
                Uninterruptibles.awaitUninterruptibly(slow);
                warnings.incrementAndGet();
            }

            @Override
            public void onLimitExceeded(LimitExceededEvent event) {
                rejections.incrementAndGet();
            }
        };
        Outcome warning =
                Outcome.of(Verdict.granted(1, 0, 9).withPeriodEndMicros(9).withWarning(1));
        Outcome rejected = Outcome.of(Verdict.rejected(1, 0, 9, 9));
        try (ListenerNotifier notifier = new ListenerNotifier(List.of(listener))) {
            LimiterCounters counters =
                    new LimiterCounters("", "quota", EngineObserver.NONE, notifier, Ticker.systemTicker());
            counters.warned("quota", null, 1, warning);
            Uninterruptibles.awaitUninterruptibly(begun);
            for (int i = 0; i < ListenerNotifier.MAX_WARNINGS + 5; i++) {
                counters.warned("quota", "invented" + i, 1, warning);
            }
            for (int i = 0; i < ListenerNotifier.MAX_WAITING + 5; i++) {
                counters.decided("quota", null, rejected);
            }
            assertThat(counters.droppedWarnings()).isEqualTo(5);
            assertThat(counters.warnings()).isEqualTo(1 + ListenerNotifier.MAX_WARNINGS);
            slow.countDown();
            Eventually.that(() -> {
                assertThat(warnings).hasValue(1 + ListenerNotifier.MAX_WARNINGS);
                assertThat(rejections).hasValue(ListenerNotifier.MAX_WAITING);
            });
            counters.warned("quota", null, 1, warning);
            assertThat(counters.warnings()).as("there is room again").isEqualTo(2 + ListenerNotifier.MAX_WARNINGS);
        }
    }
}
