package io.limiter.spring.event;

import io.limiter.Decision;
import io.limiter.FailingLimiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterListener;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes the events of a limiter factory as application events. */
public final class EventPublishingListener implements LimiterListener {

    private final ApplicationEventPublisher publisher;
    private final @Nullable RejectionListeners rejectionListeners;

    public EventPublishingListener(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
        this.rejectionListeners = RejectionListeners.of(publisher);
    }

    /** Whether the application has a listener for {@link LimitExceededEvent}. */
    @Override
    public boolean listensToRejections() {
        return rejectionListeners == null || rejectionListeners.any();
    }

    @Override
    public void limitExceeded(String limiter, List<String> keys, Decision decision) {
        publisher.publishEvent(LimitExceededEvent.of(limiter, keys, decision));
    }

    @Override
    public void keyBanned(String limiter, List<String> keys, Duration length) {
        publisher.publishEvent(KeyBannedEvent.of(limiter, keys, length));
    }

    @Override
    public void backendDown(String node, LimiterBackendException cause) {
        publisher.publishEvent(LimiterBackendDownEvent.of(node, cause));
    }

    @Override
    public void backendUp(String node, Duration downtime) {
        publisher.publishEvent(LimiterBackendUpEvent.of(node, downtime));
    }

    @Override
    public void limiterFailing(FailingLimiter limiter) {
        publisher.publishEvent(LimiterFailingEvent.of(limiter));
    }

    @Override
    public void limiterRecovered(FailingLimiter limiter) {
        publisher.publishEvent(LimiterRecoveredEvent.of(limiter));
    }
}
