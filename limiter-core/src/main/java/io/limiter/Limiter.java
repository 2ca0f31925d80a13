package io.limiter;

import io.limiter.algorithm.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A limit bound to a name. All limiters of one name share their permits.
 *
 * <p>With Redis, they share them across all JVMs. One limiter serves many <em>keys</em>, such as IP addresses, users or phone numbers, each of
 * which has separate permits. {@link #on} returns a view of one key, which has the same methods for the permits of that key. The limiter
 * itself also has permits, which belong to no key. The usual calls for one permit, such as {@link #tryAcquire(String)}, also take the key,
 * which saves the view. {@link #async} returns a view whose methods return futures.
 *
 * <p>Views are small and immutable, and are made without a call to the backend, so make them where you need them. Whatever changes the
 * limiter changes all its views. {@code limiter.on(key).async()} and {@code limiter.async().on(key)} are the same. A view of a view has
 * both keys: the permits of {@code limiter.on(tenant).on(user)} are those of the user of that tenant, and no single key is mistaken for a
 * pair.
 *
 * <p>No method waits for permits unless you pass a timeout, except {@link RateLimiter#acquire()}. Timeouts are precise to the microsecond. Zero
 * or a negative timeout means not to wait. {@link #decide(long, Duration)} says how callers wait.
 *
 * <p>Limiters are safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less
 * than 1 or a key is blank. If the backend that holds the state (Redis) is unavailable or too slow, or holds something else
 * under the key, the {@link FailurePolicy} decides. With {@link FailurePolicy#THROW}, and after the factory was closed,
 * methods throw {@link LimiterBackendException}. {@link Decision#source()} says what made a decision.
 */
public interface Limiter {

    /**
     * The name under which the permits are shared. For a {@linkplain LimiterOptions#withPlan plan}, it is that of
     * {@link LimiterTotals#planName}.
     */
    String name();

    /**
     * The key path of this view: the keys that were passed to {@link #on}, the outermost first, or none for the limiter itself.
     *
     * <p>In reports and live limits, a key path is one text in which {@code #} separates the keys. Within a key, {@code #} is written as
     * {@code %23} and {@code %} as {@code %25}.
     */
    List<String> keys();

    /** The limit definition in effect: as it was built, with the rate that was set, or as a live limit changes it. */
    Limit limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view of the key, or of both keys if this is a view itself
     */
    Limiter on(String key);

    /** A view of the same permits whose methods return futures. It lacks the methods that take a {@link TimeUnit}. */
    Async async();

    /**
     * Acquires permits if they are available now, and returns the whole decision.
     *
     * @param permits at least 1
     */
    Decision decide(long permits);

    /**
     * Acquires permits that become available within the timeout, waits for them, and returns the whole decision.
     *
     * <p>A {@link RateLimiter} reserves permits that come due within the timeout, so it is known immediately whether they do, and the caller
     * sleeps until then. Other limits reserve nothing. If they reject the request with a retry-after that lies within the timeout, the
     * caller waits for it, and then the request is decided again, until it is granted or the retry-after exceeds the rest of the timeout.
     * The last decision is returned, and only that one counts in statistics. The call takes no longer than the timeout and one decision. At
     * most 10,000 calls of one built limiter wait in this way. Any more are rejected immediately.
     *
     * <p>Callers of this limiter that wait for the same number of permits of a key are served in the order in which they came. Callers that
     * want another number, and other JVMs, can be faster when permits become free.
     *
     * <p>An interrupt does not end the wait. The thread's interrupt flag is set again when the method returns. If the backend fails during
     * the wait, the {@link FailurePolicy} decides, and the caller does not wait any longer if it rejects.
     *
     * @param permits at least 1
     * @param timeout how long to wait at most
     */
    Decision decide(long permits, Duration timeout);

    /**
     * Returns what {@link #decide(long)} would decide now. Takes nothing.
     *
     * @param permits at least 1
     */
    Decision peek(long permits);

    /**
     * Takes permits like {@link #decide(long)}, if they are available now, and returns them as a reservation. If they turn out to be too
     * many, exactly the excess is returned, and if they turn out to be too few, the rest is charged. {@link RateLimiter#reserve(long,
     * Duration)} also reserves permits that come due later.
     *
     * @param permits at least 1
     */
    Reservation reserve(long permits);

    /**
     * Refunds permits that were taken, for example because the work failed. They can be taken again, up to the limit's capacity. In this JVM
     * they can be taken immediately, and in others within a second, when their rejection caches have expired. An instance that prefetches
     * gets them when it prefetches again. Permits that would have been refilled by now anyway are lost.
     *
     * <p>Over any length of time, a refund lets the limit grant that many more permits, so refund only permits that were taken. If permits
     * were reserved and not used, it is better to {@linkplain Reservation#cancel() cancel} them. A bucket that warms up ignores refunds,
     * because they would make it colder. A key without state ignores them, too.
     *
     * <p>While the backend is unavailable, refunds go to the local fallback under {@link FailurePolicy#LOCAL}. Under
     * {@code DENY} and {@code ALLOW}, and after an ambiguous failure, they are lost, and the decision's source is
     * {@code POLICY}. Do not refund permits that such a decision granted: they were never taken.
     *
     * <p>If the call fails, the permits may have been refunded all the same. Another try could then refund them twice, which admits others too
     * early. A {@link Reservation} returns its permits at most once.
     *
     * @param permits at least 1
     * @return a grant, with the remaining permits
     */
    Decision refund(long permits);

    /**
     * Takes permits even if they are not available, for work whose cost is known only afterwards. Later requests wait or are
     * rejected until the debt is paid. A token bucket goes into debt by its {@code maxWait} at most.
     *
     * <p>While the backend is unavailable, the local fallback is charged under {@link FailurePolicy#LOCAL}. Under {@code DENY}
     * and {@code ALLOW} nothing is charged, and the decision's source is {@code POLICY}.
     *
     * @param permits at least 1
     * @return a grant, with the remaining permits
     */
    Decision charge(long permits);

    /**
     * Deletes the state of these permits, as if they had never been used, for example to let a caller in again. Waits for the
     * backend.
     *
     * <p>For up to a second, other JVMs may repeat rejections from their rejection caches, and they use up permits that they have prefetched.
     * Only the state of this key is deleted, and not that of {@linkplain #on keys within it}.
     */
    void reset();

    /** {@link #decide(long)} for one permit. */
    default Decision decide() {
        return decide(1);
    }

    /** {@link #peek(long)} for one permit. */
    default Decision peek() {
        return peek(1);
    }

    /** Takes one permit if it is available now. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Takes all of the permits if they are available now, or none.
     *
     * @param permits at least 1
     */
    default boolean tryAcquire(long permits) {
        return decide(permits).isGranted();
    }

    /**
     * Takes all permits that are available now, up to a number, for example for a batch that may be smaller. That is the largest number
     * that {@link #tryAcquire(long)} would take. Does not wait. If the next caller waits for the permits that this one takes, it takes the
     * stored permits, or one.
     *
     * <p>If it takes none, that is a rejection for statistics, listeners and bans. If the instance has prefetched permits, it takes at most
     * these. If neither the backend nor a local fallback decides, it takes all or none.
     *
     * @param permits how many at most, at least 1. The number may be larger than the limit's capacity
     * @return how many were taken, from 0
     * @throws UnsupportedOperationException if this is a limit of the application's own whose step does not {@linkplain
     *     io.limiter.step.LimitStep#takesFewer() support} it
     */
    long tryAcquireUpTo(long permits);

    /** As {@link #tryAcquire(long, Duration)} for one permit. */
    default boolean tryAcquire(Duration timeout) {
        return tryAcquire(1, timeout);
    }

    /** As {@link #tryAcquire(long, Duration)} for one permit. */
    default boolean tryAcquire(long timeout, TimeUnit unit) {
        return tryAcquire(1, timeout, unit);
    }

    /**
     * Takes all of the permits if they become available within the timeout, for which it waits, or none. See
     * {@link #decide(long, Duration)}.
     *
     * @param permits at least 1
     */
    default boolean tryAcquire(long permits, Duration timeout) {
        return decide(permits, timeout).isGranted();
    }

    /**
     * As {@link #tryAcquire(long, Duration)}.
     *
     * @param permits at least 1
     */
    default boolean tryAcquire(long permits, long timeout, TimeUnit unit) {
        return tryAcquire(
                permits, Duration.ofNanos(Objects.requireNonNull(unit, "unit").toNanos(timeout)));
    }

    /** {@code on(key).decide()}. */
    default Decision decide(String key) {
        return on(key).decide();
    }

    /** {@code on(key).tryAcquire()}. */
    default boolean tryAcquire(String key) {
        return on(key).tryAcquire();
    }

    /** {@code on(key).tryAcquire(timeout, unit)}. */
    default boolean tryAcquire(String key, long timeout, TimeUnit unit) {
        return on(key).tryAcquire(timeout, unit);
    }

    /**
     * The methods of a limiter for callers whose thread must not block.
     *
     * <p>A future is completed by a thread of the backend's client, or by a limiter thread after a wait or if the backend does not answer.
     * Dependent stages must not block, because that would delay other decisions. For stages that block, use the {@code ...Async} methods of
     * the future. A future fails with {@link LimiterBackendException} if neither the backend nor the failure policy decided.
     *
     * <p>A request that is started while another future is pending may be decided first. If it needs the permits of a refund, wait for the
     * future of the refund.
     *
     * <p>A caller gives up a future if it completes it, with {@code cancel}, {@code orTimeout}, {@code completeOnTimeout}, {@code complete},
     * {@code completeExceptionally} or in any other way. If the request was not sent, it is withdrawn. Permits that were taken, or that a
     * request in flight takes, are returned as with {@link Reservation#cancel()}, to Redis or the local fallback, without waiting. Refunds
     * and charges that were sent are executed. Nothing is returned in these cases:
     *
     * <ul>
     *   <li>The future has its result already, so the caller has the permits.
     *   <li>Only a stage that depends on the future is completed, or a {@code copy()}, because that does not complete the future itself.
     *   <li>The outcome is unknown, because the backend failed or did not answer within the decision timeout. Then the permits count as
     *       spent.
     * </ul>
     */
    interface Async {

        /** As {@link Limiter#on}. */
        Async on(String key);

        /** As {@link Limiter#decide(long)}. */
        CompletableFuture<Decision> decide(long permits);

        /** As {@link Limiter#decide(long, Duration)}. It completes when the permits come due, or are rejected, and no thread waits. */
        CompletableFuture<Decision> decide(long permits, Duration timeout);

        /** As {@link Limiter#tryAcquire(long)}. */
        CompletableFuture<Boolean> tryAcquire(long permits);

        /** As {@link Limiter#tryAcquire(long, Duration)}. */
        CompletableFuture<Boolean> tryAcquire(long permits, Duration timeout);

        /** As {@link Limiter#tryAcquireUpTo(long)}. If the future is given up, all permits that it got are returned. */
        CompletableFuture<Long> tryAcquireUpTo(long permits);

        /** As {@link Limiter#peek(long)}. */
        CompletableFuture<Decision> peek(long permits);

        /** As {@link Limiter#reserve(long)}. */
        CompletableFuture<Reservation> reserve(long permits);

        /** As {@link Limiter#refund(long)}. */
        CompletableFuture<Decision> refund(long permits);

        /** As {@link Limiter#charge(long)}. */
        CompletableFuture<Decision> charge(long permits);

        /** As {@link Limiter#reset()}. Completing the future does not stop it. Dependent stages do not run on a limiter thread. */
        CompletableFuture<Void> reset();

        /** As {@link Limiter#decide()}. */
        default CompletableFuture<Decision> decide() {
            return decide(1);
        }

        /** As {@link Limiter#peek()}. */
        default CompletableFuture<Decision> peek() {
            return peek(1);
        }

        /** As {@link Limiter#tryAcquire()}. */
        default CompletableFuture<Boolean> tryAcquire() {
            return tryAcquire(1);
        }

        /** As {@link Limiter#tryAcquire(Duration)}. */
        default CompletableFuture<Boolean> tryAcquire(Duration timeout) {
            return tryAcquire(1, timeout);
        }

        /** {@code on(key).decide()}. */
        default CompletableFuture<Decision> decide(String key) {
            return on(key).decide();
        }

        /** {@code on(key).tryAcquire()}. */
        default CompletableFuture<Boolean> tryAcquire(String key) {
            return on(key).tryAcquire();
        }
    }
}
