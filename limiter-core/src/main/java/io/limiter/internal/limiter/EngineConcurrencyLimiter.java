package io.limiter.internal.limiter;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.LeaseRequest;
import io.limiter.internal.lease.Leases;
import io.limiter.internal.lease.UncountedLease;
import io.limiter.internal.live.override.ChangeableLimit;
import io.limiter.internal.live.override.Overrides;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A {@link ConcurrencyLimiter} on an engine, or a view of one of its keys. */
public final class EngineConcurrencyLimiter implements ConcurrencyLimiter {

    private static final Request PEEK = Request.peek(1, 0);

    private final KeySpace keys;
    private final KeyPath path;
    private final ChangeableLimit<ConcurrencyLimit> changeable;
    private final Leases leases;
    private final Leases localLeases;

    /** Without a failure policy: failures are thrown. */
    public EngineConcurrencyLimiter(KeySpace keys, ConcurrencyLimit limit, Engine engine, Leases leases) {
        this(keys, limit, Failover.none(engine), leases, leases);
    }

    /**
     * @param leases leases of the backend; if it fails, the policy decides
     * @param localLeases leases of the local fallback
     */
    public EngineConcurrencyLimiter(
            KeySpace keys, ConcurrencyLimit limit, Failover engine, Leases leases, Leases localLeases) {
        this.keys = keys;
        this.path = KeyPath.own(keys);
        this.changeable = new ChangeableLimit<>(keys.prefix(), keys.name(), limit, engine);
        this.leases = leases;
        this.localLeases = localLeases;
    }

    private EngineConcurrencyLimiter(EngineConcurrencyLimiter limiter, KeyPath path) {
        this.keys = limiter.keys;
        this.path = path;
        this.changeable = limiter.changeable;
        this.leases = limiter.leases;
        this.localLeases = limiter.localLeases;
    }

    /** Sets the counters of its decisions. To be called before any other thread sees this limiter. */
    void countIn(LimiterCounters newCounters) {
        changeable.countIn(newCounters);
    }

    /** To be called when it is built again, which makes no new one. */
    void rebuilt() {
        changeable.rebuilt();
    }

    /** Sets what may change it. To be called before any other thread sees this limiter. */
    void overriddenBy(Overrides overrides, boolean live) {
        changeable.overriddenBy(overrides, live);
    }

    @Override
    public String name() {
        return keys.name();
    }

    @Override
    public ConcurrencyLimit limit() {
        return changeable.limit();
    }

    @Override
    public Optional<String> key() {
        return Optional.ofNullable(path.key());
    }

    @Override
    public ConcurrencyLimiter on(String key) {
        return new EngineConcurrencyLimiter(this, path.on(keys, key));
    }

    @Override
    public Async async() {
        return new AsyncView();
    }

    @Override
    public Optional<Lease> tryAcquire(int permits, Duration timeout) {
        return startTryAcquire(permits, timeout, true).await();
    }

    @Override
    public Lease acquire(int permits, Duration timeout) {
        return startAcquire(permits, timeout, true).await();
    }

    @Override
    public Decision peek() {
        return startPeek(limit()).await();
    }

    @Override
    public int inUse() {
        return inUse(startPeek(limit().withMostPermits()).await());
    }

    private PendingRequest startPeek(ConcurrencyLimit peeked) {
        return changeable.engine().start(path.backendKey(), peeked, PEEK);
    }

    /**
     * @param peeked under the most permits: under the limit itself, permits above it would not be counted, for example after it was
     *     lowered
     */
    private int inUse(Decision peeked) {
        if (peeked.source() == Decision.Source.BACKEND) {
            return (int) (peeked.limit() - peeked.remaining());
        }
        int local = localLeases == leases ? 0 : localLeases.permits(path.backendKey());
        return leases.permits(path.backendKey()) + local;
    }

    @Override
    public void reset() {
        AsyncFailures.join(startReset());
    }

    private CompletableFuture<Void> startReset() {
        String backendKey = path.backendKey();
        return leases == localLeases
                ? leases.reset(backendKey)
                : localLeases.reset(backendKey).thenCompose(done -> leases.reset(backendKey));
    }

    /** Has no lease if rejected. */
    private LeaseRequest<Optional<Lease>> startTryAcquire(int permits, Duration timeout, boolean awaited) {
        return start(awaited, new PolicyRequest<>(permits, timeout, Optional::of, rejection -> Optional.empty()));
    }

    /** Fails if rejected. */
    private LeaseRequest<Lease> startAcquire(int permits, Duration timeout, boolean awaited) {
        return start(awaited, new PolicyRequest<>(permits, timeout, lease -> lease, rejection -> {
            String key = path.countedKey();
            throw new RateLimitExceededException(key == null ? keys.name() : key, rejection);
        }));
    }

    /**
     * @param awaited whether the caller's thread waits for it
     */
    private <T> LeaseRequest<T> start(boolean awaited, LeaseRequest<T> request) {
        leases.acquire(request, awaited);
        return request;
    }

    @Override
    public String toString() {
        return "ConcurrencyLimiter[" + keys.name() + (path.key() == null ? "" : ":" + path.key()) + ", " + limit()
                + "]";
    }

    /** A request whose failures the failure policy decides. */
    private final class PolicyRequest<T> extends LeaseRequest<T> {

        private final Function<Lease, T> granted;
        private final Function<Decision, T> rejected;

        PolicyRequest(int permits, Duration timeout, Function<Lease, T> granted, Function<Decision, T> rejected) {
            super(
                    changeable.counters(),
                    path.backendKey(),
                    limit(),
                    permits,
                    timeout,
                    leases.ticker().read());
            this.granted = granted;
            this.rejected = rejected;
        }

        @Override
        protected T granted(Lease lease) {
            return granted.apply(lease);
        }

        @Override
        protected T rejected(Decision rejection) {
            return rejected.apply(rejection);
        }

        @Override
        protected void count(Decision decision) {
            changeable.counters().decided(keys.name(), path.countedKey(), decision);
        }

        @Override
        protected void fallBack(LimiterBackendException failure) {
            if (failure.kind() == LimiterBackendException.Kind.CLOSED) {
                completeExceptionally(failure);
                return;
            }
            Failover engine = changeable.engine();
            ConcurrencyLimit limit = limit();
            FailurePolicy policy = engine.policy();
            switch (policy.action()) {
                case THROW -> completeExceptionally(failure);
                case DENY -> reject(engine.rejected(limit));
                case ALLOW -> grant(new UncountedLease(), Failover.granted(limit));
                case LOCAL -> localLeases.acquire(locally(limit.scaled(policy.share())), false);
            }
        }
    }

    private final class AsyncView implements Async {

        @Override
        public Async on(String key) {
            return EngineConcurrencyLimiter.this.on(key).async();
        }

        @Override
        public CompletableFuture<Optional<Lease>> tryAcquire(int permits, Duration timeout) {
            return startTryAcquire(permits, timeout, false);
        }

        @Override
        public CompletableFuture<Lease> acquire(int permits, Duration timeout) {
            return startAcquire(permits, timeout, false);
        }

        @Override
        public CompletableFuture<Decision> peek() {
            return startPeek(limit());
        }

        @Override
        public CompletableFuture<Void> reset() {
            return AsyncFailures.outside(startReset());
        }

        @Override
        public CompletableFuture<Integer> inUse() {
            return AsyncFailures.map(startPeek(limit().withMostPermits()), EngineConcurrencyLimiter.this::inUse);
        }
    }
}
