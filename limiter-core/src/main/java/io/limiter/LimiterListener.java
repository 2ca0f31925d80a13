package io.limiter;

/**
 * Receives the events of a factory's limiters. Each method has one event, to which later versions may add values. Methods that later versions
 * add do nothing unless they are overridden.
 *
 * <p>One thread calls all methods except {@link #listensToRejections}, in order. No decision runs on that thread, so a slow method delays no
 * decision. But a slow {@link #listensToRejections} does, because the deciding threads call it. If a listener throws, that is logged and affects
 * no decision. While more than a thousand rejections and bans are queued, further ones are dropped, and so are warnings while 10,000 of them are
 * queued. The log says so.
 */
public interface LimiterListener {

    /**
     * The backend, or one master of a Redis Cluster, is unavailable. Its circuit breaker is open, and the {@link FailurePolicy} decides
     * immediately.
     */
    default void onBackendDown(LimiterBackendDownEvent event) {}

    /** The backend, or that master, has recovered and decides again. */
    default void onBackendUp(LimiterBackendUpEvent event) {}

    /**
     * A limiter fails permanently, for example because it has no right to its keys. The {@link FailurePolicy} decides for it, or for some of
     * its keys. Called at most once a minute for each limiter.
     */
    default void onLimiterFailing(LimiterFailingEvent event) {}

    /** The backend decides again for a limiter. */
    default void onLimiterRecovered(LimiterRecoveredEvent event) {}

    /**
     * Whether {@link #onLimitExceeded} should be called. If no listener wants that, {@code tryAcquire} answers from the rejection cache without
     * allocating. The deciding thread calls this method for each rejection, so it must be fast. The result may change. If it throws, that counts
     * as {@code true}. A listener that returns {@code false} is still called if another one returns {@code true}.
     */
    default boolean listensToRejections() {
        return true;
    }

    /** Permits were rejected. Not called for limiters without {@link LimiterOptions#withListeners listeners}. */
    default void onLimitExceeded(LimitExceededEvent event) {}

    /**
     * A key is banned, because its requests were rejected too often. Called once for each ban, in the instance that counted the last rejection.
     * It can be dropped like rejections. Not called for limiters without {@link LimiterOptions#withListeners listeners}.
     */
    default void onKeyBanned(KeyBannedEvent event) {}

    /**
     * The part of a fixed window is used at which its limiter {@linkplain LimiterOptions#withWarnAt warns}. Called at most once for each key and
     * window, in the instance whose request used that much. A warning is lost if Redis's reply is lost. While 10,000 warnings are queued, further
     * ones are dropped and {@linkplain LimiterTotals#droppedWarnings counted}, so a listener that is slower than callers can use up windows should
     * hand its work to another thread. Callers who invent keys can use up many. Not called for limiters without {@link
     * LimiterOptions#withListeners listeners}.
     */
    default void onLimitWarning(LimitWarningEvent event) {}
}
