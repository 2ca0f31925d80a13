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
 * <p>Over Redis, they share them across all JVMs. One limiter serves many <em>keys</em>, each with permits of its own: an IP address, a
 * user, a phone number. {@link #on} returns a view of one key, which has the same methods for the permits of that key; the
 * limiter itself has permits of its own. The usual calls for one permit, such as {@link #tryAcquire(String)}, also take the key,
 * which saves the view. {@link #async} returns a view whose methods return futures.
 *
 * <p>Views are small, immutable and made without a call to the backend, so make them where you need them. They write through:
 * what changes the limiter changes all its views. {@code limiter.on(key).async()} and {@code limiter.async().on(key)} are the
 * same. Views of views have both keys: the permits of {@code limiter.on(tenant).on(user)} are those of the user of that tenant,
 * and no single key is mistaken for a pair.
 *
 * <p>No method waits for permits unless it is passed a timeout, or is {@link RateLimiter#acquire()}. Timeouts are precise to the
 * microsecond; zero or a negative one means not to wait. {@link #decide(long, Duration)} says how callers wait.
 *
 * <p>Limiters are safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less
 * than 1 or a key is blank. If the backend that holds the state (Redis) is unavailable or too slow, or holds something else
 * under the key, the {@link FailurePolicy} decides; with {@link FailurePolicy#THROW}, and after the factory was closed,
 * methods throw {@link LimiterBackendException}. {@link Decision#source()} says what decided.
 */
public interface Limiter {

    /**
     * The name under which the permits are shared; of a {@linkplain LimiterOptions#withPlan plan},
     * {@link LimiterTotals#planName}.
     */
    String name();

    /**
     * The key path of this view: the keys of {@link #on}, the outermost first; none for the limiter itself.
     *
     * <p>Where it is one text, as in reports and live limits, {@code #} separates the keys, and within a key {@code #} is written
     * {@code %23} and {@code %} {@code %25}.
     */
    List<String> keys();

    /** The limit definition in effect: as built, as its rate was set, or as a live limit changes it. */
    Limit limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view; of a view, that of both keys
     */
    Limiter on(String key);

    /** The same permits by methods that return futures, without those that take a {@link TimeUnit}. */
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
     * <p>A {@link RateLimiter} reserves permits that come due within the timeout, so it is decided at once whether they do, and the
     * caller sleeps until then. Other limits reserve nothing. There a rejection whose retry-after lies within the timeout is waited
     * for, and then the request is decided again, until it is granted or the retry-after exceeds what is left of the timeout. The
     * last decision is returned, and it alone counts in statistics. The call takes no longer than the timeout and one decision.
     * At most 10,000 calls of one limiter that was built wait for that; with more, a rejection is returned at once.
     * Callers of this limiter that wait for as many permits of one key are served in the order in which they came; others, and
     * other JVMs, can be faster when permits become free.
     *
     * <p>An interrupt does not end the wait; the thread's interrupt flag is set again when the method returns. If the backend
     * fails meanwhile, the {@link FailurePolicy} decides, and its rejection is not waited for.
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
     * Takes permits as {@link #decide(long)}, if they are available now, and returns them as a reservation: what turns out too
     * many is returned, exactly those, and what turns out too few is charged. {@link RateLimiter#reserve(long, Duration)} also
     * reserves permits that come due later.
     *
     * @param permits at least 1
     */
    Reservation reserve(long permits);

    /**
     * Refunds permits that were taken, for example because the work failed. They can be taken again, up to the limit's capacity:
     * in this JVM from now on, in others once their rejection caches have expired, within a second, and where an instance
     * prefetches, once it does so again. What would have been refilled by now anyway is lost.
     *
     * <p>Over any length of time, the limit grants as many more permits as were refunded, so refund only what was taken. Permits
     * that were reserved and not used are better {@linkplain Reservation#cancel() cancelled}. A bucket that warms up ignores
     * refunds, which would make it colder, and so does a key without state.
     *
     * <p>While the backend is unavailable, refunds go to the local fallback under {@link FailurePolicy#LOCAL}. Under
     * {@code DENY} and {@code ALLOW}, and after an ambiguous failure, they are lost, and the decision's source is
     * {@code POLICY}. Do not refund permits that such a decision granted: they were never taken.
     *
     * <p>A call that fails may have refunded them. Another try could refund them twice, which admits others too early. A
     * {@link Reservation} returns its permits at most once.
     *
     * @param permits at least 1
     * @return granted, with what remains
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
     * @return granted, with what remains
     */
    Decision charge(long permits);

    /**
     * Deletes the state of these permits, as if they had never been used, for example to let a caller in again. Waits for the
     * backend.
     *
     * <p>For up to a second, other JVMs reject from their rejection caches, and they use permits that they have prefetched. Only
     * the state of this very key is deleted, not that of {@linkplain #on further keys}.
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
     * Takes as many permits as there are now, and at most so many, for example for a batch that may be smaller: the largest number
     * that {@link #tryAcquire(long)} would take. Waits for none. Where the next caller waits for what was taken, it is what is stored,
     * or one.
     *
     * <p>None is a rejection, for statistics, listeners and bans. Where the instance has prefetched permits, it is at most what it has
     * prefetched. If neither the backend nor a local fallback decides, it is all or none.
     *
     * @param permits how many at most, at least 1; more than the limit's capacity are no mistake
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
     * Takes all of the permits if they become available within the timeout, waiting for them; or none. See
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
     * <p>A future is completed by a thread of the backend's client, or by one of the limiter after a wait and if the backend does
     * not answer. Dependent stages must not block, which would delay other decisions; use the future's
     * {@code ...Async} methods for those that do. A future fails with {@link LimiterBackendException} if neither the backend nor
     * the failure policy decided.
     *
     * <p>What is started while another future is pending may be decided before it: a request that needs the permits of a refund
     * has to wait for its future.
     *
     * <p>A future that its caller completes is given up: by {@code cancel}, {@code orTimeout}, {@code completeOnTimeout},
     * {@code complete}, {@code completeExceptionally} or in any other way. A request that was not sent is withdrawn. Permits that
     * were taken, or are taken by a request under way, are returned as by {@link Reservation#cancel()}, to Redis or the local
     * fallback, without waiting. Refunds and charges that were sent are executed. Nothing is returned
     *
     * <ul>
     *   <li>once the future has its result, so that the caller has the permits;
     *   <li>if a stage that depends on the future is completed, or a {@code copy()}: that does not complete the future itself;
     *   <li>if the outcome is unknown, because the backend failed or did not answer within the decision timeout: then the permits
     *       count as spent.
     * </ul>
     */
    interface Async {

        /** As {@link Limiter#on}. */
        Async on(String key);

        /** As {@link Limiter#decide(long)}. */
        CompletableFuture<Decision> decide(long permits);

        /** As {@link Limiter#decide(long, Duration)}; completed when the permits are there, or are rejected. No thread waits. */
        CompletableFuture<Decision> decide(long permits, Duration timeout);

        /** As {@link Limiter#tryAcquire(long)}. */
        CompletableFuture<Boolean> tryAcquire(long permits);

        /** As {@link Limiter#tryAcquire(long, Duration)}. */
        CompletableFuture<Boolean> tryAcquire(long permits, Duration timeout);

        /** As {@link Limiter#tryAcquireUpTo(long)}. A future that is given up returns as many as it got. */
        CompletableFuture<Long> tryAcquireUpTo(long permits);

        /** As {@link Limiter#peek(long)}. */
        CompletableFuture<Decision> peek(long permits);

        /** As {@link Limiter#reserve(long)}. */
        CompletableFuture<Reservation> reserve(long permits);

        /** As {@link Limiter#refund(long)}. */
        CompletableFuture<Decision> refund(long permits);

        /** As {@link Limiter#charge(long)}. */
        CompletableFuture<Decision> charge(long permits);

        /** As {@link Limiter#reset()}. Completing the future does not stop it. Dependent stages run on no thread of the limiter. */
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
