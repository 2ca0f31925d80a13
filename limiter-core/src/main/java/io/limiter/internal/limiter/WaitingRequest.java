package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Pending;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller's request with a timeout. While limits that do not reserve reject it, and their retry-after lies within the timeout, it
 * waits in a {@link WaitQueue} and is decided again. Completed with the last decision, which alone is counted.
 *
 * @param <D> a decision, or that of a set
 */
abstract class WaitingRequest<D> extends CompletableFuture<D> {

    /** Of a decision after which the request is not decided again. */
    static final long FINAL = 0;

    private final Ticker ticker;
    private final long startNanos;
    private final long deadlineNanos;
    // Guarded by this object's monitor.
    private @Nullable Pending<?> current;
    private boolean givenUp;
    // Set before it waits.
    private boolean hasWaited;
    // Guarded by the queue in which it waits.
    private long number;

    /**
     * @param timeoutMicros the longest time that it may wait
     */
    WaitingRequest(Ticker ticker, long timeoutMicros) {
        this.ticker = ticker;
        this.startNanos = ticker.read();
        this.deadlineNanos = startNanos + 1000 * timeoutMicros;
    }

    /**
     * A decision that is under way.
     *
     * @param pending the request
     * @param decision its result
     */
    record Started<D>(Pending<?> pending, CompletableFuture<D> decision) {}

    /** Starts a decision under the current limits. */
    abstract Started<D> startDecision();

    abstract boolean isGranted(D decision);

    /** How long after a rejection the request is decided again, in microseconds; {@link #FINAL} if it is not. */
    abstract long retryMicros(D rejection);

    /** How many more requests like this one may be granted after a grant. */
    abstract long moreAfter(D grant);

    abstract void count(D decision);

    abstract void countFailure();

    /** The queue of the requests that are like this one. A rejection of one is final for those of an earlier deadline first. */
    abstract WaitQueue<D> queue();

    /** The caller starts to wait. */
    abstract Runnable waitBegins(D rejection);

    /** {@link #retryMicros} of one limit, at a timeout of the caller. */
    final long retryMicros(Limit<?> limit, Decision rejection, long timeoutMicros) {
        long micros = rejection.retryAfterMicros();
        boolean again = !limit.reservesAhead()
                // In an outage, the policy's answer is the answer.
                && rejection.source() != Decision.Source.POLICY
                // A ban rejects at once, also if it ends within the timeout.
                && rejection.source() != Decision.Source.OVERRIDE
                && micros <= leftMicros(timeoutMicros);
        return again ? micros : FINAL;
    }

    /** What is left of a timeout; rounded down. */
    private long leftMicros(long timeoutMicros) {
        return Math.max(0, timeoutMicros - (ticker.read() - startNanos + 999) / 1000);
    }

    /** The timeout of the next decision of a limit that reserves: all of it the first time. */
    final long nextMicros(long timeoutMicros) {
        return hasWaited ? leftMicros(timeoutMicros) : timeoutMicros;
    }

    /** Its place in the queue in which it waits. */
    final void number(long newNumber) {
        number = newNumber;
    }

    /** Orders the requests of a queue by deadline, and equal ones by their place. */
    final int compareDeadline(WaitingRequest<?> other) {
        long later = deadlineNanos - other.deadlineNanos;
        return Long.signum(later == 0 ? number - other.number : later);
    }

    /** How long it may still wait; 0 or less if it must not. */
    final long leftNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    /** Decides this, and again as long as it waits. */
    final void start() {
        decide().whenComplete((decision, error) -> {
            try {
                if (error == null) {
                    decided(decision);
                } else {
                    fail(error);
                }
            } catch (RuntimeException | Error e) {
                // For example if there is no thread for a timer: nothing else would complete this.
                fail(e);
            }
        });
    }

    /** Goes on after the first decision. */
    final WaitingRequest<D> decided(D first) {
        long micros = isGranted(first) ? FINAL : retryMicros(first);
        if (micros == FINAL) {
            answer(first);
            return this;
        }
        hasWaited = true;
        Runnable end = waitBegins(first);
        whenComplete((decision, error) -> end.run());
        while (!queue().add(this, micros)) {
            Thread.onSpinWait();
        }
        return this;
    }

    final CompletableFuture<D> decide() {
        Started<D> started = startDecision();
        boolean unwanted;
        synchronized (this) {
            current = started.pending();
            unwanted = givenUp;
        }
        if (unwanted) {
            started.pending().giveUp();
        }
        return started.decision();
    }

    /** Withdraws this, or returns its permits. To be called once. */
    final void giveUp() {
        Pending<?> last;
        synchronized (this) {
            givenUp = true;
            last = current;
        }
        cancel(false);
        if (last != null) {
            // A rejection has taken nothing.
            last.giveUp();
        }
    }

    final void answer(D decision) {
        if (!isDone()) {
            count(decision);
            complete(decision);
        }
    }

    final void fail(Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        if (completeExceptionally(cause) && cause instanceof LimiterBackendException) {
            countFailure();
        }
    }
}
