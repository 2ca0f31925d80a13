package io.limiter.engine;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A {@link ConcurrencyLimiter} on an engine. */
public final class EngineConcurrencyLimiter implements ConcurrencyLimiter {

    private static final Request PEEK = new Request(1, 0, true);

    private final String name;
    private final KeySpace keys;
    private final ConcurrencyLimit limit;
    private final Failover engine;
    private final HeldLeases leases;
    private final HeldLeases localLeases;

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
        return await(tried(keys.own(), permits, timeout));
    }

    @Override
    public Optional<Lease> tryAcquire(String key, int permits, Duration timeout) {
        return await(tried(keys.of(key), permits, timeout));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(int permits, Duration timeout) {
        return start(tried(keys.own(), permits, timeout));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(String key, int permits, Duration timeout) {
        return start(tried(keys.of(key), permits, timeout));
    }

    @Override
    public Lease acquire(int permits, Duration timeout) {
        return await(demanded(keys.own(), name, permits, timeout));
    }

    @Override
    public Lease acquire(String key, int permits, Duration timeout) {
        return await(demanded(keys.of(key), key, permits, timeout));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(int permits, Duration timeout) {
        return start(demanded(keys.own(), name, permits, timeout));
    }

    @Override
    public CompletableFuture<Lease> acquireAsync(String key, int permits, Duration timeout) {
        return start(demanded(keys.of(key), key, permits, timeout));
    }

    @Override
    public Decision peek() {
        return engine.decide(keys.own(), limit, PEEK);
    }

    @Override
    public Decision peek(String key) {
        return engine.decide(keys.of(key), limit, PEEK);
    }

    private LeaseRequest<Optional<Lease>> tried(String backendKey, int permits, Duration timeout) {
        return LeaseRequest.tried(
                new LeaseRequest.Wanted(backendKey, limit, permits, timeout),
                leases.ticker().read(),
                this::instead);
    }

    private LeaseRequest<Lease> demanded(String backendKey, String who, int permits, Duration timeout) {
        return LeaseRequest.demanded(
                new LeaseRequest.Wanted(backendKey, limit, permits, timeout),
                leases.ticker().read(),
                who,
                this::instead);
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
            case ALLOW -> request.grant(new UncountedLease());
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
