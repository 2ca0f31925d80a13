package io.limiter.internal.cache;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Recent rejections that still hold. A rejection says "not before T"; until then, any request that needs at least as many
 * permits, with at most that timeout, is rejected too, without the backend.
 *
 * <p>That is exact. Other callers can only take permits in that time, and the time here never runs ahead of the
 * backend's: T counts from when the rejected request was <em>sent</em>, which was before it was decided. The reported
 * retry-after counts from when the answer <em>arrived</em>, so no caller retries too early. A grant removes the key's
 * rejection, unless it needed fewer permits: callers who leave some to others stay rejected while those are taken. So the other
 * values of a cached rejection, such as remaining, are as of the last decision made in this JVM; permits that other JVMs have taken
 * since are not included.
 *
 * <p>Limits can change elsewhere (another rate in another JVM, a key deleted by hand, a clock step of the backend),
 * so a rejection is cached for a second at most, and only for requests with an equal limit.
 *
 * <p>A hash table of fixed size with one slot for each key: a rejection that is overwritten by another key's costs a
 * call to the backend, nothing else. Reads take no lock and allocate nothing. A rejection that has expired is removed
 * within a second or so, because its state can be large. Safe for use by multiple threads.
 */
public final class KnownRejections {

    /** Default number of cached rejections. */
    public static final int DEFAULT_SIZE = 16_384;

    private static final int MAX_SIZE = 1 << 24;
    private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicReferenceArray<@Nullable Rejection<?>> table;
    private final Ticker ticker;
    private final Sleeper timers;
    private final AtomicBoolean willRemoveExpired = new AtomicBoolean();

    /**
     * @param size maximum number of cached rejections, from 0 to 16,777,216; rounded up to a power of two
     * @param ticker measures how long ago a request was sent
     */
    public KnownRejections(int size, Ticker ticker) {
        this(size, ticker, Sleeper.UNINTERRUPTIBLE);
    }

    /**
     * @param timers expired rejections are removed by a timer of these
     */
    KnownRejections(int size, Ticker ticker, Sleeper timers) {
        checkSize(size);
        this.timers = timers;
        this.table = new AtomicReferenceArray<>(size < 2 ? size : Integer.highestOneBit(size - 1) << 1);
        this.ticker = ticker;
    }

    /**
     * @throws IllegalArgumentException if out of range
     */
    public static void checkSize(int size) {
        if (size < 0 || size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "size of the rejection cache must be from 0 to " + MAX_SIZE + ", was " + size);
        }
    }

    /** The current time of this cache, to be read before a request is sent. */
    public long readNanos() {
        return ticker.read();
    }

    /** Whether a cached rejection applies to such a request. */
    public boolean rejects(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        Rejection<?> rejection = of(key);
        return rejection != null
                && rejection.covers(key, limit, permits, timeoutMicros)
                && ticker.read() - rejection.notBeforeNanos < 0;
    }

    /** The cached rejection that the backend would return now; {@code null} if there is none. */
    public @Nullable Outcome find(String key, LimitStep<?> limit, Request request) {
        Rejection<?> rejection = of(key);
        if (rejection == null || !rejection.covers(key, limit, request.needed(), request.timeoutMicros())) {
            return null;
        }
        long now = ticker.read();
        return now - rejection.notBeforeNanos < 0 ? rejection.outcome(request, now) : null;
    }

    /**
     * Records the verdicts of the backend for a key. Peeks are ignored: the first rejection may change the stored
     * state (see {@link LimitStep#step}), so it must reach the backend. So are prefetches, which are for any number of permits.
     *
     * @param state the state after the last of the requests
     * @param nowMicros server time of the decisions, in microseconds since the epoch
     * @param sentNanos {@link #readNanos()} from before the requests were sent
     */
    public <S> void decided(
            KeyRequests<S> keyRequests, List<Verdict> verdicts, @Nullable S state, long nowMicros, long sentNanos) {
        if (table.length() == 0) {
            return;
        }
        boolean onlyPeeks = true;
        long mostGranted = 0;
        for (int i = verdicts.size() - 1; i >= 0; i--) {
            Request request = keyRequests.requests().get(i);
            if (request.isPeek() || request.action() == Request.Action.PREFETCH) {
                continue;
            }
            onlyPeeks = false;
            if (request.action() == Request.Action.REFUND) {
                // Earlier rejections may not hold any more.
                mostGranted = Long.MAX_VALUE;
                break;
            }
            if (!verdicts.get(i).isGranted() && keyRequests.limit().isCacheable(verdicts.get(i))) {
                long forNanos = Math.min(verdicts.get(i).retryAfterMicros(), LONGEST_NANOS / 1000) * 1000;
                Rejection<S> rejection = new Rejection<>(
                        keyRequests.key(),
                        keyRequests.limit(),
                        request,
                        state,
                        nowMicros,
                        ticker.read(),
                        sentNanos + forNanos);
                table.set(slot(keyRequests.key()), rejection);
                removeExpiredLater();
                return;
            }
            mostGranted = Math.max(
                    mostGranted,
                    request.action() == Request.Action.TAKE
                            ? request.neededFor(verdicts.get(i).takenBy(request))
                            : Long.MAX_VALUE);
        }
        if (!onlyPeeks) {
            granted(keyRequests.key(), keyRequests.limit(), mostGranted, state, nowMicros);
        }
    }

    /** Removes the rejection of a key, unless that is of more permits than were granted: what remains has changed then. */
    private <S> void granted(String key, LimitStep<S> limit, long permits, @Nullable S state, long nowMicros) {
        Rejection<?> known = of(key);
        if (known == null || !known.key.equals(key)) {
            return;
        }
        Request rejected = known.rejected;
        Rejection<?> left = permits >= rejected.needed() || !known.limit.equals(limit)
                ? null
                : limit.coversLargerRequests()
                        ? new Rejection<>(key, limit, rejected, state, nowMicros, ticker.read(), known.notBeforeNanos)
                        : known;
        table.compareAndSet(slot(key), known, left);
    }

    /** Removes the rejection of a key. */
    void forget(String key) {
        Rejection<?> rejection = of(key);
        if (rejection != null && rejection.key.equals(key)) {
            table.compareAndSet(slot(key), rejection, null);
        }
    }

    /** The number of cached rejections that still hold; scans the whole table, and removes all others. */
    public int count() {
        long now = ticker.read();
        int count = 0;
        for (int i = 0; i < table.length(); i++) {
            Rejection<?> rejection = table.get(i);
            if (rejection == null) {
                continue;
            }
            if (now - rejection.notBeforeNanos < 0) {
                count++;
            } else {
                table.compareAndSet(i, rejection, null);
            }
        }
        return count;
    }

    /** Sets a timer, unless one is set, because the state of a large log takes megabytes. */
    private void removeExpiredLater() {
        if (willRemoveExpired.get() || !willRemoveExpired.compareAndSet(false, true)) {
            return;
        }
        try {
            timers.later(LONGEST_NANOS / 1000, this::removeExpired);
        } catch (RuntimeException | Error e) {
            // For example OutOfMemoryError for a thread. The next rejection tries again; the decision must not fail.
            willRemoveExpired.set(false);
        }
    }

    private void removeExpired() {
        // First: a rejection that is recorded from here on is seen below, or sets a timer.
        willRemoveExpired.set(false);
        if (count() > 0) {
            removeExpiredLater();
        }
    }

    /** The content of the key's slot, possibly of another key. */
    private @Nullable Rejection<?> of(String key) {
        return table.length() == 0 ? null : table.get(slot(key));
    }

    private int slot(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (table.length() - 1);
    }

    private record Rejection<S>(
            String key,
            LimitStep<S> limit,
            Request rejected,
            @Nullable S state,
            long decidedMicros,
            long arrivedNanos,
            long notBeforeNanos) {

        boolean covers(String otherKey, LimitStep<?> otherLimit, long needed, long timeoutMicros) {
            return (needed == rejected.needed() || needed > rejected.needed() && limit.coversLargerRequests())
                    && timeoutMicros <= rejected.timeoutMicros()
                    && key.equals(otherKey)
                    && limit.equals(otherLimit);
        }

        @Nullable
        Outcome outcome(Request request, long nowNanos) {
            long elapsedMicros = Math.max(0, (nowNanos - arrivedNanos) / 1000);
            Verdict verdict;
            try {
                verdict = limit.step(state, decidedMicros + elapsedMicros, request)
                        .verdict();
            } catch (RuntimeException e) {
                // The backend's step will throw too, and report it.
                return null;
            }
            return verdict.isGranted() ? null : new Outcome(verdict, Decision.Source.REJECTION_CACHE);
        }
    }
}
