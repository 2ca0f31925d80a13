package io.limiter.internal.lease;

import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.AsyncFailures;
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
 * A pending request for a lease. This is the caller's own future, so a grant detects that it was cancelled.
 *
 * @param <T> the caller's result
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
    private final Function<Decision, T> rejected;
    private final BiConsumer<LimiterBackendException, LeaseRequest<?>> instead;
    private volatile boolean isLocal;

    private LeaseRequest(
            Wanted wanted,
            long nowNanos,
            Function<Lease, T> granted,
            Function<Decision, T> rejected,
            BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        this.instead = instead;
        this.key = wanted.key;
        this.limit = wanted.limit;
        this.permits = wanted.permits;
        this.timeoutNanos = nanos(wanted.timeout);
        this.deadlineNanos = nowNanos + timeoutNanos;
        this.asker = wanted.asker;
        this.mayWait =
                isUrgent() ? EngineObserver.MayWait.UNSEEN : asker.counters().mayWait();
        this.granted = granted;
        this.rejected = rejected;
    }

    /**
     * A request that completes with an empty result if rejected.
     *
     * @param instead completes it if the backend fails
     */
    public static LeaseRequest<Optional<Lease>> tried(
            Wanted wanted, long nowNanos, BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        return new LeaseRequest<>(wanted, nowNanos, Optional::of, rejection -> Optional.empty(), instead);
    }

    /**
     * A request that fails with {@link RateLimitExceededException} if rejected.
     *
     * @param instead completes it if the backend fails
     */
    public static LeaseRequest<Lease> demanded(
            Wanted wanted, long nowNanos, BiConsumer<LimiterBackendException, LeaseRequest<?>> instead) {
        Asker asker = wanted.asker;
        return new LeaseRequest<>(
                wanted,
                nowNanos,
                lease -> lease,
                rejection -> {
                    throw new RateLimitExceededException(
                            asker.key() == null ? asker.limiter() : asker.key(), rejection);
                },
                instead);
    }

    /** Switches to the local fallback, whose failures are final. */
    public LeaseRequest<T> locally(ConcurrencyLimit share) {
        limit = share;
        isLocal = true;
        return this;
    }

    /** Completes this by the failure policy, or exceptionally if there is none. */
    void fail(Throwable error) {
        LimiterBackendException failure =
                AsyncFailures.cause(error) instanceof LimiterBackendException known ? known : null;
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

    /** Whether it has no timeout, or can never be granted. */
    boolean isUrgent() {
        return timeoutNanos == 0 || isInVain();
    }

    /** Whether more permits are requested than the limit has. */
    boolean isInVain() {
        return permits > limit.limit();
    }

    long leftNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    boolean isOverdue(long nowNanos) {
        return leftNanos(nowNanos) <= 0;
    }

    /** Notifies the observer that the caller waits. Idempotent. */
    void waits() {
        if (!isUrgent() && waits.compareAndSet(false, true)) {
            Runnable end = mayWait.begins(asker.counters());
            whenComplete((answer, error) -> end.run());
        }
    }

    /**
     * @return {@code false} if the caller has cancelled and the lease must be released
     */
    public boolean grant(Lease lease, Decision decision) {
        if (isDone()) {
            return false;
        }
        counted(decision);
        return complete(granted.apply(lease));
    }

    public void reject(Decision rejection) {
        if (isDone()) {
            return;
        }
        counted(rejection);
        try {
            complete(rejected.apply(rejection));
        } catch (RateLimitExceededException e) {
            completeExceptionally(e);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        if (error instanceof LimiterBackendException && !isDone()) {
            asker.counters().failed();
        }
        return super.completeExceptionally(error);
    }

    private void counted(Decision decision) {
        asker.counters()
                .decided(asker.limiter(), asker.key(), isLocal ? decision.from(Decision.Source.LOCAL) : decision);
    }

    /** Waits for the result. An interrupt does not end the wait; the interrupt flag is restored afterwards. */
    public T await() {
        try {
            return join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterBackendException failure) {
                throw failure.inThisThread();
            }
            if (e.getCause() instanceof RateLimitExceededException rejection) {
                throw rejection;
            }
            throw e;
        }
    }

    private static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofNanos(LONGEST_NANOS)) > 0 ? LONGEST_NANOS : timeout.toNanos();
    }

    /**
     * Who requests the lease.
     *
     * @param counters counts the decision
     * @param limiter name of the limiter
     * @param key the caller's key; {@code null} for the limiter's own permits
     */
    public record Asker(
            LimiterCounters counters,
            String limiter,
            @Nullable String key) {}

    /**
     * @param asker who requests the lease
     * @param key the backend's key
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
