package io.limiter.internal.resilience;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An engine with a {@link FailurePolicy} that decides when the engine fails. One for each policy; those of a factory
 * share the engine and the local fallback.
 *
 * <p>Permits are returned to where they were taken from; see {@link #cancel}.
 */
public final class Failover implements Pending.Fallback<Outcome> {

    private static final AsyncLog log = AsyncLog.of(Failover.class);
    private static final LogThrottle unsettled = new LogThrottle();

    private final Engine engine;
    private final @Nullable ImmediateEngine immediate;
    private final Engine forUnknown;
    private final FailurePolicy policy;
    private final Engine local;
    private final Instances instances;
    private final PolicyDecisions decisions;
    private final long retryAfterMicros;

    /** The only instance. */
    public Failover(Engine engine, FailurePolicy policy, Engine local, long retryAfterMicros) {
        this(engine, policy, local, new Instances(), PolicyDecisions.NONE, retryAfterMicros);
    }

    /**
     * @param local decides in this JVM
     * @param instances that share the limits
     * @param decisions reports each failure for which the policy decides
     * @param retryAfterMicros retry-after of rejections by the policy {@code deny}; more than 0
     */
    public Failover(
            Engine engine,
            FailurePolicy policy,
            Engine local,
            Instances instances,
            PolicyDecisions decisions,
            long retryAfterMicros) {
        this.engine = engine;
        this.immediate = engine instanceof ImmediateEngine some ? some.first() : null;
        this.forUnknown = immediate == null ? engine : immediate.forUnknown();
        this.policy = policy;
        this.local = local;
        this.instances = instances;
        this.decisions = decisions;
        this.retryAfterMicros = retryAfterMicros;
        if (policy.action() == FailurePolicy.Action.OWNER) {
            instances.wantOwners();
        }
    }

    /** Without a policy: failures of the engine are thrown. */
    public static Failover none(Engine engine) {
        return new Failover(engine, FailurePolicy.THROW, engine, 1);
    }

    /** The same engine and local fallback with another policy. */
    public Failover with(FailurePolicy newPolicy) {
        return newPolicy.equals(policy)
                ? this
                : new Failover(engine, newPolicy, local, instances, decisions, retryAfterMicros);
    }

    /** The engine that may fail. */
    public Engine engine() {
        return engine;
    }

    public FailurePolicy policy() {
        return policy;
    }

    /** The share of a limit that this JVM decides under alone. */
    public double share() {
        return policy.share(instances.count());
    }

    /** The engine that may decide a request at once; {@code null} if none does. */
    public @Nullable ImmediateEngine immediate() {
        return immediate;
    }

    /** Decides synchronously a request that {@link #immediate} has not seen. */
    public Outcome decide(String key, LimitStep<?> limit, Request request) {
        return decide(key, limit, request, false);
    }

    /**
     * Decides synchronously.
     *
     * @param unknown whether {@link #immediate} did not know it a moment ago
     * @throws LimiterBackendException if the backend failed and the policy is {@code throw}
     */
    public Outcome decide(String key, LimitStep<?> limit, Request request, boolean unknown) {
        Outcome decision = immediate == null ? null : immediate.decide(key, limit, request);
        if (decision != null) {
            return decision;
        }
        PendingRequest pending = new PendingRequest(key, limit, request, this);
        pending.decideBy(unknown ? forUnknown : engine);
        return pending.await();
    }

    /** As {@link #decide}, without blocking the calling thread. */
    public PendingRequest start(String key, LimitStep<?> limit, Request request) {
        PendingRequest pending = new PendingRequest(key, limit, request, this);
        pending.decideBy(engine);
        return pending;
    }

    /**
     * Decides a limit set.
     *
     * @param policies one for each part, in their order, all with this one's engine
     */
    public static PendingSet start(List<KeyRequests<?>> parts, List<Failover> policies) {
        PendingSet pending = new PendingSet(parts, new Pending.Fallback<>() {
            @Override
            public List<@Nullable Outcome> answer(
                    LimiterBackendException failure, Pending<List<@Nullable Outcome>> same) {
                return decideSet(failure, parts, policies);
            }

            @Override
            public CompletableFuture<?> returnUnused(
                    List<@Nullable Outcome> decisions, Pending<List<@Nullable Outcome>> same) {
                List<CompletableFuture<?>> returned = new ArrayList<>(parts.size());
                // A rejected set has taken nothing, also of the parts that would have granted.
                if (decisions.stream().allMatch(decision -> decision != null && decision.isGranted())) {
                    for (int i = 0; i < parts.size(); i++) {
                        KeyRequests<?> part = parts.get(i);
                        returned.add(policies.get(i)
                                .returnUnused(decisions.get(i), part.key(), part.limit(), part.request()));
                    }
                }
                return CompletableFuture.allOf(returned.toArray(CompletableFuture[]::new));
            }
        });
        pending.decideBy(policies.get(0).engine);
        return pending;
    }

    @Override
    public Outcome answer(LimiterBackendException failure, Pending<Outcome> pending) {
        PendingRequest one = (PendingRequest) pending;
        return switch (actionAfter(failure, one.key())) {
            case THROW -> throw failure;
            case DENY -> rejected(one.limit(0));
            case ALLOW -> granted(one.limit(0));
            case LOCAL, OWNER -> locally(one, failure);
        };
    }

    private Outcome locally(PendingRequest one, LimiterBackendException failure) {
        // The backend may have refunded them; refunded here too, they would be granted twice.
        boolean onlyPeeks = one.request(0).action() == Request.Action.REFUND && failure.isAmbiguous();
        Request request = onlyPeeks ? one.request(0).asPeek() : one.request(0);
        return PendingRequest.start(local, one.key(), one.limit(0).scaled(share()), request)
                .await()
                .withSource(onlyPeeks ? Decision.Source.POLICY : Decision.Source.LOCAL);
    }

    @Override
    public CompletableFuture<?> returnUnused(Outcome decision, Pending<Outcome> pending) {
        PendingRequest one = (PendingRequest) pending;
        return returnUnused(decision, one.key(), one.limit(0), one.request(0));
    }

    private CompletableFuture<?> returnUnused(
            @Nullable Outcome decision, String key, LimitStep<?> limit, Request request) {
        if (decision == null || !decision.isGranted() || request.action() != Request.Action.TAKE) {
            return CompletableFuture.completedFuture(null);
        }
        return cancel(decision, key, limit, request.permits(), request.permits())
                .exceptionally(e -> {
                    log.warn(
                            "{} unused permits of '{}' could not be returned.", request.permits(), ShownKey.of(key), e);
                    return null;
                });
    }

    /**
     * What the policy does about a key after a failure, which is reported, because the limit does not hold for the fleet meanwhile.
     *
     * @return {@code LOCAL} if this instance owns the key under {@code OWNER}, otherwise {@code DENY}
     */
    public FailurePolicy.Action actionAfter(LimiterBackendException failure, String key) {
        if (failure.kind() == Kind.CLOSED) {
            return FailurePolicy.Action.THROW;
        }
        decisions.decides(failure);
        if (BackendFailures.isQueueFull(failure) && policy.action() != FailurePolicy.Action.THROW) {
            // The backend grants the whole limit, so whatever else is granted would exceed it.
            return FailurePolicy.Action.DENY;
        }
        if (policy.action() == FailurePolicy.Action.OWNER) {
            return instances.owns(key) ? FailurePolicy.Action.LOCAL : FailurePolicy.Action.DENY;
        }
        return policy.action();
    }

    /** A rejection by the policy. */
    public Outcome rejected(LimitStep<?> limit) {
        return new Outcome(
                Verdict.rejected(limit.capacity(), 0, retryAfterMicros, retryAfterMicros), Decision.Source.POLICY);
    }

    public static Outcome granted(LimitStep<?> limit) {
        return new Outcome(Verdict.granted(limit.capacity(), limit.capacity(), 0), Decision.Source.POLICY);
    }

    /**
     * The decisions of the failure policies for a limit set: all granted and taken, or none taken.
     *
     * @param policies one for each part, in their order
     * @throws LimiterBackendException the failure, if one of the policies is {@code throw}
     */
    private static List<@Nullable Outcome> decideSet(
            LimiterBackendException failure, List<KeyRequests<?>> parts, List<Failover> policies) {
        boolean rejected = false;
        List<FailurePolicy.Action> actions = new ArrayList<>(parts.size());
        List<KeyRequests<?>> localParts = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            FailurePolicy.Action action =
                    policies.get(i).actionAfter(failure, parts.get(i).key());
            actions.add(action);
            if (action == FailurePolicy.Action.THROW) {
                throw failure;
            }
            rejected |= action == FailurePolicy.Action.DENY;
            if (action == FailurePolicy.Action.LOCAL) {
                localParts.add(parts.get(i).scaled(policies.get(i).share()));
            }
        }
        Iterator<@Nullable Outcome> local = localParts.isEmpty()
                ? Collections.emptyIterator()
                : decideLocally(policies.get(0).local, localParts, rejected).iterator();
        List<@Nullable Outcome> decisions = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Failover part = policies.get(i);
            LimitStep<?> limit = parts.get(i).limit();
            decisions.add(
                    switch (actions.get(i)) {
                        case LOCAL, OWNER -> local.next();
                        case DENY -> part.rejected(limit);
                        case ALLOW, THROW -> granted(limit);
                    });
        }
        return decisions;
    }

    private static List<@Nullable Outcome> decideLocally(Engine local, List<KeyRequests<?>> parts, boolean onlyPeeks) {
        List<@Nullable Outcome> decisions = new ArrayList<>(parts.size());
        if (onlyPeeks) {
            for (KeyRequests<?> part : parts) {
                decisions.add(PendingRequest.start(
                                local, part.key(), part.limit(), part.request().asPeek())
                        .await());
            }
        } else {
            PendingSet pending = new PendingSet(parts, null);
            pending.decideBy(local);
            decisions.addAll(pending.await());
        }
        decisions.replaceAll(decision -> decision == null ? null : decision.withSource(Decision.Source.LOCAL));
        return decisions;
    }

    /**
     * Returns permits to where they were taken from. If the backend fails, they are lost: the limit is stricter for a
     * while, not looser.
     *
     * @param taken the decision that granted them
     * @param of how many it granted
     * @return the decision, from the policy if no permits were returned; fails if the backend fails and the policy is {@code
     *     throw}
     */
    public PendingRequest cancel(Outcome taken, String key, LimitStep<?> limit, long permits, long of) {
        boolean isLocal = taken.source() == Decision.Source.LOCAL;
        LimitStep<?> granting = isLocal ? limit.scaled(share()) : limit;
        PendingRequest cancellation = new PendingRequest(
                key,
                granting,
                granting.cancelSome(permits, of, taken.verdict()),
                (failure, same) -> lost(failure, key, limit));
        if (taken.source() == Decision.Source.POLICY || taken.source() == Decision.Source.OVERRIDE) {
            // None were taken.
            cancellation.complete(granted(limit));
        } else {
            cancellation.decideBy(isLocal ? local : engine);
        }
        return cancellation;
    }

    /**
     * Charges a limit for a rejection where that was decided: in the backend, also if it is unavailable by now, or in the local
     * fallback.
     *
     * @return the decision; fails if the backend fails, whatever the policy
     */
    public PendingRequest charge(Outcome rejection, String key, LimitStep<?> limit, long permits) {
        boolean isLocal = rejection.source() == Decision.Source.LOCAL;
        LimitStep<?> charged = isLocal ? limit.scaled(share()) : limit;
        return PendingRequest.start(isLocal ? local : engine, key, charged, Request.charge(permits));
    }

    private Outcome lost(LimiterBackendException failure, String key, LimitStep<?> limit) {
        if (actionAfter(failure, key) == FailurePolicy.Action.THROW) {
            throw failure;
        }
        log.warn(
                unsettled,
                "Permits could not be returned or charged after a reservation: {}. They stay as they were reserved.",
                failure.getMessage());
        return granted(limit);
    }

    /** Deletes the state of a key, in the local fallback too. */
    public CompletableFuture<Void> reset(String key) {
        return local == engine ? engine.reset(key) : local.reset(key).thenCompose(done -> engine.reset(key));
    }
}
