package io.limiter.internal.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterListener;
import io.limiter.testing.Eventually;
import io.limiter.testing.FailingStarts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
}
