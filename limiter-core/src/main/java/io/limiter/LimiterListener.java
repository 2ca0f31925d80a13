package io.limiter;

import java.time.Duration;
import java.util.List;

/**
 * Receives the events of a factory's limiters.
 *
 * <p>One thread calls all methods but {@link #listensToRejections}, in order. No decision runs on it, so a slow method delays no
 * decision; {@link #listensToRejections} does, because the deciding threads call it. What a listener throws is logged and affects
 * no decision. While more than a thousand calls are queued, rejections are dropped and that is logged.
 */
public interface LimiterListener {

    /**
     * The backend, or one master of a Redis Cluster, is unavailable: its circuit breaker is open, and the {@link FailurePolicy}
     * decides at once.
     *
     * @param node in a Redis Cluster, the master as {@code host:port}, and only its keys are concerned; otherwise {@link
     *     BackendState#ONLY_NODE}
     * @param cause the last failure
     */
    default void backendDown(String node, LimiterBackendException cause) {}

    /**
     * The backend, or that master, has recovered and decides again.
     *
     * @param node as for {@link #backendDown}
     * @param downtime the time since {@link #backendDown}
     */
    default void backendUp(String node, Duration downtime) {}

    /**
     * A limiter fails permanently, for example without the right to its keys: the {@link FailurePolicy} decides for it, or for
     * some of its keys. Called at most once a minute for each limiter.
     */
    default void limiterFailing(FailingLimiter limiter) {}

    /**
     * The backend decides again for a limiter.
     *
     * @param limiter the limiter as it failed
     */
    default void limiterRecovered(FailingLimiter limiter) {}

    /**
     * Whether {@link #limitExceeded} is to be called. If no listener wants it, {@code tryAcquire} answers from the rejection
     * cache without allocating. Called for each rejection by the deciding thread, so it must be fast; the result may change.
     * If it throws, that counts as {@code true}. A listener that returns {@code false} is still called if another
     * one returns {@code true}.
     */
    default boolean listensToRejections() {
        return true;
    }

    /**
     * Permits were rejected. Not called for limiters without {@link LimiterOptions#withListeners listeners}.
     *
     * @param limiter the limiter's name
     * @param keys those of the {@linkplain Limiter#keys() key path}; none for the limiter's own permits
     * @param decision the rejection
     */
    default void limitExceeded(String limiter, List<String> keys, Decision decision) {}

    /**
     * A key is banned, because its requests were rejected too often. Called once for each ban, in the instance that counted the
     * last rejection, and dropped as rejections are. Not called for limiters without {@link LimiterOptions#withListeners listeners}.
     *
     * @param limiter the limiter's name
     * @param keys those of the {@linkplain Limiter#keys() key path}
     * @param length how long the ban lasts
     */
    default void keyBanned(String limiter, List<String> keys, Duration length) {}
}
