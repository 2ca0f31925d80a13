package io.limiter.spring.internal.live;

import io.limiter.live.LiveLimits;
import io.limiter.spring.live.LiveLimitChangedEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes applied changes of live limits as application events, once the application's beans have been created: before, a
 * listener could be created by the thread that polls.
 */
public final class LiveEventPublisher implements SmartInitializingSingleton, DisposableBean {

    private final ObjectProvider<LiveLimits> limits;
    private final ApplicationEventPublisher publisher;
    private @Nullable AutoCloseable subscription;

    /** @param limits perhaps none */
    public LiveEventPublisher(ObjectProvider<LiveLimits> limits, ApplicationEventPublisher publisher) {
        this.limits = limits;
        this.publisher = publisher;
    }

    @Override
    public void afterSingletonsInstantiated() {
        limits.ifAvailable(live ->
                subscription = live.subscribe(change -> publisher.publishEvent(LiveLimitChangedEvent.of(change))));
    }

    @Override
    public void destroy() throws Exception {
        if (subscription != null) {
            subscription.close();
        }
    }
}
