package io.limiter.internal.resilience;

import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Fallback;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An engine with a {@link FailurePolicy} that decides when the engine fails. One for each policy; those of a factory
 * share the engine and the local fallback.
 *
 * <p>Permits are returned to where they were taken from; see {@link #cancel}.
 */
public final class Failover implements Fallback {

    private static final AsyncLog log = AsyncLog.of(Failover.class);
    /** How long a caller that was rejected without Redis waits at most until it tries again. */
    private static final long LATEST_RETRY_MICROS = Duration.ofMinutes(1).toNanos() / 1000;

    private final Engine engine;
    private final @Nullable ImmediateEngine immediate;
    private final Engine forUnknown;
    private final FailurePolicy policy;
    private final Engine local;
    private final Instances instances;
    private final PolicyReport decisions;
    private final long retryAfterMicros;

    /** The only instance. */
    public Failover(Engine engine, FailurePolicy policy, Engine local, long retryAfterMicros) {
        this(engine, policy, local, new Instances(), PolicyReport.NONE, retryAfterMicros);
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
            PolicyReport decisions,
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

    /** The share of a limit under which this JVM decides alone. */
    public double share() {
        return policy.share(instances.count());
    }

    /** The engine that may decide a request immediately; {@code null} if none does. */
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
        Ask ask = new Ask(key, limit, request, this);
        ask.decideBy(unknown ? forUnknown : engine);
        return ask.await();
    }

    /** As {@link #decide}, without blocking the calling thread. */
    public Ask start(String key, LimitStep<?> limit, Request request) {
        Ask ask = new Ask(key, limit, request, this);
        ask.decideBy(engine);
        return ask;
    }

    /**
     * Decides several parts.
     *
     * @param policies one for each part, in their order, all with this one's engine
     */
    public static Ask start(List<KeyRequests<?>> parts, List<Failover> policies) {
        Ask ask = new Ask(parts, new Fallback() {
            @Override
            public Outcome answer(LimiterBackendException failure, Ask same) {
                return answerInstead(failure, same, policies::get);
            }

            @Override
            public CompletableFuture<?> returnUnused(Outcome answer, Ask same) {
                return returnEach(answer, same, policies::get);
            }
        });
        ask.decideBy(policies.get(0).engine);
        return ask;
    }

    @Override
    public Outcome answer(LimiterBackendException failure, Ask ask) {
        return answerInstead(failure, ask, part -> this);
    }

    @Override
    public CompletableFuture<?> returnUnused(Outcome answer, Ask ask) {
        return returnEach(answer, ask, part -> this);
    }

    /** A rejected set has taken nothing, also of the parts that would have granted. */
    private static CompletableFuture<?> returnEach(Outcome answer, Ask ask, IntFunction<Failover> policies) {
        List<CompletableFuture<?>> returned = new ArrayList<>(ask.size());
        for (int part = 0; part < ask.size() && answer.isGranted(); part++) {
            Request request = ask.request(part);
            if (request.action() == Request.Action.TAKE) {
                Outcome granted = Objects.requireNonNull(answer.part(part));
                returned.add(policies.apply(part)
                        .returnUnused(
                                granted,
                                ask.key(part),
                                ask.limit(part),
                                granted.verdict().takenBy(request)));
            }
        }
        return CompletableFuture.allOf(returned.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<?> returnUnused(Outcome granted, String key, LimitStep<?> limit, long permits) {
        return cancel(granted, key, limit, permits, permits).exceptionally(e -> {
            log.warn("{} unused permits of '{}' could not be returned.", permits, ShownKey.of(key), e);
            return null;
        });
    }

    /**
     * What the failure policies of all parts answer instead of the backend: several parts all granted and taken, or none taken.
     *
     * @throws LimiterBackendException the failure, if one of the policies is {@code throw}
     */
    private static Outcome answerInstead(LimiterBackendException failure, Ask ask, IntFunction<Failover> policies) {
        boolean rejected = false;
        List<FailurePolicy.Action> actions = new ArrayList<>(ask.size());
        List<KeyRequests<?>> localParts = new ArrayList<>(ask.size());
        for (int part = 0; part < ask.size(); part++) {
            Failover policy = policies.apply(part);
            FailurePolicy.Action action = policy.actionAfter(failure, ask.key(part));
            actions.add(action);
            switch (action) {
                case THROW -> throw failure;
                case DENY -> rejected = true;
                case LOCAL, OWNER ->
                    localParts.add(KeyRequests.of(ask.key(part), ask.limit(part), ask.request(part))
                            .scaled(policy.share()));
                case ALLOW -> {}
            }
        }
        // The backend may have refunded them; refunded here too, they would be granted twice.
        boolean mayBeRefunded = ask.request(0).action() == Request.Action.REFUND && failure.isAmbiguous();
        Iterator<Outcome> local = localParts.isEmpty()
                ? Collections.emptyIterator()
                : decideLocally(policies.apply(0).local, localParts, rejected || mayBeRefunded)
                        .iterator();
        List<@Nullable Outcome> outcomes = new ArrayList<>(ask.size());
        for (int part = 0; part < ask.size(); part++) {
            outcomes.add(
                    switch (actions.get(part)) {
                        case LOCAL, OWNER ->
                            soon(local.next(), ask.limit(part), ask.request(part))
                                    .withSource(mayBeRefunded ? Decision.Source.POLICY : Decision.Source.LOCAL);
                        case DENY -> policies.apply(part).rejected(ask.limit(part), ask.request(part));
                        case ALLOW, THROW -> granted(ask.limit(part), ask.request(part));
                    });
        }
        return Outcome.of(outcomes);
    }

    /**
     * Redis may be back soon and have permits, so nobody is asked to come back at the end of the month, or told never to come back for more
     * permits than only the share of this instance can have.
     */
    private static Outcome soon(Outcome decided, LimitStep<?> limit, Request request) {
        long retryAfterMicros = decided.verdict().retryAfterMicros();
        boolean isNever = retryAfterMicros == Verdict.NEVER_MICROS && request.needed() > limit.capacity();
        return decided.isGranted() || isNever || retryAfterMicros <= LATEST_RETRY_MICROS
                ? decided
                : new Outcome(decided.verdict().withRetryAfterMicros(LATEST_RETRY_MICROS), decided.source());
    }

    private static List<Outcome> decideLocally(Engine local, List<KeyRequests<?>> parts, boolean onlyPeeks) {
        List<Outcome> outcomes = new ArrayList<>(parts.size());
        if (onlyPeeks) {
            for (KeyRequests<?> part : parts) {
                outcomes.add(Ask.start(
                                local, part.key(), part.limit(), part.request().asPeek())
                        .await());
            }
            return outcomes;
        }
        Ask ask = new Ask(parts, null);
        ask.decideBy(local);
        Outcome decided = ask.await();
        for (int part = 0; part < parts.size(); part++) {
            outcomes.add(Objects.requireNonNull(decided.part(part)));
        }
        return outcomes;
    }

    /**
     * What the policy does about a key after a failure, which is reported, because until then the limit does not hold for the fleet.
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
    public Outcome rejected(LimitStep<?> limit, Request request) {
        return Outcome.rejected(limit, request, retryAfterMicros, retryAfterMicros, Decision.Source.POLICY);
    }

    /** A grant by the policy, to a caller who leaves no permits to others. */
    public static Outcome granted(LimitStep<?> limit) {
        return granted(limit, Request.take(1, 0));
    }

    /** A grant by the policy. */
    public static Outcome granted(LimitStep<?> limit, Request request) {
        return Outcome.granted(limit, request, Decision.Source.POLICY);
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
    public Ask cancel(Outcome taken, String key, LimitStep<?> limit, long permits, long of) {
        boolean isLocal = taken.source() == Decision.Source.LOCAL;
        LimitStep<?> granting = isLocal ? limit.scaled(share()) : limit;
        Ask cancellation = new Ask(
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
    public Ask charge(Outcome rejection, String key, LimitStep<?> limit, long permits) {
        boolean isLocal = rejection.source() == Decision.Source.LOCAL;
        LimitStep<?> charged = isLocal ? limit.scaled(share()) : limit;
        return Ask.start(isLocal ? local : engine, key, charged, Request.charge(permits));
    }

    private Outcome lost(LimiterBackendException failure, String key, LimitStep<?> limit) {
        if (actionAfter(failure, key) == FailurePolicy.Action.THROW) {
            throw failure;
        }
        decisions.staysReserved(failure);
        return granted(limit);
    }

    /** Deletes the state of a key, in the local fallback too. */
    public CompletableFuture<Void> reset(String key) {
        return local == engine ? engine.reset(key) : local.reset(key).thenCompose(done -> engine.reset(key));
    }
}
