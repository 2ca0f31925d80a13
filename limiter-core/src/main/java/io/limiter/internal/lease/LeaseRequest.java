package io.limiter.internal.lease;

import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a lease, for a while. The very future that the caller has, so that whoever grants knows whether it was
 * cancelled.
 *
 * @param <T> what the caller is answered
 */
public final class LeaseRequest<T> extends CompletableFuture<T> {

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private final String key;
    private volatile ConcurrencyLimit limit;
    private final int permits;
    private final long timeoutNanos;
    private final long deadlineNanos;
    private final Asker asker;
    private final EngineObserver.MayWait mayWait;
    private final AtomicBoolean waits = new AtomicBoolean();
    private final Function<Lease, T> granted;
    private final Function<Decision, T> refused;
    private final BiConsumer<LimiterBackendException, LeaseRequest<?>> instead;
    private volatile boolean isLocal;

    private LeaseRequest(
            Wanted wanted,
            long nowNanos,
            Function<Lease, T> granted,
            Function<Decision, T> refused,
            BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        this.instead = instead;
        this.key = wanted.key;
        this.limit = wanted.limit;
        this.permits = wanted.permits;
        this.timeoutNanos = nanos(wanted.timeout);
        this.deadlineNanos = nowNanos + timeoutNanos;
        this.asker = wanted.asker;
        this.mayWait =
                isUrgent() ? EngineObserver.MayWait.UNSEEN : asker.tally().mayWait();
        this.granted = granted;
        this.refused = refused;
    }

    /**
     * Is answered with nothing if refused.
     *
     * @param instead sees to it that it is answered if the backend does not decide
     */
    public static LeaseRequest<Optional<Lease>> tried(
            Wanted wanted, long nowNanos, BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        return new LeaseRequest<>(wanted, nowNanos, Optional::of, refusal -> Optional.empty(), instead);
    }

    /**
     * Fails if refused.
     *
     * @param instead sees to it that it is answered if the backend does not decide
     */
    public static LeaseRequest<Lease> demanded(
            Wanted wanted, long nowNanos, BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        Asker asker = wanted.asker;
        return new LeaseRequest<>(
                wanted,
                nowNanos,
                lease -> lease,
                refusal -> {
                    throw new RateLimitExceededException(asker.key() == null ? asker.limiter() : asker.key(), refusal);
                },
                instead);
    }

    /** The same request to this JVM alone, whose failures are final. */
    public LeaseRequest<T> locally(ConcurrencyLimit share) {
        limit = share;
        isLocal = true;
        return this;
    }

    /** It could not be decided. */
    void fail(Throwable error) {
        LimiterBackendException failure = Failover.failureOf(error);
        if (failure == null || isLocal || isDone()) {
            completeExceptionally(error);
        } else {
            instead.accept(failure, this);
        }
    }

    String key() {
        return key;
    }

    ConcurrencyLimit limit() {
        return limit;
    }

    int permits() {
        return permits;
    }

    /** Whether waiting is not wanted, or would be in vain. */
    boolean isUrgent() {
        return timeoutNanos == 0 || isInVain();
    }

    /** More than there can ever be. */
    boolean isInVain() {
        return permits > limit.limit();
    }

    long leftNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    boolean isOverdue(long nowNanos) {
        return leftNanos(nowNanos) <= 0;
    }

    /** The caller has to wait for permits; said once or more. */
    void waits() {
        if (!isUrgent() && waits.compareAndSet(false, true)) {
            Runnable end = mayWait.begins(asker.tally());
            whenComplete((answer, error) -> end.run());
        }
    }

    /**
     * @return whether the caller has the lease now; otherwise it has cancelled
     */
    public boolean grant(Lease lease, Decision decision) {
        if (isDone()) {
            return false;
        }
        counted(decision);
        return complete(granted.apply(lease));
    }

    public void refuse(Decision refusal) {
        if (isDone()) {
            return;
        }
        counted(refusal);
        try {
            complete(refused.apply(refusal));
        } catch (RateLimitExceededException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        if (error instanceof LimiterBackendException && !isDone()) {
            asker.tally().failed();
        }
        return super.completeExceptionally(error);
    }

    private void counted(Decision decision) {
        asker.tally().decided(asker.limiter(), asker.key(), isLocal ? decision.from(Decision.Source.LOCAL) : decision);
    }

    /** Waits for the answer. An interrupt does not end the wait, but is set again at its end. */
    public T await() {
        try {
            return join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterBackendException failure) {
                throw failure.inThisThread();
            }
            if (e.getCause() instanceof RateLimitExceededException refusal) {
                throw refusal;
            }
            throw e;
        }
    }

    private static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofNanos(LONGEST_NANOS)) > 0 ? LONGEST_NANOS : timeout.toNanos();
    }

    /**
     * Who asks.
     *
     * @param tally where the answer is counted
     * @param limiter its name
     * @param key the caller's; {@code null} for the limiter's own permits
     */
    public record Asker(
            LimiterCounters tally, String limiter, @Nullable String key) {}

    /**
     * @param asker who asks
     * @param key the whole key
     * @param permits at least 1
     * @param timeout at least 0
     */
    public record Wanted(Asker asker, String key, ConcurrencyLimit limit, int permits, Duration timeout) {

        public Wanted {
            if (permits < 1) {
                throw new IllegalArgumentException("permits must be at least 1, was " + permits);
            }
            if (timeout.isNegative()) {
                throw new IllegalArgumentException("timeout must not be negative, was " + timeout);
            }
        }
    }
}
