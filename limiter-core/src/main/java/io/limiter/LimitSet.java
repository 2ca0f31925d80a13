package io.limiter;

import io.limiter.internal.step.SetStart;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Several limits on one call, all or nothing.
 *
 * <p>For example 10 per second <em>and</em> 1,000 per day, per user <em>and</em> per tenant. If
 * one rejects, nothing is taken from the others.
 *
 * <pre>{@code
 * RateLimiter perSecond = limiters.build("perSecond", 10, 1, 60);
 * Limiter perDay = limiters.build("perDay", FixedWindow.of(1000, Duration.ofDays(1)));
 *
 * SetDecision decision = LimitSet.of(perSecond.on(user)).and(perDay.on(user), 3).decide();
 * if (!decision.isGranted()) {
 *     throw new RateLimitExceededException("search", List.of(user), decision.decision());
 * }
 * }</pre>
 *
 * <p>The limits may be of different kinds, and each may take several permits for each permit of the set. They are decided
 * atomically. With Redis, that is one round trip and one script.
 *
 * <p>In two cases, they are taken one after the other: under the lock engine, and slot by slot in a Redis Cluster if the keys are in several
 * slots. All limits with the same first key are in one slot, see {@link HashTag}. Windows, logs and counters are taken first, then buckets,
 * and apart from that in the order of the set. If one rejects, the earlier grants are cancelled. No limit is exceeded by that, but other
 * requests can be rejected because of permits that are cancelled a moment later. Windows, logs and counters get all of them back. A bucket
 * gets back the same permits as for a {@linkplain Reservation#cancel() cancelled reservation}.
 *
 * <p>Immutable, cheap to make, and safe for use by many threads. Methods throw {@link IllegalArgumentException} if permits are less than 1, or
 * if there are several timeouts but not one for each limit.
 *
 * <p>If the backend does not decide, the {@linkplain FailurePolicy failure policies} of the parts do, which is also all or nothing. If any of
 * them throws, the set fails with {@link LimiterBackendException}, and permits may have been taken. Otherwise, the set is rejected if any of
 * them denies. Parts under {@code LOCAL} are decided together in this JVM, and parts under {@code ALLOW} grant.
 */
public interface LimitSet {

    /**
     * A set of limiters that each take one permit for each permit of the set.
     *
     * @throws IllegalArgumentException if two limiters have the same permits, or one was not built by the same factory as the others
     */
    static LimitSet of(Limiter first, Limiter... others) {
        LimitSet set = of(first, 1);
        for (Limiter other : Objects.requireNonNull(others, "others")) {
            set = set.and(other, 1);
        }
        return set;
    }

    /**
     * A set of one limit, to start with.
     *
     * @param permits how many this limiter takes for each permit of the set, at least 1
     * @throws IllegalArgumentException if no factory of this library has built the limiter
     */
    static LimitSet of(Limiter first, long permits) {
        if (Objects.requireNonNull(first, "first") instanceof SetStart<?> start
                && start.toSet(permits) instanceof LimitSet set) {
            return set;
        }
        throw new IllegalArgumentException("limiters of a set must be built by a factory of this library, and '"
                + first.name() + "' is a " + first.getClass().getName());
    }

    /** {@link #and(Limiter, long)} with one permit for each permit of the set. */
    default LimitSet and(Limiter other) {
        return and(other, 1);
    }

    /**
     * This set and one more limit, all or nothing.
     *
     * @param permits how many this limiter takes for each permit of the set, at least 1, for example 500 tokens for each call
     * @throws IllegalArgumentException if its permits are in the set already, or it was built by another factory
     */
    LimitSet and(Limiter other, long permits);

    /** The limiters, or the views of their keys, in the order of the set. */
    List<Limiter> limiters();

    /**
     * Acquires permits of all limits if they are available within the timeouts, waits for the slowest limit, and returns the whole
     * decision. Each limit takes its own number for each permit.
     *
     * <p>No wait exceeds a limit's {@code maxWait}. If only limits without reservations reject, and if each retry-after lies within its
     * timeout, the caller waits as in {@link Limiter#decide(long, Duration)}. Then all limits are decided again, with the rest of the
     * timeouts. Nothing is taken during the wait.
     *
     * @param permits at least 1
     * @param timeouts how long to wait at most: none not to wait, one for all limits, or one for each of them in the order of the set. Zero
     *     or a negative timeout means not to wait for that limit
     */
    SetDecision decide(long permits, Duration... timeouts);

    /**
     * Takes permits as {@link #decide(long, Duration...)}, without waiting until they come due or for a retry-after, and returns
     * them as reservations of all limits. See {@link Limiter#reserve(long)}.
     *
     * @param permits at least 1
     * @param timeouts as in {@link #decide(long, Duration...)}
     */
    SetReservation reserve(long permits, Duration... timeouts);

    /** Returns what {@link #decide(long, Duration...)} would decide now. Takes nothing. */
    SetDecision peek(long permits);

    /**
     * Refunds permits of every limit that were taken and not used. See {@link Limiter#refund(long)}.
     *
     * @param permits at least 1
     * @return a grant, with the remaining permits
     */
    SetDecision refund(long permits);

    /** A view of the same set whose methods return futures. */
    Async async();

    /** {@link #decide(long, Duration...)} for one permit, without waiting. */
    default SetDecision decide() {
        return decide(1);
    }

    /** {@link #peek(long)} for one permit. */
    default SetDecision peek() {
        return peek(1);
    }

    /** {@link #tryAcquire(long, Duration...)} for one permit, without waiting. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** As {@link #decide(long, Duration...)}, but returns only whether all limits granted. */
    default boolean tryAcquire(long permits, Duration... timeouts) {
        return decide(permits, timeouts).isGranted();
    }

    /**
     * The methods of a set for callers whose thread must not block.
     *
     * <p>Futures behave as in {@link Limiter.Async}. If one is given up, its permits are returned to all limits. Completing a future of
     * {@link #peek} or {@link #refund} does not stop it.
     */
    interface Async {

        /** As {@link LimitSet#decide(long, Duration...)}. */
        CompletableFuture<SetDecision> decide(long permits, Duration... timeouts);

        /** As {@link LimitSet#tryAcquire(long, Duration...)}. */
        CompletableFuture<Boolean> tryAcquire(long permits, Duration... timeouts);

        /** As {@link LimitSet#reserve(long, Duration...)}. */
        CompletableFuture<SetReservation> reserve(long permits, Duration... timeouts);

        /** As {@link LimitSet#peek(long)}. */
        CompletableFuture<SetDecision> peek(long permits);

        /** As {@link LimitSet#refund(long)}. */
        CompletableFuture<SetDecision> refund(long permits);

        /** As {@link LimitSet#decide()}. */
        default CompletableFuture<SetDecision> decide() {
            return decide(1);
        }

        /** As {@link LimitSet#tryAcquire()}. */
        default CompletableFuture<Boolean> tryAcquire() {
            return tryAcquire(1);
        }

        /** As {@link LimitSet#peek()}. */
        default CompletableFuture<SetDecision> peek() {
            return peek(1);
        }
    }
}
