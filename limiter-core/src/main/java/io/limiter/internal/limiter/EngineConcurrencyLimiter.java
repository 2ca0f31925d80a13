package io.limiter.internal.limiter;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.lease.HeldLeases;
import io.limiter.internal.lease.LeaseRequest;
import io.limiter.internal.lease.UncountedLease;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.spi.Engine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A {@link ConcurrencyLimiter} on an engine. */
public final class EngineConcurrencyLimiter implements ConcurrencyLimiter {

    private static final Request PEEK = new Request(1, 0, true);

    private final String name;
    private final KeySpace keys;
    private final ConcurrencyLimit limit;
    private final Failover engine;
    private final HeldLeases leases;
    private final HeldLeases localLeases;
    private LimiterCounters tally;

    /** One whose failures are the caller's. */
    public EngineConcurrencyLimiter(
            String name, String prefix, ConcurrencyLimit limit, Engine engine, HeldLeases leases) {
        this(name, prefix, limit, Failover.none(engine), leases, leases);
    }

    /**
     * @param leases of the backend; what they fail to decide, the policy does
     * @param localLeases of this JVM
     */
    public EngineConcurrencyLimiter(
            String name,
            String prefix,
            ConcurrencyLimit limit,
            Failover engine,
            HeldLeases leases,
            HeldLeases localLeases) {
        this.localLeases = localLeases;
        this.name = name;
        this.keys = new KeySpace(prefix, name, limit.keySuffix());
        this.limit = limit;
        this.engine = engine;
        this.leases = leases;
        this.tally = LimiterCounters.unseen(prefix, name);
    }

    /** Where decisions are counted; before others see this limiter. */
    void countIn(LimiterCounters factorys) {
        tally = factorys;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public ConcurrencyLimit limit() {
        return limit;
    }

    @Override
    public Optional<Lease> tryAcquire(int permits, Duration timeout) {
        return await(tried(null, keys.own(), permits, timeout));
    }

    @Override
    public Optional<Lease> tryAcquire(String key, int permits, Duration timeout) {
        return await(tried(key, keys.of(key), permits, timeout));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(int permits, Duration timeout) {
        return start(tried(null, keys.own(), permits, timeout));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(String key, int permits, Duration timeout) {
        return start(tried(key, keys.of(key), permits, timeout));
    }

    @Override
    public Lease acquire(int permits, Duration timeout) {
        return await(demanded(null, keys.own(), permits, timeout));
    }

    @Override
    public Lease acquire(String key, int permits, Duration timeout) {
        return await(demanded(key, keys.of(key), permits, timeout));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(int permits, Duration timeout) {
        return start(demanded(null, keys.own(), permits, timeout));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(String key, int permits, Duration timeout) {
        return start(demanded(key, keys.of(key), permits, timeout));
    }

    @Override
    public Decision peek() {
        return engine.decide(keys.own(), limit, PEEK);
    }

    @Override
    public Decision peek(String key) {
        return engine.decide(keys.of(key), limit, PEEK);
    }

    @Override
    public int inUse() {
        return inUseOf(keys.own());
    }

    @Override
    public int inUse(String key) {
        return inUseOf(keys.of(key));
    }

    private int inUseOf(String backendKey) {
        // By the limit's own number, more permits than that would not be seen, as after a limit was lowered.
        Decision seen = engine.decide(backendKey, limit.withMostPermits(), PEEK);
        if (seen.source() == Decision.Source.BACKEND) {
            return (int) (seen.limit() - seen.remaining());
        }
        int local = localLeases == leases ? 0 : localLeases.permits(backendKey);
        return leases.permits(backendKey) + local;
    }

    @Override
    public void reset() {
        reset(leases, keys.own());
    }

    @Override
    public void reset(String key) {
        reset(leases, keys.of(key));
    }

    private void reset(HeldLeases held, String backendKey) {
        if (held != localLeases) {
            localLeases.reset(backendKey);
        }
        held.reset(backendKey);
    }

    private LeaseRequest<Optional<Lease>> tried(
            @Nullable String key, String backendKey, int permits, Duration timeout) {
        return LeaseRequest.tried(
                wanted(key, backendKey, permits, timeout), leases.ticker().read(), this::instead);
    }

    private LeaseRequest<Lease> demanded(@Nullable String key, String backendKey, int permits, Duration timeout) {
        return LeaseRequest.demanded(
                wanted(key, backendKey, permits, timeout), leases.ticker().read(), this::instead);
    }

    private LeaseRequest.Wanted wanted(@Nullable String key, String backendKey, int permits, Duration timeout) {
        return new LeaseRequest.Wanted(new LeaseRequest.Asker(tally, name, key), backendKey, limit, permits, timeout);
    }

    /** What a request is answered that the backend has not decided. */
    private void instead(LimiterBackendException failure, LeaseRequest<?> request) {
        FailurePolicy policy = engine.policy();
        if (failure.kind() == LimiterBackendException.Kind.CLOSED) {
            request.completeExceptionally(failure);
            return;
        }
        switch (policy.action()) {
            case THROW -> request.completeExceptionally(failure);
            case DENY -> request.refuse(engine.refused(limit));
            case ALLOW -> request.grant(new UncountedLease(), Failover.granted(limit));
            case LOCAL -> localLeases.answerAsync(request.locally(limit.scaled(policy.share())));
        }
    }

    private <T> T await(LeaseRequest<T> request) {
        leases.answer(request);
        return request.await();
    }

    private <T> CompletableFuture<T> start(LeaseRequest<T> request) {
        leases.answerAsync(request);
        return request;
    }

    @Override
    public String toString() {
        return "ConcurrencyLimiter[" + name + ", " + limit + "]";
    }
}
