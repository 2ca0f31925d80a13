package io.limiter.spring.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.CountLimiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterListener;
import io.limiter.algorithm.Decision;
import io.limiter.spring.Contexts;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;

class LimiterEventsTest {

    static class Heard {

        final List<Object> events = new CopyOnWriteArrayList<>();

        @EventListener
        public void exceeded(LimitExceededEvent event) {
            events.add(event);
            throw new IllegalStateException("a listener that throws");
        }

        @EventListener
        public void down(LimiterBackendDownEvent event) {
            events.add(event);
        }

        @EventListener
        public void up(LimiterBackendUpEvent event) {
            events.add(event);
        }
    }

    static class Own implements LimiterListener {

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void limitExceeded(String limiter, @Nullable String key, Decision decision) {
            heard.add(limiter + ":" + key);
        }
    }

    @Test
    void refusals_are_events_and_reach_the_listeners_of_the_application() {
        Contexts.local().withBean(Heard.class).withBean(Own.class).run(context -> {
            CountLimiter limiter = context.getBean(LimiterFactory.class).count("login", 1, Duration.ofDays(1));
            assertThat(limiter.tryAcquire("alice")).isTrue();
            Decision refusal = limiter.decide("alice", 1);
            assertThat(refusal.granted()).isFalse();
            Heard heard = context.getBean(Heard.class);
            Eventually.that(() -> assertThat(heard.events)
                    .singleElement()
                    .isInstanceOfSatisfying(LimitExceededEvent.class, event -> {
                        assertThat(event.limiter()).isEqualTo("login");
                        assertThat(event.key()).isEqualTo("alice");
                        assertThat(event.decision()).isEqualTo(refusal);
                    }));
            Eventually.that(() -> assertThat(context.getBean(Own.class).heard).containsExactly("login:alice"));
            assertThat(limiter.tryAcquire("bob")).isTrue();
        });
    }

    @Test
    void a_backend_that_goes_and_comes_is_two_events() {
        Contexts.local().withBean(Heard.class).run(context -> {
            LimiterBackendException cause = new LimiterBackendException("key", "away");
            EventPublishingListener listener = context.getBean(EventPublishingListener.class);
            listener.backendDown(cause);
            listener.backendUp(Duration.ofSeconds(3));
            assertThat(context.getBean(Heard.class).events)
                    .containsExactly(
                            new LimiterBackendDownEvent(cause), new LimiterBackendUpEvent(Duration.ofSeconds(3)));
        });
    }
}
