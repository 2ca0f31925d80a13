package io.limiter.internal.waiting;

import io.limiter.Decision;
import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.WaitingCaller;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller's request with a timeout. While limits that do not reserve reject it, and their retry-after lies within the timeout, it
 * waits in a {@link WaitQueue} and is decided again. Completed with the last decision, which alone is counted.
 *
 * @param a decision, or that of a set
 */
public abstract class WaitingRequest extends WaitingCaller<Outcome> {

    /** Of a decision after which the request is not decided again. */
    protected static final long FINAL = 0;

    private final WaitingRoom room;
    private final long startNanos;
    // Guarded by this object's monitor.
    private @Nullable Ask current;
    private boolean givenUp;
    // Set before it waits.
    private boolean hasWaited;

    /**
     * @param room that of the limiter; of a set, of the first one
     * @param timeoutMicros the longest time that it may wait
     */
    protected WaitingRequest(WaitingRoom room, long timeoutMicros) {
        this(room, timeoutMicros, room.ticker().read());
    }

    private WaitingRequest(WaitingRoom room, long timeoutMicros, long nowNanos) {
        super(nowNanos, 1000 * timeoutMicros);
        this.room = room;
        this.startNanos = nowNanos;
    }

    /**
     * A decision that is under way.
     *
     * @param ask the request
     * @param decision its result
     */
    public record Started(Ask ask, CompletableFuture<Outcome> decision) {}

    /** Decides for the first time, in this thread. */
    protected abstract Outcome decideFirst();

    /** Starts a decision under the current limits. */
    protected abstract Started startDecision();

    /** How long after a rejection the request is decided again, in microseconds; {@link #FINAL} if it is not. */
    protected abstract long retryMicros(Outcome rejection);

    /** How many more requests like this one may be granted after a grant. */
    protected abstract long moreAfter(Outcome grant);

    protected abstract void count(Outcome decision);

    protected abstract void countFailure();

    /**
     * Equal for the requests that share a queue. A rejection of one is final for those of an earlier deadline first.
     */
    protected abstract Object queueKey();

    /** The key of the permits, or one of them, for errors. */
    protected abstract String key();

    /**
     * Whether it may stand in a queue before it was decided. Called once, with callers in the queue: it must be false for what is
     * decided in another way, such as a key that is exempt.
     */
    protected abstract boolean mayJoin();

    /** Whether it may wait at all, and not only be decided again. */
    protected boolean mayWait() {
        return true;
    }

    /** The caller starts to wait. */
    protected abstract Runnable waitBegins(Outcome rejection);

    /**
     * {@link #retryMicros} of one limit, at a timeout of the caller.
     *
     * @param reservesAhead whether the limit has decided about the timeout
     */
    protected final long retryMicros(boolean reservesAhead, Outcome rejection, long timeoutMicros) {
        long micros = rejection.retryAfterMicros();
        boolean again = !reservesAhead
                // In an outage, the policy's answer is the answer.
                && rejection.source() != Decision.Source.POLICY
                // A ban rejects immediately, even if it ends within the timeout.
                && rejection.source() != Decision.Source.OVERRIDE
                && micros <= leftMicros(timeoutMicros);
        return again ? micros : FINAL;
    }

    /** What is left of a timeout; rounded down. */
    private long leftMicros(long timeoutMicros) {
        return Math.max(0, timeoutMicros - (room.ticker().read() - startNanos + 999) / 1000);
    }

    /** The timeouts of the next decisions of limits that reserve: all of them the first time, then what is left. */
    protected final long[] nextMicros(long... timeoutsMicros) {
        return hasWaited ? Arrays.stream(timeoutsMicros).map(this::leftMicros).toArray() : timeoutsMicros;
    }

    /** As {@link #start}, and waits for the last decision. */
    public final Outcome decideNow() {
        if (!joins()) {
            Outcome first;
            try {
                first = decideFirst();
            } catch (LimiterBackendException e) {
                countFailure();
                throw e;
            }
            goOn(first);
        }
        return AsyncFailures.join(this);
    }

    /** Decides this, and again as long as it waits. */
    public final void start() {
        if (joins()) {
            return;
        }
        decide().whenComplete((decision, error) -> {
            if (error == null) {
                goOn(decision);
            } else {
                fail(error);
            }
        });
    }

    /** Stands behind those that wait for the same permits, because it must not overtake them. */
    private boolean joins() {
        if (!room.isWaitedFor()) {
            return false;
        }
        WaitQueue queue = room.find(queueKey());
        if (queue == null || !mayJoin() || !room.tryEnter()) {
            return false;
        }
        hasWaited = true;
        boolean joined = false;
        try {
            joined = queue.join(this);
        } finally {
            if (!joined) {
                hasWaited = false;
                room.leave();
            }
        }
        if (joined) {
            whenComplete((decision, error) -> room.leave());
        }
        return joined;
    }

    private void goOn(Outcome first) {
        try {
            decided(first);
        } catch (RuntimeException | Error e) {
            // For example if there is no thread for a timer: nothing else would complete this.
            fail(e);
        }
    }

    private void decided(Outcome first) {
        long micros = first.isGranted() ? FINAL : retryMicros(first);
        if (micros == FINAL || !room.tryEnter()) {
            answer(first);
            return;
        }
        // First: what follows may fail.
        whenComplete((decision, error) -> room.leave());
        hasWaited = true;
        waits(first);
        Object queueKey = queueKey();
        WaitQueue queue = room.queue(queueKey);
        while (!queue.add(this, first, micros)) {
            // It has ended. Whoever has ended it may not have a processor now, so nothing waits for that.
            room.remove(queueKey, queue);
            queue = room.queue(queueKey);
        }
    }

    /** Says that the caller waits. */
    final void waits(Outcome rejection) {
        Runnable end = waitBegins(rejection);
        whenComplete((decision, error) -> end.run());
    }

    /** Fails, because the limiters were closed while this waited. */
    final void closed() {
        fail(BackendFailures.closed(key()));
    }

    final CompletableFuture<Outcome> decide() {
        Started started = startDecision();
        if (hasWaited) {
            // If the limiters are closed in between, its grant is still given to the caller.
            room.waits().returning(started::decision);
        }
        boolean unwanted;
        synchronized (this) {
            current = started.ask();
            unwanted = givenUp;
        }
        if (unwanted) {
            started.ask().giveUp();
        }
        return started.decision();
    }

    /**
     * Withdraws this, or returns its permits. To be called once.
     *
     * @return completed when they are returned
     */
    public final CompletableFuture<?> giveUp() {
        Ask last;
        synchronized (this) {
            givenUp = true;
            last = current;
        }
        cancel(false);
        // A rejection has taken nothing.
        return last == null ? CompletableFuture.completedFuture(null) : last.giveUp();
    }

    final void answer(Outcome decision) {
        if (!isDone()) {
            try {
                count(decision);
            } finally {
                complete(decision);
            }
        }
    }

    final void fail(Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        if (completeExceptionally(cause) && cause instanceof LimiterBackendException) {
            countFailure();
        }
    }
}
