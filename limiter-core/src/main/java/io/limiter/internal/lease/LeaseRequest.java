package io.limiter.internal.lease;

import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.time.WaitingCaller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A pending request for a lease. This is the caller's own future, so a grant detects that it was cancelled.
 *
 * @param <T> the caller's result
 */
public abstract class LeaseRequest<T> extends WaitingCaller<T> {

    private final LimiterCounters counters;
    private final String key;
    private volatile ConcurrencyLimit limit;
    private final long permits;
    private final boolean hasTimeout;
    private final EngineObserver.MayWait mayWait;
    private final AtomicBoolean waits = new AtomicBoolean();
    private volatile boolean isLocal;

    /**
     * @param counters of the limiter
     * @param key the backend's key
     * @param permits at least 1
     * @param timeout zero or a negative one not to wait
     * @param nowNanos by {@link Leases#ticker}
     */
    protected LeaseRequest(
            LimiterCounters counters,
            String key,
            ConcurrencyLimit limit,
            long permits,
            Duration timeout,
            long nowNanos) {
        super(nowNanos, 1000 * Timeouts.micros(timeout));
        Ranges.permits(permits);
        this.counters = counters;
        this.key = key;
        this.limit = limit;
        this.permits = permits;
        this.hasTimeout = Timeouts.micros(timeout) > 0;
        this.mayWait = mustNotWait() ? EngineObserver.MayWait.NONE : counters.mayWait();
    }

    /** The caller's result if granted. */
    protected abstract T granted(Lease lease);

    /**
     * The caller's result if rejected.
     *
     * @throws RateLimitExceededException if that is the result
     */
    protected abstract T rejected(Outcome rejection);

    /** Counts the decision. */
    protected abstract void count(Outcome decision);

    /** The decision about a key that is exempt or banned by now; {@code null} for all others. */
    protected abstract @Nullable Outcome exemptOrBanned();

    /** The limit that decides about this by now. Live limits change it. */
    protected abstract ConcurrencyLimit currentLimit();

    /** Completes this if {@link #exemptOrBanned} decides. */
    public final boolean endsAtOnce() {
        Outcome known = exemptOrBanned();
        if (known != null) {
            end(known);
        }
        return known != null;
    }

    void end(Outcome known) {
        if (known.isGranted()) {
            grant(new UncountedLease(), known);
        } else {
            reject(known);
        }
    }

    /** Completes this by the failure policy. */
    protected abstract void fallBack(LimiterBackendException failure);

    /** Switches to the local fallback, whose failures are final. */
    public final LeaseRequest<T> locally(ConcurrencyLimit share) {
        limit = share;
        isLocal = true;
        return this;
    }

    /** Completes this by the failure policy, or exceptionally if it does not apply. */
    void fail(Throwable error) {
        Throwable cause = AsyncFailures.cause(error);
        if (cause instanceof LimiterBackendException failure && !isLocal && !isDone()) {
            fallBack(failure);
        } else {
            completeExceptionally(cause);
        }
    }

    String key() {
        return key;
    }

    ConcurrencyLimit limit() {
        return limit;
    }

    boolean hasNewLimit() {
        return !currentLimit().equals(limit);
    }

    /** Requests permits under the current limit from now on. To be called while this is in no queue. */
    void takeNewLimit() {
        limit = currentLimit();
    }

    /** As many as are requested. */
    protected final long permits() {
        return permits;
    }

    /** Whether the caller does not wait: without a timeout, or because it can never be granted. */
    boolean mustNotWait() {
        return !hasTimeout || exceedsLimit();
    }

    /** Whether more permits are requested than the limit has. */
    boolean exceedsLimit() {
        return permits > limit.limit();
    }

    /** Notifies the observer that the caller waits. Idempotent. */
    void waits() {
        if (!mustNotWait() && waits.compareAndSet(false, true)) {
            Runnable end = counters.waitBegins(mayWait);
            whenComplete((result, error) -> end.run());
        }
    }

    /**
     * @return {@code false} if the caller has cancelled and the lease must be released
     */
    public final boolean grant(Lease lease, Outcome decision) {
        if (isDone()) {
            return false;
        }
        countFinal(decision);
        return complete(granted(lease));
    }

    public final void reject(Outcome rejection) {
        if (isDone()) {
            return;
        }
        countFinal(rejection);
        try {
            complete(rejected(rejection));
        } catch (RateLimitExceededException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        if (error instanceof LimiterBackendException && !isDone()) {
            counters.failed();
        }
        return super.completeExceptionally(error);
    }

    private void countFinal(Outcome decision) {
        boolean byFallback = isLocal && decision.source() != Decision.Source.OVERRIDE;
        count(byFallback ? decision.withSource(Decision.Source.LOCAL) : decision);
    }

    /** Waits for the result. An interrupt does not end the wait; the interrupt flag is restored afterwards. */
    public final T await() {
        return AsyncFailures.join(this);
    }
}
