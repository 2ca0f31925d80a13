package io.limiter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Several limits on one call, all or nothing: 10 per second <em>and</em> 1,000 per day, per user <em>and</em> per tenant. If
 * one refuses, nothing is taken from the others.
 *
 * <pre>{@code
 * RateLimiter perSecond = limiters.build("perSecond", 10, 1, 60);
 * CountLimiter perDay = limiters.count("perDay", 1000, Duration.ofDays(1));
 *
 * SetDecision decision = LimitSet.of(perSecond.on(user), perDay.on(user)).decide(1);
 * if (!decision.granted()) {
 *     throw new RateLimitExceededException(decision.refusedBy().orElseThrow(), decision.decision());
 * }
 * }</pre>
 *
 * <p>The limits may be of different kinds, and each keeps its own timeout. They are decided at one moment: over Redis in one
 * round trip, by one script. In two cases they cannot be, and are asked one after the other, in the order of the set: under
 * the lock engine, and in a Redis Cluster whose keys lie in several slots ({@link LimitPart#inSlot} puts them in one). What
 * was taken before one refuses is then given back. So no limit is exceeded; but others can be refused because of permits
 * that go back a moment later, and a fixed window that ends in that moment gets the permits back in its next. Put the limit
 * that is most likely to refuse first.
 *
 * <p>Immutable and cheap to make: no call is made until it is asked. Safe for use by many threads. Methods that ask throw
 * {@link IllegalArgumentException} if permits are less than 1, and {@link LimiterBackendException} if the backend does not
 * answer and the {@link FailurePolicy} of any part is to throw; then permits may have been taken. Otherwise the set is
 * refused if the policy of any part is to deny, parts under {@code LOCAL} are decided together in this JVM, and those under
 * {@code ALLOW} grant: all or nothing, too.
 */
public interface LimitSet {

    /**
     * All of these, or none.
     *
     * @throws IllegalArgumentException if two are the same permits, or not all limiters were built by one factory
     */
    static LimitSet of(LimitPart first, LimitPart... others) {
        return first.with(List.of(others));
    }

    /** The parts, in the order in which they were given. */
    List<LimitPart> parts();

    /**
     * Asks every part for as many permits, or as many times its {@linkplain LimitPart#permits own number}, and returns the whole decision, after waiting for the permits if some limit has a
     * timeout and granted them later than now: the longest wait of all.
     *
     * @param permits at least 1
     */
    SetDecision decide(int permits);

    /**
     * As {@link #decide(int)}, with one timeout for all instead of each limit's own. None waits longer than its
     * {@code maxWait}, and a limit that cannot be booked ahead not at all.
     *
     * @param timeout how long to wait at most
     */
    SetDecision decide(int permits, Duration timeout);

    /**
     * As {@link #decide(int)}, without blocking the calling thread. Cancelling the future gives the permits back if it is
     * still waiting for them; while they are being decided, they are taken all the same. See
     * {@link Limiter#decideAsync(int)}.
     *
     * @return fails with {@link LimiterBackendException} if the backend did not decide
     */
    CompletableFuture<SetDecision> decideAsync(int permits);

    /** As {@link #decide(int, Duration)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    CompletableFuture<SetDecision> decideAsync(int permits, Duration timeout);

    /** What {@link #decide(int)} would answer now, and what remains. Takes nothing and never waits. */
    SetDecision peek(int permits);

    /**
     * Returns to every part permits that were taken and not used; see {@link Limiter#refund(int)}.
     *
     * @param permits at least 1
     * @return granted, with what remains
     */
    SetDecision refund(int permits);

    /** Takes one permit of every part, or none of any. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** Takes as many permits of every part, or none of any. */
    default boolean tryAcquire(int permits) {
        return decide(permits).granted();
    }

    /** As {@link #tryAcquire(int)}, if they can be had within the timeout. */
    default boolean tryAcquire(int permits, Duration timeout) {
        return decide(permits, timeout).granted();
    }

    /** As {@link #tryAcquire(int)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync(int permits) {
        return MappedFuture.of(decideAsync(permits), SetDecision::granted);
    }
}
