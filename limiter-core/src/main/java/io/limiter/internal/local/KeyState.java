package io.limiter.internal.local;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.step.InPlaceBucket;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The state of one key. Its lock guards all of it; eviction reads the two times without. */
final class KeyState {

    /** Time of a state that must not be evicted before it has expired. */
    static final long NEVER_FULL = Long.MAX_VALUE;

    /** Place of a key without a state. */
    static final int NO_PLACE = -1;

    /** Place of a key that the map no longer holds. */
    static final int REMOVED = -2;

    private static final long NEVER = Long.MIN_VALUE;

    final String key;

    /** Not a monitor, because a contended one passes from thread to thread at nearly every decision, at four times the cost. */
    final ReentrantLock lock = new ReentrantLock();

    /** Where {@link KeyStates} holds it; written under its lock. */
    int place = NO_PLACE;

    private @Nullable Object state;
    private long fullAtMicros = NEVER_FULL;
    private long expiresAtMicros = Long.MAX_VALUE;

    /** When permits were last taken in place. The two times above are as of earlier then, and computed only when needed. */
    private long takenAtMicros = NEVER;

    KeyState(String key) {
        this.key = key;
    }

    boolean isEmpty() {
        return state == null;
    }

    boolean isRemoved() {
        return place == REMOVED;
    }

    /** Whether the map does not count it yet. */
    boolean isNew() {
        return place == NO_PLACE;
    }

    boolean isHeld() {
        return place >= 0;
    }

    boolean hasExpired(long nowMicros) {
        return expiresAtMicros <= nowMicros && expiresAtMicros() <= nowMicros;
    }

    private long expiresAtMicros() {
        long takenAt = takenAtMicros;
        return takenAt != NEVER && state instanceof InPlaceBucket bucket
                ? Math.max(expiresAtMicros, takenAt + bucket.lifetimeMillis(bucket.fullAfterMicros(takenAt)) * 1000)
                : expiresAtMicros;
    }

    /** When the limit is as if never used. */
    long fullAtMicros() {
        long takenAt = takenAtMicros;
        return takenAt != NEVER && state instanceof InPlaceBucket bucket
                ? takenAt + bucket.fullAfterMicros(takenAt)
                : fullAtMicros;
    }

    private void updateTimes() {
        expiresAtMicros = expiresAtMicros();
        fullAtMicros = fullAtMicros();
        takenAtMicros = NEVER;
    }

    boolean isEvictable() {
        return fullAtMicros != NEVER_FULL;
    }

    /** Starts to decide at one moment. */
    <S> Turn<S> turn(LimitStep<S> limit, long nowMicros) {
        return new Turn<>(this, limit, nowMicros);
    }

    /**
     * Takes permits of a bucket as a step does, but allocates nothing; decides only what {@link InPlaceBucket} can.
     *
     * @param nowMicros may be earlier than that of the last decision: then the bucket is as that one has left it
     */
    ImmediateEngine.Known tryTake(TokenBucket limit, long permits, long timeoutMicros, long nowMicros) {
        if (expiresAtMicros <= nowMicros) {
            updateTimes();
        }
        InPlaceBucket bucket = isRemoved() || expiresAtMicros <= nowMicros ? null : inPlace(limit);
        if (bucket == null) {
            return ImmediateEngine.Known.UNKNOWN;
        }
        return switch (bucket.tryTake(permits, timeoutMicros, nowMicros)) {
            case GRANTED -> {
                takenAtMicros = Math.max(takenAtMicros, nowMicros);
                yield ImmediateEngine.Known.GRANTED;
            }
            case REJECTED -> ImmediateEngine.Known.REJECTED;
            case UNDECIDED -> ImmediateEngine.Known.UNKNOWN;
        };
    }

    private @Nullable InPlaceBucket inPlace(TokenBucket limit) {
        if (state instanceof InPlaceBucket same && same.limit() == limit) {
            return same;
        }
        InPlaceBucket other =
                immutableState() instanceof RedisPermits permits ? InPlaceBucket.of(limit, permits) : null;
        if (other != null) {
            updateTimes();
            state = other;
        }
        return other;
    }

    private @Nullable Object immutableState() {
        return state instanceof InPlaceBucket bucket ? bucket.state() : state;
    }

    private <S> @Nullable S load(LimitStep<S> limit, long nowMicros) {
        Object found = hasExpired(nowMicros) ? null : immutableState();
        if (found == null) {
            return null;
        }
        Class<S> type = limit.stateType();
        if (!type.isInstance(found)) {
            throw new LimiterBackendException(
                    Kind.PERMANENT,
                    "unreadable",
                    key,
                    "it holds " + found + ", which is another kind of limit's; use another name or prefix",
                    null,
                    null);
        }
        return type.cast(found);
    }

    private void clear() {
        state = null;
        fullAtMicros = NEVER_FULL;
        expiresAtMicros = Long.MAX_VALUE;
        takenAtMicros = NEVER;
    }

    /** Steps of one limit at one moment, saved together or not at all. */
    static final class Turn<S> {

        private final KeyState held;
        private final LimitStep<S> limit;
        private final long nowMicros;
        private final @Nullable S before;
        private @Nullable S state;
        private long fullAtMicros;
        private long expiresAtMicros;

        private Turn(KeyState held, LimitStep<S> limit, long nowMicros) {
            this.held = held;
            this.limit = limit;
            this.nowMicros = nowMicros;
            this.before = held.load(limit, nowMicros);
            this.state = before;
        }

        Verdict step(Request request) {
            try {
                Step<S> step = limit.step(state, nowMicros, request);
                state = step.state();
                if (state != null && state != before) {
                    keep(state, step.verdict());
                }
                return step.verdict();
            } catch (RuntimeException e) {
                throw BackendFailures.ofLimit(held.key, limit, e, false);
            }
        }

        private void keep(S newState, Verdict decision) {
            expiresAtMicros = nowMicros + limit.lifetimeMillis(newState, nowMicros) * 1000;
            fullAtMicros = limit.isEvictable()
                    ? nowMicros + Math.min(decision.fullAfterMicros(), NEVER_FULL - nowMicros - 1)
                    : NEVER_FULL;
        }

        /** Calls nothing of the limit, so it does not fail. */
        void save() {
            if (state == null || state == before) {
                if (before == null) {
                    held.clear();
                }
                return;
            }
            held.updateTimes();
            held.state = state;
            held.fullAtMicros = fullAtMicros;
            // A state stored under another definition may have to be kept longer than this one needs.
            held.expiresAtMicros = before == null ? expiresAtMicros : Math.max(expiresAtMicros, held.expiresAtMicros);
        }
    }
}
