package io.limiter;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A limit bound to a name: permits that everybody shares who builds a limiter with the same name.
 *
 * <p>Over Redis, these are all JVMs. One limiter serves many <em>keys</em>, each with permits of its own: an IP address, a
 * user, a phone number. {@link #on} returns a view of one key, which has the same methods for the permits of that key; the
 * limiter itself has permits of its own. {@link #async} returns a view whose methods return futures.
 *
 * <p>Views are small, immutable and made without a call to the backend, so make them where you need them. They write through:
 * what changes the limiter changes all its views. {@code limiter.on(key).async()} and {@code limiter.async().on(key)} are the
 * same. Views of views have both keys: the permits of {@code limiter.on(tenant).on(user)} are those of the user of that tenant,
 * and no single key is mistaken for a pair.
 *
 * <p>No method waits for permits unless it is passed a timeout, or is {@link RateLimiter#acquire()}.
 *
 * <p>Limiters are safe for use by many threads. All methods throw {@link IllegalArgumentException} if permits are less
 * than 1 or a key is blank. If the backend that holds the state (Redis) is unavailable or too slow, or holds something else
 * under the key, the {@link FailurePolicy} decides; with {@link FailurePolicy#THROW}, and after the factory was closed,
 * methods throw {@link LimiterBackendException}. {@link Decision#source()} says who decided.
 */
public interface Limiter {

    /** The name under which the permits are shared. */
    String name();

    /**
     * The key of this view; empty for the limiter itself.
     *
     * <p>Of several keys it is all of them, separated by {@code #}, with {@code #} and {@code %} within them encoded.
     */
    Optional<String> key();

    /** The limit definition. */
    Limit<?> limit();

    /**
     * The permits of one key of this limiter.
     *
     * @return a view; of a view, that of both keys
     */
    Limiter on(String key);

    /** The same permits by methods that do not block the calling thread. */
    Async async();

    /**
     * Asks for permits and returns the whole decision. Does not wait for permits.
     *
     * @param permits at least 1
     */
    Decision decide(int permits);

    /**
     * Says what {@link #decide(int)} would decide now, and what remains. Takes nothing.
     *
     * @param permits at least 1
     */
    Decision peek(int permits);

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
     * decision's source is {@code POLICY}. Do not return what a decision of that source granted: it was taken from nowhere.
     *
     * <p>A call that fails may have returned them; trying again could return them twice, which admits others too early. A
     * {@link Reservation} returns its permits at most once.
     *
     * @param permits at least 1
     * @return granted, with what remains
     */
    Decision refund(int permits);

    /**
     * Takes permits whether they are there or not, for work whose cost is known only when it is done: later requests wait, or
     * are rejected, until they are paid for. A token bucket goes into debt by its {@code maxWait} at most.
     *
     * <p>While the backend does not decide, this JVM's own permits are charged under {@link FailurePolicy#LOCAL}; under
     * {@code DENY} and {@code ALLOW} nothing is, and the decision's source is {@code POLICY}.
     *
     * @param permits at least 1
     * @return granted, with what remains
     */
    Decision charge(int permits);

    /**
     * Forgets what is stored for these permits, as if they had never been used: for an operator who lets a caller in again.
     * Waits for the backend.
     *
     * <p>Other JVMs repeat rejections that they know for up to a second more, and use up permits that they have prefetched.
     * Only the permits of this very key are forgotten, not those of {@linkplain #on further keys}.
     */
    void reset();

    /**
     * These permits as the first of a set; see {@link LimitSet#of(Limiter, int)}.
     *
     * @param permits how many are taken for each one that is asked of the set, at least 1
     */
    LimitSet toSet(int permits);

    /** {@link #decide(int)} for one permit. */
    default Decision decide() {
        return decide(1);
    }

    /** {@link #peek(int)} for one permit. */
    default Decision peek() {
        return peek(1);
    }

    /** Takes one permit if it is there now. */
    default boolean tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Takes all of the permits if they are there now, or none.
     *
     * @param permits at least 1
     */
    default boolean tryAcquire(int permits) {
        return decide(permits).granted();
    }

    /** {@code on(key).decide(permits)}, without the view. */
    default Decision decide(String key, int permits) {
        return on(key).decide(permits);
    }

    /** {@code on(key).tryAcquire()}, without the view. */
    default boolean tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /** {@code on(key).tryAcquire(permits)}, without the view. */
    default boolean tryAcquire(String key, int permits) {
        return on(key).tryAcquire(permits);
    }

    /**
     * The methods of a limiter for callers whose thread must not block.
     *
     * <p>A future is completed by a thread of the backend's client, or of the limiter's own if the backend does not answer,
     * or of the common pool after a wait. Do not block in what depends on it, which would delay others; go on with the
     * {@code ...Async} methods of the future instead. Cancelling it withdraws the request if that has not been sent yet, and
     * gives the permits back if it is still waiting for them; in between, they are taken all the same. It fails with
     * {@link LimiterBackendException} if the backend did not decide, nor did the failure policy.
     */
    interface Async {

        /** As {@link Limiter#on}. */
        Async on(String key);

        /** As {@link Limiter#decide(int)}. */
        CompletableFuture<Decision> decide(int permits);

        /** As {@link Limiter#tryAcquire(int)}. */
        CompletableFuture<Boolean> tryAcquire(int permits);

        /** As {@link Limiter#peek(int)}. */
        CompletableFuture<Decision> peek(int permits);

        /** As {@link Limiter#refund(int)}. */
        CompletableFuture<Decision> refund(int permits);

        /** As {@link Limiter#charge(int)}. */
        CompletableFuture<Decision> charge(int permits);

        /** As {@link Limiter#decide()}. */
        default CompletableFuture<Decision> decide() {
            return decide(1);
        }

        /** As {@link Limiter#tryAcquire()}. */
        default CompletableFuture<Boolean> tryAcquire() {
            return tryAcquire(1);
        }
    }
}
