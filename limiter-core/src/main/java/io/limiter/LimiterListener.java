package io.limiter;

/**
 * Receives the events of a factory's limiters. Each method has one event, which may get further values; new methods do nothing
 * unless they are overridden.
 *
 * <p>One thread calls all methods but {@link #listensToRejections}, in order. No decision runs on it, so a slow method delays no
 * decision; {@link #listensToRejections} does, because the deciding threads call it. What a listener throws is logged and affects
 * no decision. While more than a thousand calls are queued, rejections are dropped and that is logged.
 */
public interface LimiterListener {

    /**
     * The backend, or one master of a Redis Cluster, is unavailable: its circuit breaker is open, and the {@link FailurePolicy}
     * decides at once.
     */
    default void onBackendDown(LimiterBackendDownEvent event) {}

    /** The backend, or that master, has recovered and decides again. */
    default void onBackendUp(LimiterBackendUpEvent event) {}

    /**
     * A limiter fails permanently, for example without the right to its keys: the {@link FailurePolicy} decides for it, or for
     * some of its keys. Called at most once a minute for each limiter.
     */
    default void onLimiterFailing(LimiterFailingEvent event) {}

    /** The backend decides again for a limiter. */
    default void onLimiterRecovered(LimiterRecoveredEvent event) {}

    /**
     * Whether {@link #onLimitExceeded} is to be called. If no listener wants it, {@code tryAcquire} answers from the rejection
     * cache without allocating. Called for each rejection by the deciding thread, so it must be fast; the result may change.
     * If it throws, that counts as {@code true}. A listener that returns {@code false} is still called if another
     * one returns {@code true}.
     */
    default boolean listensToRejections() {
        return true;
    }

    /** Permits were rejected. Not called for limiters without {@link LimiterOptions#withListeners listeners}. */
    default void onLimitExceeded(LimitExceededEvent event) {}

    /**
     * A key is banned, because its requests were rejected too often. Called once for each ban, in the instance that counted the
     * last rejection, and dropped as rejections are. Not called for limiters without {@link LimiterOptions#withListeners listeners}.
     */
    default void onKeyBanned(KeyBannedEvent event) {}

    /**
     * As many permits of a fixed window are used as its limiter {@linkplain LimiterOptions#withWarnAt warns at}. Called once for each
     * key and window, in the instance whose request used so much; at most once, because a lost reply of Redis loses it. Never dropped.
     * Not called for limiters without {@link LimiterOptions#withListeners listeners}.
     */
    default void onLimitWarning(LimitWarningEvent event) {}
}
