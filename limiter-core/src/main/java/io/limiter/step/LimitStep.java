package io.limiter.step;

import org.jspecify.annotations.Nullable;

/**
 * How a limit decides, and what an engine may assume about it. A limit of your own implements this interface and {@code
 * io.limiter.algorithm.Limit}. Methods that later versions add have a default.
 *
 * <p>A step is a pure function of time. Implementations read no clock, hold no lock, do no I/O and keep nothing
 * between calls. So an engine can run them in process, under a distributed lock, or inside Redis as a Lua script with
 * bit-identical results. They are immutable values with {@code equals}, and equal steps decide alike.
 *
 * @param <S> the state kept for each key, a record that Jackson can write and read
 */
public interface LimitStep<S> {

    /** The class of the state, for the codec that stores it. */
    Class<S> stateType();

    /** The most permits that can be granted together. */
    long capacity();

    /**
     * The suffix of the Redis keys of this kind of limit, so that kinds under the same name do not share a state. Each kind needs its own. The
     * default is empty, which is that of a token bucket. A suffix has at most 32 ASCII letters, digits and {@code :._-}. It must not end with
     * {@code :lock}, and must not be {@code :ban}, which is that of a ban. A factory rejects other suffixes, and two kinds for one key.
     */
    default String keySuffix() {
        return "";
    }

    /**
     * Whether a request may be granted permits that come due later, within its timeout, so that its caller only waits. If not, requests have no
     * timeout. A caller that has one waits for the {@code retryAfter} of a rejection if it lies within the timeout, and is decided again.
     */
    default boolean reservesAhead() {
        return false;
    }

    /**
     * Whether a rejection stays valid until its {@code retryAfter} whatever other requests do, except refunds. If so,
     * the rejection cache may repeat it until then.
     */
    default boolean isCacheable(Verdict rejection) {
        return true;
    }

    /**
     * Whether the state behind a cached rejection also decides a request for <em>more</em> permits. If not, the backend
     * decides such a request.
     */
    default boolean coversLargerRequests() {
        return true;
    }

    /**
     * Whether the step decides requests that {@linkplain Request#takesFewer() take fewer} permits if not all are available. If not, such
     * requests are rejected with an exception.
     */
    default boolean takesFewer() {
        return false;
    }

    /** Whether the step decides requests that {@linkplain Request#leave() leave} permits to others. */
    default boolean leavesPermits() {
        return false;
    }

    /**
     * Whether a full local engine may evict a state before its lifetime ends. The key then gets at most the permits
     * that it would soon have had anyway.
     */
    default boolean isEvictable() {
        return true;
    }

    /**
     * This step scaled to a share, with the same class of states, for the local fallback of one instance. Over any length of time, it grants at most
     * that share of this limit, but always at least one permit at a time, because a smaller limit would grant none.
     *
     * @param share more than 0, at most 1
     */
    LimitStep<S> scaled(double share);

    /**
     * The request that cancels some of the permits that a request was granted.
     *
     * @param of how many were granted
     * @param taken the verdict that granted them
     */
    default Request cancelSome(long permits, long of, Verdict taken) {
        return Request.cancel(permits, taken);
    }

    /**
     * Decides one request.
     *
     * <p>A peek or a rejected request does not change the state, so it needs no write. For a rejection, there are two exceptions: an outdated state
     * (written under another definition, or by a clock that has since stepped back), and a new state that starts empty.
     *
     * @param state the state after the last step, or {@code null} if the key was never used or its state has expired
     * @param nowMicros the time, in microseconds since the epoch or any other fixed moment, up to the year 2109, when a double of milliseconds stops
     *     being exact
     */
    Step<S> step(@Nullable S state, long nowMicros, Request request);

    /**
     * How long a state must be kept so that its expiry creates no permits.
     *
     * @param nowMicros the time of the step that returned the state
     * @return milliseconds, at least 1
     */
    long lifetimeMillis(S state, long nowMicros);
}
