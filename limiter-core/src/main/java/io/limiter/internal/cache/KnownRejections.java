package io.limiter.internal.cache;

import com.google.common.base.Ticker;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.KeyRequests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What was refused lately and cannot be granted yet. A refusal says "not before T", and until then it needs no backend to
 * say so again: a request for at least as many permits with no longer a timeout is refused too.
 *
 * <p>That is exact. Other callers can only take permits meanwhile, and time here never runs ahead of the backend's: "not
 * before" counts from when the refused request was <em>sent</em>, which was before it was decided. The reported times
 * count from when the answer <em>arrived</em>, so whoever waits that long does not come too early. A grant drops what is
 * known of its key, so what a refusal says of the rest is as of the last decision made here; what other JVMs have taken
 * since, it does not know.
 *
 * <p>Others can change what is allowed (another rate in another JVM, a key deleted by hand, a backend whose clock steps),
 * so a refusal counts for a second at most. One that was made under another limit does not count.
 *
 * <p>A table of fixed size, in which each key has one place: a refusal that loses its place to another key's costs a call
 * to the backend, nothing else. Reads take no lock and allocate nothing. Safe for use by many threads.
 */
public final class KnownRejections {

    /** How many are kept, unless set. */
    public static final int DEFAULT_SIZE = 16_384;

    private static final int MAX_SIZE = 1 << 24;
    private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();

    private final AtomicReferenceArray<@Nullable Denial<?>> table;
    private final Ticker ticker;

    /**
     * @param size how many are kept, from 0 to 16,777,216; rounded up to a power of two
     */
    public KnownRejections(int size) {
        this(size, Ticker.systemTicker());
    }

    /**
     * @param ticker measures how long ago requests were sent
     */
    public KnownRejections(int size, Ticker ticker) {
        checkSize(size);
        this.table = new AtomicReferenceArray<>(size < 2 ? size : Integer.highestOneBit(size - 1) << 1);
        this.ticker = ticker;
    }

    /**
     * @throws IllegalArgumentException if out of range
     */
    public static void checkSize(int size) {
        if (size < 0 || size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "size of the deny cache must be from 0 to " + MAX_SIZE + ", was " + size);
        }
    }

    /** The time of this table, to be read before a request is sent. */
    public long readNanos() {
        return ticker.read();
    }

    /** Whether such a request is known to be refused now. */
    public boolean refuses(String key, Limit<?> limit, int permits, long timeoutMicros) {
        Denial<?> denial = of(key);
        return denial != null
                && denial.covers(key, limit, permits, timeoutMicros)
                && ticker.read() - denial.notBeforeNanos < 0;
    }

    /** What the backend would answer now, if it is known that it would refuse; otherwise {@code null}. */
    public @Nullable Decision find(String key, Limit<?> limit, Request request) {
        Denial<?> denial = of(key);
        if (denial == null || !denial.covers(key, limit, request.permits(), request.timeoutMicros())) {
            return null;
        }
        long now = ticker.read();
        return now - denial.notBeforeNanos < 0 ? denial.decision(request, now) : null;
    }

    /**
     * Takes note of what the backend decided for a key. Peeks make no difference: the first refusal may have something to
     * save (see {@link Limit#step}), so it must get to the backend.
     *
     * @param state what is stored after the last of the requests
     * @param nowMicros the backend's time at which it decided
     * @param sentNanos {@link #readNanos()} before the requests were sent
     */
    public <S> void decided(
            KeyRequests<S> asked, List<Decision> decisions, @Nullable S state, long nowMicros, long sentNanos) {
        if (table.length() == 0) {
            return;
        }
        boolean onlyPeeks = true;
        for (int i = decisions.size() - 1; i >= 0; i--) {
            if (asked.requests().get(i).peek()) {
                continue;
            }
            onlyPeeks = false;
            if (asked.requests().get(i).action() == Request.Action.GIVE_BACK) {
                // What was refused before may be granted now.
                break;
            }
            if (!decisions.get(i).granted() && asked.limit().holds(decisions.get(i))) {
                long forNanos = Math.min(decisions.get(i).retryAfterMicros(), LONGEST_NANOS / 1000) * 1000;
                Denial<S> denial = new Denial<>(
                        asked.key(),
                        asked.limit(),
                        asked.requests().get(i),
                        state,
                        nowMicros,
                        ticker.read(),
                        sentNanos + forNanos);
                table.set(place(asked.key()), denial);
                return;
            }
        }
        if (!onlyPeeks) {
            forget(asked.key());
        }
    }

    /** Drops what is known of a key. */
    void forget(String key) {
        Denial<?> denial = of(key);
        if (denial != null && denial.key.equals(key)) {
            table.compareAndSet(place(key), denial, null);
        }
    }

    /** How many refusals are known that still hold; looks at each place. */
    public int count() {
        long now = ticker.read();
        int count = 0;
        for (int i = 0; i < table.length(); i++) {
            Denial<?> denial = table.get(i);
            if (denial != null && now - denial.notBeforeNanos < 0) {
                count++;
            }
        }
        return count;
    }

    /** What is in the key's place, perhaps another key's. */
    private @Nullable Denial<?> of(String key) {
        return table.length() == 0 ? null : table.get(place(key));
    }

    private int place(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (table.length() - 1);
    }

    private static final class Denial<S> {

        private final String key;
        private final Limit<S> limit;
        private final Request refused;
        private final @Nullable S state;
        private final long decidedMicros;
        private final long arrivedNanos;
        private final long notBeforeNanos;

        Denial(
                String key,
                Limit<S> limit,
                Request refused,
                @Nullable S state,
                long decidedMicros,
                long arrivedNanos,
                long notBeforeNanos) {
            this.key = key;
            this.limit = limit;
            this.refused = refused;
            this.state = state;
            this.decidedMicros = decidedMicros;
            this.arrivedNanos = arrivedNanos;
            this.notBeforeNanos = notBeforeNanos;
        }

        boolean covers(String otherKey, Limit<?> otherLimit, int permits, long timeoutMicros) {
            return permits >= refused.permits()
                    && timeoutMicros <= refused.timeoutMicros()
                    && key.equals(otherKey)
                    && limit.equals(otherLimit);
        }

        @Nullable
        Decision decision(Request request, long nowNanos) {
            if (request.permits() > refused.permits() && !limit.foreseesLarger()) {
                return null;
            }
            long elapsedMicros = Math.max(0, (nowNanos - arrivedNanos) / 1000);
            Decision decision;
            try {
                decision = limit.step(state, decidedMicros + elapsedMicros, request)
                        .decision();
            } catch (RuntimeException e) {
                // So will the backend's step, and there it is reported.
                return null;
            }
            return decision.granted() ? null : decision.from(Decision.Source.DENY_CACHE);
        }
    }
}
