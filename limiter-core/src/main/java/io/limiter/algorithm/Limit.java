package io.limiter.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * What is allowed: an algorithm and its numbers, as an immutable value. Two limits are equal if they allow the same.
 *
 * <p>A limit is a pure function of time. Implementations read no clock, hold no lock, do no I/O and keep nothing
 * between calls, which is what lets an engine run them in process, under a distributed lock, or (written a second time
 * in Lua) inside Redis, with the same result to the last bit.
 *
 * @param <S> the state kept for each key; a record that Jackson can write and read
 */
public interface Limit<S> {

    /** The class of the state, for the codec that stores it. */
    Class<S> stateType();

    /** The most permits that can be had at once. */
    long capacity();

    /**
     * What stands at the end of the keys of this kind of limit, so that another kind under the same name starts anew
     * instead of reading what is not its own. Every kind has one of its own but the {@link TokenBucket}, whose keys end with
     * nothing, which is the default: a factory rejects to build two kinds for one key.
     * At most 32 letters of ASCII, digits and {@code :._-}, and not {@code :lock} at its end; a limiter of another is rejected.
     */
    default String keySuffix() {
        return "";
    }

    /**
     * Whether a rejection holds until its {@code retryAfter} whatever others do meanwhile, but for giving permits back. If
     * so, it may be repeated until then without asking again.
     */
    default boolean isCacheable(Decision rejection) {
        return true;
    }

    /**
     * Whether the state that a rejection was made from also tells when a request for <em>more</em> permits would be granted.
     * If not, such a request is asked anew.
     */
    default boolean coversLargerRequests() {
        return true;
    }

    /**
     * Whether a state may be forgotten before its time where there is no room for more: then its caller gets at most what
     * was about to come back anyway.
     */
    default boolean isEvictable() {
        return true;
    }

    /**
     * The same limit at a share of its numbers, with states of the same class: what one instance decides under when the
     * backend does not. It admits at most that share of what this one does over any length of time, but always one permit
     * at a time: a limit below that would admit nobody.
     *
     * @param share more than 0, at most 1
     */
    Limit<S> scaled(double share);

    /** How an instance may prefetch permits; {@code null} if it may not. */
    default @Nullable PrefetchTerms prefetch() {
        return null;
    }

    /**
     * Answers one request.
     *
     * <p>A peek or a rejected request changes nothing, so it needs no write. The exceptions, for rejections, are a
     * state that is no longer right whoever asks (it was written under other numbers, or by a clock that has since
     * stepped back), and one that comes into being empty.
     *
     * @param state what the last step left, or {@code null} for a key that was never used, or not for so long that its
     *     state expired
     * @param nowMicros the time, in microseconds since the epoch or any other fixed moment; up to 2109, beyond which a
     *     double of milliseconds no longer tells them apart
     */
    Step<S> step(@Nullable S state, long nowMicros, Request request);

    /**
     * How long a state must be kept so that forgetting it gives nobody a permit.
     *
     * @param nowMicros the time of the step that left the state
     * @return milliseconds, at least 1
     */
    long lifetimeMillis(S state, long nowMicros);
}
