package io.limiter;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import java.util.concurrent.CompletableFuture;

/**
 * A limit bound to a name. Everybody who builds a limiter with the same name draws from the same permits, in this JVM
 * and, over Redis, in every other.
 *
 * <p>One limiter serves many <em>keys</em>, each with permits of its own: an IP, a user, a phone number. The methods
 * without a key draw from the permits of the name itself.
 *
 * <p>Limiters are safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less
 * than 1 or a key is blank. If the backend that holds the state (Redis) does not answer in time, or holds something else
 * under the key, the {@link FailurePolicy} decides; with {@link FailurePolicy#THROW}, and whenever the factory was closed,
 * they throw {@link LimiterBackendException}. {@link Decision#source()} tells which it was.
 */
public interface Limiter {

    /** The name under which the permits are shared. */
    String name();

    /** What is allowed. */
    Limit<?> limit();

    /**
     * Asks for permits and returns the whole decision, after waiting for them if the limit has a timeout and they were
     * granted later than now: whoever gets a granted decision may go on at once.
     *
     * @param permits at least 1
     */
    Decision decide(int permits);

    /** As {@link #decide(int)}, from the permits of one key. */
    Decision decide(String key, int permits);

    /**
     * As {@link #decide(int)}, without blocking the calling thread: neither for the backend nor for the permits.
     *
     * <p>The future is completed by a thread of the backend's client, or of the limiter's own if the backend does not answer,
     * or of the common pool after a wait. Do not block in what depends on it, which would delay others; go on with the {@code ...Async} methods of the future instead. Cancelling it withdraws the
     * request if that has not been sent yet, and gives the permits back if it is still waiting for them; in between, they
     * are taken all the same.
     *
     * @param permits at least 1
     * @return fails with {@link LimiterBackendException} if the backend did not decide, nor did the failure policy
     */
    CompletableFuture<Decision> decideAsync(int permits);

    /** As {@link #decideAsync(int)}, from the permits of one key. */
    CompletableFuture<Decision> decideAsync(String key, int permits);

    /**
     * Returns permits that were taken, for example because the work failed. They can be taken again at once, up to the
     * limit's capacity; what would be there by now anyway is lost.
     *
     * <p>Over any length of time, the limit then grants as many permits more as were refunded, so refund only what was taken;
     * permits that were reserved and not used are better {@linkplain Reservation#cancel() cancelled}. A bucket that warms up
     * ignores refunds, which would make it colder, and so does a key of which nothing is stored.
     *
     * <p>While the backend does not decide, permits go back to this JVM's own under {@link FailurePolicy#LOCAL}; under
     * {@code DENY} and {@code ALLOW}, and where the backend may have taken them back all the same, they are lost, and the
     * decision's source is {@code POLICY}. Do not return what a
     * decision of that source granted: it was taken from nowhere.
     *
     * <p>A call that fails may have returned them; trying again could return them twice, which admits others too early. A
     * {@link Reservation} returns its permits at most once.
     *
     * @param permits at least 1
     * @return granted, with what remains
     */
    Decision refund(int permits);

    /** As {@link #refund(int)}, to one key. */
    Decision refund(String key, int permits);

    /** As {@link #refund(int)}, without blocking the calling thread. */
    CompletableFuture<Decision> refundAsync(int permits);

    /** As {@link #refundAsync(int)}, to one key. */
    CompletableFuture<Decision> refundAsync(String key, int permits);

    /**
     * Takes permits whether they are there or not, for work whose cost is known only when it is done: those who ask next
     * wait, or are refused, until they are paid for. A token bucket goes into debt by its {@code maxWait} at most.
     * While the backend does not decide, this JVM's own permits are charged under {@link FailurePolicy#LOCAL}; under
     * {@code DENY} and {@code ALLOW} nothing is, and the decision's source is {@code POLICY}.
     *
     * @param permits at least 1
     * @return granted, with what remains
     */
    Decision charge(int permits);

    /** As {@link #charge(int)}, to one key. */
    Decision charge(String key, int permits);

    /** As {@link #charge(int)}, without blocking the calling thread. */
    CompletableFuture<Decision> chargeAsync(int permits);

    /** As {@link #chargeAsync(int)}, to one key. */
    CompletableFuture<Decision> chargeAsync(String key, int permits);

    /**
     * What {@link #decide(int)} would answer now, and what remains. Takes nothing and never waits.
     */
    Decision peek(int permits);

    /** As {@link #peek(int)}, for the permits of one key. */
    Decision peek(String key, int permits);

    /** As {@link #peek(int)}, without blocking the calling thread. */
    CompletableFuture<Decision> peekAsync(int permits);

    /** As {@link #peekAsync(int)}, for the permits of one key. */
    CompletableFuture<Decision> peekAsync(String key, int permits);

    /**
     * Forgets what is stored for the limiter's own permits, as if nobody had ever asked for them: for an operator who lets a
     * caller in again. Waits for the backend.
     *
     * <p>Other JVMs repeat refusals that they know for up to a second more, and use up permits that they have taken ahead.
     * Permits in a {@linkplain LimitPart#inSlot slot} are others, and are not forgotten.
     */
    void reset();

    /** As {@link #reset()}, for one key. */
    void reset(String key);

    /** The limiter's own permits, as a part of a {@link LimitSet}. */
    LimitPart own();

    /** The permits of one key, as a part of a {@link LimitSet}. */
    LimitPart on(String key);

    /** What {@code decide(1)} would answer now; takes nothing and never waits. */
    default Decision peek() {
        return peek(1);
    }

    /** What {@code decide(key, 1)} would answer now; takes nothing and never waits. */
    default Decision peek(String key) {
        return peek(key, 1);
    }

    /** Takes one permit if the limit allows it. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /** Takes all of the permits if the limit allows it, or none. */
    default boolean tryAcquire(int permits) {
        return decide(permits).granted();
    }

    /** Takes one permit of the key if the limit allows it. */
    default boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** Takes all of the key's permits asked for if the limit allows it, or none. */
    default boolean tryAcquire(String key, int permits) {
        return decide(key, permits).granted();
    }

    /** As {@link #tryAcquire()}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync() {
        return tryAcquireAsync(1);
    }

    /** As {@link #tryAcquire(int)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync(int permits) {
        return MappedFuture.of(decideAsync(permits), Decision::granted);
    }

    /** As {@link #tryAcquire(String)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync(String key) {
        return tryAcquireAsync(key, 1);
    }

    /** As {@link #tryAcquire(String, int)}, without blocking the calling thread; see {@link #decideAsync(int)}. */
    default CompletableFuture<Boolean> tryAcquireAsync(String key, int permits) {
        return MappedFuture.of(decideAsync(key, permits), Decision::granted);
    }
}
