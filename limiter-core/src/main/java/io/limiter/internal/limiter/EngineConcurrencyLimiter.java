package io.limiter.internal.limiter;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.LeaseRequest;
import io.limiter.internal.lease.Leases;
import io.limiter.internal.lease.UncountedLease;
import io.limiter.internal.named.ChangeableLimit;
import io.limiter.internal.named.EffectiveLimit;
import io.limiter.internal.resilience.Failover;
import io.limiter.step.Request;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link ConcurrencyLimiter} on an engine, or a view of one of its keys. */
public final class EngineConcurrencyLimiter extends KeyView<ChangeableLimit<ConcurrencyLimit>>
        implements ConcurrencyLimiter {

    private static final Request PEEK = Request.peek(1, 0);

    private final KeySpace keys;
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
        super(new ChangeableLimit<>(keys.prefix(), keys.name(), limit, engine), KeyPath.own(keys));
        this.keys = keys;
        this.leases = leases;
        this.localLeases = localLeases;
    }

    private EngineConcurrencyLimiter(EngineConcurrencyLimiter limiter, KeyPath path) {
        super(limiter.bound, path);
        this.keys = limiter.keys;
        this.leases = limiter.leases;
        this.localLeases = limiter.localLeases;
    }

    @Override
    public ConcurrencyLimit limit() {
        return effective().limit();
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
    public Optional<Lease> tryAcquire(long permits, Duration timeout) {
        return startTryAcquire(permits, timeout, true).await();
    }

    @Override
    public Lease acquire(long permits, Duration timeout) {
        return startAcquire(permits, timeout, true).await();
    }

    /** What decides about these permits. */
    private EffectiveLimit<ConcurrencyLimit> effective() {
        return bound.effective(path.text());
    }

    @Override
    public Decision peek() {
        return startPeek(effective()).await().toDecision();
    }

    @Override
    public long inUse() {
        return inUse(startPeekOfUse().await());
    }

    private Ask startPeek(EffectiveLimit<ConcurrencyLimit> peeked) {
        return peeked.failover().start(path.storedKey(), peeked.step(), PEEK);
    }

    private Ask startPeekOfUse() {
        return startPeek(new EffectiveLimit<>(limit().withMostPermits(), bound.failover()));
    }

    /**
     * @param peeked under the most permits: under the limit itself, permits above it would not be counted, for example after it was
     *     lowered
     */
    private long inUse(Outcome peeked) {
        if (peeked.source() == Decision.Source.BACKEND) {
            return peeked.limit() - peeked.remaining();
        }
        long local = localLeases == leases ? 0 : localLeases.permits(path.storedKey());
        return leases.permits(path.storedKey()) + local;
    }

    @Override
    public void reset() {
        AsyncFailures.join(startReset());
    }

    private CompletableFuture<Void> startReset() {
        String storedKey = path.storedKey();
        return leases == localLeases
                ? leases.reset(storedKey)
                : localLeases.reset(storedKey).thenCompose(done -> leases.reset(storedKey));
    }

    /** Has no lease if rejected. */
    private LeaseRequest<Optional<Lease>> startTryAcquire(long permits, Duration timeout, boolean awaited) {
        return start(new PolicyRequest<>(permits, timeout, Optional::of, rejection -> Optional.empty()), awaited);
    }

    /** Fails if rejected. */
    private LeaseRequest<Lease> startAcquire(long permits, Duration timeout, boolean awaited) {
        return start(
                new PolicyRequest<>(permits, timeout, lease -> lease, rejection -> {
                    throw exceeded(rejection.toDecision());
                }),
                awaited);
    }

    /**
     * @param awaited whether the caller's thread waits for it
     */
    private <T> LeaseRequest<T> start(PolicyRequest<T> request, boolean awaited) {
        if (!request.endsAtOnce()) {
            leases.acquire(request, awaited);
        }
        return request;
    }

    @Override
    String kind() {
        return "ConcurrencyLimiter";
    }

    /** A request whose failures the failure policy decides. */
    private final class PolicyRequest<T> extends LeaseRequest<T> {

        private final Function<Lease, T> granted;
        private final Function<Outcome, T> rejected;
        // 1 unless the local fallback decides. It is kept, because a live limit may replace the policy that it belongs
        // to.
        private volatile double share = 1;

        PolicyRequest(long permits, Duration timeout, Function<Lease, T> granted, Function<Outcome, T> rejected) {
            super(
                    bound.counters(),
                    path.storedKey(),
                    effective().limit(),
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
        protected T rejected(Outcome rejection) {
            return rejected.apply(rejection);
        }

        @Override
        protected void count(Outcome decision) {
            bound.counters().decided(name(), path.text(), effective().limit(), permits(), 0, decision);
        }

        @Override
        protected @Nullable Outcome exemptOrBanned() {
            return effective().exemptOrBanned(PEEK);
        }

        @Override
        protected ConcurrencyLimit currentLimit() {
            return effective().limit().scaled(share);
        }

        @Override
        protected void fallBack(LimiterBackendException failure) {
            if (failure.kind() == LimiterBackendException.Kind.CLOSED) {
                completeExceptionally(failure);
                return;
            }
            if (endsAtOnce()) {
                return;
            }
            EffectiveLimit<ConcurrencyLimit> now = effective();
            Failover engine = now.failover();
            ConcurrencyLimit limit = now.limit();
            switch (engine.actionAfter(failure, path.storedKey())) {
                case THROW -> completeExceptionally(failure);
                case DENY -> reject(engine.rejected(limit, PEEK));
                case ALLOW -> grant(new UncountedLease(), Failover.granted(limit));
                case LOCAL, OWNER -> {
                    share = engine.share();
                    localLeases.acquire(locally(limit.scaled(share)), false);
                }
            }
        }
    }

    private final class AsyncView implements Async {

        @Override
        public Async on(String key) {
            return EngineConcurrencyLimiter.this.on(key).async();
        }

        @Override
        public CompletableFuture<Optional<Lease>> tryAcquire(long permits, Duration timeout) {
            return startTryAcquire(permits, timeout, false);
        }

        @Override
        public CompletableFuture<Lease> acquire(long permits, Duration timeout) {
            return startAcquire(permits, timeout, false);
        }

        @Override
        public CompletableFuture<Decision> peek() {
            return AsyncFailures.map(startPeek(effective()), Outcome::toDecision);
        }

        @Override
        public CompletableFuture<Void> reset() {
            return AsyncFailures.outside(startReset());
        }

        @Override
        public CompletableFuture<Long> inUse() {
            return AsyncFailures.map(startPeekOfUse(), EngineConcurrencyLimiter.this::inUse);
        }
    }
}
