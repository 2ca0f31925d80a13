package io.limiter.spring.web;

import io.limiter.LimitPart;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import io.limiter.spring.aop.LimitAsked;
import io.limiter.spring.aop.RefusalLog;
import io.limiter.spring.key.RequestFacts;
import io.limiter.spring.key.spel.RequestKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** A limit on requests, before anything handles them: one of {@code limiter.http}. Safe for use by many threads. */
public final class HttpLimit {

    private final String prefix;
    private final HttpRoute route;
    private final RequestKey key;
    private final List<Limiter> limiters;
    private final boolean enforced;
    private final RefusalLog refusals;

    /**
     * @param prefix starts the keys in Redis
     * @param limiters at least one; all or nothing
     * @param enforced whether it refuses anybody
     * @param refusals tells of those that it refuses, or would
     */
    public HttpLimit(
            String prefix,
            HttpRoute route,
            RequestKey key,
            List<Limiter> limiters,
            boolean enforced,
            RefusalLog refusals) {
        this.prefix = prefix;
        this.route = route;
        this.key = key;
        this.limiters = List.copyOf(limiters);
        this.enforced = enforced;
        this.refusals = refusals;
    }

    /** Whether it can be asked only when the user is known. */
    public boolean usesUser() {
        return key.usesUser();
    }

    /** As {@link HttpRoute#matches}. */
    public boolean isFor(String method, boolean preflight, List<PathContainer> ways) {
        return route.matches(method, preflight, ways);
    }

    /**
     * What it is asked for a request; nothing if it is a dry run and the request has no key, of which the log tells.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if it has no key and the limit is enforced
     */
    Optional<HttpQuestion> question(RequestFacts request) {
        try {
            return Optional.of(question(key.of(request)));
        } catch (RuntimeException e) {
            failed(e);
            if (enforced) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private HttpQuestion question(@Nullable String owner) {
        List<LimitPart> parts = new ArrayList<>(limiters.size());
        for (Limiter limiter : limiters) {
            parts.add(owner == null ? limiter.own() : limiter.on(owner));
        }
        return new HttpQuestion(this, owner, parts);
    }

    /**
     * Where the permits of a key are; {@code null} if the limiter is none of this limit's, or the key alone decides it.
     *
     * @param limiterPrefix starts the limiter's keys in Redis
     */
    public @Nullable String slot(String limiterPrefix, String limiterName, @Nullable String owner) {
        boolean isOurs = limiterPrefix.startsWith(prefix)
                && limiters.stream().anyMatch(limiter -> limiter.name().equals(limiterName));
        return isOurs && limiters.size() > 1 ? slot(owner) : null;
    }

    private String slot(@Nullable String owner) {
        String name = limiters.get(0).name();
        return owner == null ? name : name + ":" + owner;
    }

    boolean isEnforced() {
        return enforced;
    }

    void refused(Decision decision) {
        refusals.refused(decision);
    }

    void failed(Throwable failure) {
        refusals.failed(failure);
    }

    /** In a Cluster several are decided in one call if they are in one slot. */
    LimitSet set(List<LimitPart> parts, @Nullable String owner) {
        String slot = slot(owner);
        List<LimitPart> inSlot = parts.stream().map(part -> part.inSlot(slot)).toList();
        return inSlot.get(0).with(inSlot.subList(1, inSlot.size()));
    }

    SetDecision decide(List<LimitPart> parts, @Nullable String owner) {
        if (parts.size() > 1) {
            return set(parts, owner).decide(1);
        }
        Limiter limiter = limiters.get(0);
        return HttpQuestion.alone(parts.get(0), owner == null ? limiter.decide(1) : limiter.decide(owner, 1));
    }

    CompletableFuture<SetDecision> decideAsync(List<LimitPart> parts, @Nullable String owner) {
        if (parts.size() > 1) {
            return set(parts, owner).decideAsync(1);
        }
        Limiter limiter = limiters.get(0);
        CompletableFuture<Decision> asked = owner == null ? limiter.decideAsync(1) : limiter.decideAsync(owner, 1);
        CompletableFuture<SetDecision> decided =
                asked.thenApply(decision -> HttpQuestion.alone(parts.get(0), decision));
        decided.whenComplete((decision, error) -> {
            if (decided.isCancelled()) {
                asked.cancel(true);
            }
        });
        return decided;
    }

    LimitAsked asked(Limiter limiter, @Nullable String owner) {
        return new LimitAsked(prefix, limiter.name(), true, owner, null, 1);
    }
}
