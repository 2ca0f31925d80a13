package io.limiter.spring.internal.event;

import io.limiter.KeyBannedEvent;
import io.limiter.LimitExceededEvent;
import io.limiter.LimitWarningEvent;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterListener;
import io.limiter.LimiterRecoveredEvent;
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
    public void onLimitExceeded(LimitExceededEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onKeyBanned(KeyBannedEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onLimitWarning(LimitWarningEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onBackendDown(LimiterBackendDownEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onBackendUp(LimiterBackendUpEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onLimiterFailing(LimiterFailingEvent event) {
        publisher.publishEvent(event);
    }

    @Override
    public void onLimiterRecovered(LimiterRecoveredEvent event) {
        publisher.publishEvent(event);
    }
}
