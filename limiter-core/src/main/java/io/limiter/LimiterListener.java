package io.limiter;

import io.limiter.algorithm.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to the limiters of a factory. All methods are called by one thread, in order, which is not one that
 * decides: a listener that is slow or throws harms no decision. What it throws is logged; if it is so slow that more than a
 * thousand calls wait, further ones are dropped, and that is logged too.
 */
public interface LimiterListener {

    /**
     * The backend is taken to be away: it is not asked any more, and the {@link FailurePolicy} decides at once.
     *
     * @param cause the last failure
     */
    default void backendDown(LimiterBackendException cause) {}

    /**
     * The backend has answered again and decides again.
     *
     * @param downtime since {@link #backendDown}
     */
    default void backendUp(Duration downtime) {}

    /**
     * A limiter fails until somebody does something: the {@link FailurePolicy} decides for it, or for some of its keys. Told
     * once a minute at most for each limiter.
     */
    default void limiterFailing(FailingLimiter limiter) {}

    /**
     * The backend decides again for a limiter.
     *
     * @param limiter as it was before
     */
    default void limiterRecovered(FailingLimiter limiter) {}

    /**
     * Whether it needs to be told of rejections. If no listener does, {@code tryAcquire} goes on answering rejections that are
     * known without allocating anything. Asked with each rejection by the thread that decides, so it must be quick, and may
     * change; who answers {@code false} may be told all the same, because another listener needs to be.
     */
    default boolean listensToRejections() {
        return true;
    }

    /**
     * Permits were rejected. Not called for limiters of {@link LimiterFactory#withoutListeners()}.
     *
     * @param limiter the limiter's name
     * @param key whose permits; {@code null} for the limiter's own
     * @param decision the rejection
     */
    default void limitExceeded(String limiter, @Nullable String key, Decision decision) {}
}
