package io.limiter.internal.resilience;

import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a {@link FailurePolicy} what another engine has failed to decide. One for each policy; those of a factory share
 * the engine, and the one that decides in this JVM.
 *
 * <p>What a decision was taken from is where its permits go back to; see {@link #giveBack}.
 */
public final class Failover implements Engine {

    private final Engine engine;
    private final FailurePolicy policy;
    private final Engine local;
    private final long retryAfterMicros;
    // Made once: it goes with every request that is not waited for.
    private final PendingRequest.InsteadOf instead = this::instead;

    /**
     * @param local decides in this JVM
     * @param retryAfterMicros when those are told to come again who are refused; more than 0
     */
    public Failover(Engine engine, FailurePolicy policy, Engine local, long retryAfterMicros) {
        this.engine = engine;
        this.policy = policy;
        this.local = local;
        this.retryAfterMicros = retryAfterMicros;
    }

    /** For an engine that does not fail, or whose failures are the caller's. */
    public static Failover none(Engine engine) {
        return engine instanceof Failover already ? already : new Failover(engine, FailurePolicy.THROW, engine, 1);
    }

    /** The one that may fail. */
    public Engine engine() {
        return engine;
    }

    public FailurePolicy policy() {
        return policy;
    }

    @Override
    public Known tryWithoutBackend(String key, Limit<?> limit, int permits, long timeoutMicros) {
        return engine.tryWithoutBackend(key, limit, permits, timeoutMicros);
    }

    @Override
    public Decision decide(String key, Limit<?> limit, Request request) {
        try {
            return engine.decide(key, limit, request);
        } catch (LimiterBackendException e) {
            return instead(e, key, limit, request);
        }
    }

    @Override
    public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
        CompletableFuture<Decision> decided = engine.decideAsync(key, limit, request);
        if (policy.action() == FailurePolicy.Action.THROW
                || decided instanceof PendingRequest pending && pending.orElse(instead)) {
            return decided;
        }
        return decided.isDone() && !decided.isCompletedExceptionally()
                ? decided
                : WithFallback.of(decided, failure -> instead(failure, key, limit, request));
    }

    @Override
    public List<Answer> decide(List<KeyRequests<?>> batch) {
        List<Answer> answers = engine.decide(batch);
        List<Answer> all = new ArrayList<>(answers.size());
        for (int i = 0; i < answers.size(); i++) {
            LimiterBackendException failure = answers.get(i).failure();
            all.add(failure == null ? answers.get(i) : instead(failure, batch.get(i)));
        }
        return all;
    }

    private Answer instead(LimiterBackendException failure, KeyRequests<?> asked) {
        try {
            return Answer.of(asked.requests().stream()
                    .map(request -> instead(failure, asked.key(), asked.limit(), request))
                    .toList());
        } catch (LimiterBackendException e) {
            return Answer.failed(e);
        }
    }

    @Override
    public List<@Nullable Decision> decideTogether(List<SetPart<?>> parts) {
        try {
            return engine.decideTogether(parts);
        } catch (LimiterBackendException e) {
            return together(e, parts, parts.stream().map(part -> this).toList());
        }
    }

    @Override
    public CompletableFuture<List<@Nullable Decision>> decideTogetherAsync(List<SetPart<?>> parts) {
        return WithFallback.of(
                engine.decideTogetherAsync(parts),
                failure -> together(
                        failure, parts, parts.stream().map(part -> this).toList()));
    }

    private Decision instead(LimiterBackendException failure, PendingRequest request) {
        return instead(failure, request.key(), request.limit(), request.request());
    }

    /**
     * What the policy answers.
     *
     * @throws LimiterBackendException the failure, if that is what it says, or the limiters were closed
     */
    public Decision instead(LimiterBackendException failure, String key, Limit<?> limit, Request request) {
        return switch (actionAfter(failure)) {
            case THROW -> throw failure;
            case DENY -> refused(limit);
            case ALLOW -> granted(limit);
            case LOCAL -> locally(failure, key, limit.scaled(policy.share()), request);
        };
    }

    private Decision locally(LimiterBackendException failure, String key, Limit<?> scaled, Request request) {
        if (request.action() == Request.Action.GIVE_BACK && failure.isAmbiguous()) {
            // Given back here too, permits would be had twice.
            return local.decide(key, scaled, request.as(Request.Action.PEEK)).from(Decision.Source.POLICY);
        }
        return local.decide(key, scaled, request).from(Decision.Source.LOCAL);
    }

    private FailurePolicy.Action actionAfter(LimiterBackendException failure) {
        return failure.kind() == Kind.CLOSED ? FailurePolicy.Action.THROW : policy.action();
    }

    /** For permits that are not had. */
    public Decision refused(Limit<?> limit) {
        return new Decision(
                false,
                limit.capacity(),
                0,
                retryAfterMicros,
                retryAfterMicros,
                retryAfterMicros,
                Decision.Source.POLICY);
    }

    public static Decision granted(Limit<?> limit) {
        return new Decision(true, limit.capacity(), limit.capacity(), 0, 0, 0, Decision.Source.POLICY);
    }

    /**
     * What the policies answer to a set, each for its part: all granted and taken, or none taken.
     *
     * @param policies one for each part, in their order
     * @throws LimiterBackendException the failure, if that is what one of them says
     */
    public static List<@Nullable Decision> together(
            LimiterBackendException failure, List<SetPart<?>> parts, List<Failover> policies) {
        boolean refused = false;
        List<SetPart<?>> locally = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            FailurePolicy.Action action = policies.get(i).actionAfter(failure);
            if (action == FailurePolicy.Action.THROW) {
                throw failure;
            }
            refused |= action == FailurePolicy.Action.DENY;
            if (action == FailurePolicy.Action.LOCAL) {
                locally.add(parts.get(i).scaled(policies.get(i).policy.share()));
            }
        }
        List<@Nullable Decision> local = new ArrayList<>();
        if (!locally.isEmpty()) {
            Engine engine = policies.get(0).local;
            local = refused ? looked(engine, locally) : engine.decideTogether(locally);
        }
        List<@Nullable Decision> decisions = new ArrayList<>(parts.size());
        int nextLocal = 0;
        for (int i = 0; i < parts.size(); i++) {
            Failover part = policies.get(i);
            Limit<?> limit = parts.get(i).limit();
            decisions.add(
                    switch (part.policy.action()) {
                        case LOCAL -> fromLocal(local.get(nextLocal++));
                        case DENY -> part.refused(limit);
                        case ALLOW, THROW -> granted(limit);
                    });
        }
        return decisions;
    }

    private static List<@Nullable Decision> looked(Engine engine, List<SetPart<?>> parts) {
        List<@Nullable Decision> looked = new ArrayList<>(parts.size());
        for (SetPart<?> part : parts) {
            looked.add(engine.decide(part.key(), part.limit(), part.request().as(Request.Action.PEEK)));
        }
        return looked;
    }

    private static @Nullable Decision fromLocal(@Nullable Decision decision) {
        return decision == null ? null : decision.from(Decision.Source.LOCAL);
    }

    /**
     * Gives permits back to where they were taken from. Those of a backend that fails now are lost: the limit is stricter for
     * a while, and not looser.
     *
     * @param taken what has granted them
     * @throws LimiterBackendException if that is what the policy says
     */
    public void giveBack(Decision taken, String key, Limit<?> limit, int permits) {
        switch (taken.source()) {
            case POLICY -> {
                // None were taken.
            }
            case LOCAL -> local.decide(key, limit.scaled(policy.share()), Request.cancel(permits, taken));
            case BACKEND, LEASE, DENY_CACHE -> {
                try {
                    engine.decide(key, limit, Request.cancel(permits, taken));
                } catch (LimiterBackendException e) {
                    lost(e, limit);
                }
            }
        }
    }

    private Decision lost(LimiterBackendException failure, Limit<?> limit) {
        if (actionAfter(failure) == FailurePolicy.Action.THROW) {
            throw failure;
        }
        return granted(limit);
    }

    /** As {@link #giveBack}, without blocking the calling thread. */
    public CompletableFuture<?> giveBackAsync(Decision taken, String key, Limit<?> limit, int permits) {
        return switch (taken.source()) {
            case POLICY -> CompletableFuture.completedFuture(null);
            case LOCAL -> local.decideAsync(key, limit.scaled(policy.share()), Request.cancel(permits, taken));
            case BACKEND, LEASE, DENY_CACHE ->
                WithFallback.of(
                        engine.decideAsync(key, limit, Request.cancel(permits, taken)),
                        failure -> lost(failure, limit));
        };
    }

    /** What the policy knows of the key too. */
    @Override
    public void reset(String key) {
        if (local != engine) {
            local.reset(key);
        }
        engine.reset(key);
    }

    /** The failure of a future that has failed; {@code null} if it has failed by something else. */
    public static @Nullable LimiterBackendException failureOf(Throwable error) {
        Throwable cause = (error instanceof CompletionException || error instanceof ExecutionException)
                        && error.getCause() != null
                ? error.getCause()
                : error;
        return cause instanceof LimiterBackendException failure ? failure : null;
    }

    @Override
    public void close() {
        engine.close();
    }
}
