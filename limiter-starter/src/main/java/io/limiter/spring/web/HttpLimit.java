package io.limiter.spring.web;

import io.limiter.Limiter;
import io.limiter.spring.check.Charge;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.LimitInUse;
import io.limiter.spring.check.LimitInUse.Applied;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.key.spel.RequestKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * A limit on HTTP requests: a rule of {@code limiter.http}. Safe for use by many threads.
 *
 * @param order among several rules that match a request; lower is decided first
 * @param prefix starts the keys in Redis
 * @param plans finds the plan of a request; {@code null} if the limits have none
 * @param usesUser whether the user must be known before the limit is decided
 * @param parts at least one; those that are enforced are all or nothing. Of several, the first key is the hash tag
 * @param charge of a request once its status is known; {@code null} if all are charged
 * @param log of requests without a key
 */
public record HttpLimit(
        int order,
        String prefix,
        HttpRoute route,
        RequestKey key,
        @Nullable PlanResolver plans,
        boolean usesUser,
        List<LimitInUse<Limiter>> parts,
        @Nullable Charge charge,
        RejectionLog log) {

    /** @param paths {@link HttpKeyRequest#pathVariants} of the request */
    boolean matches(HttpKeyRequest request, List<PathContainer> paths) {
        return route.matches(request.method(), request.isPreflight(), paths);
    }

    /**
     * The steps of a request's check: that of the limits that are enforced, then those of the others; none if the request has
     * no key and all limits are in shadow mode, which is logged.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key and a limit is enforced
     */
    List<CheckStep<?>> steps(KeyRequest request) {
        try {
            return steps(request, key.of(request));
        } catch (RuntimeException e) {
            boolean enforced =
                    parts.stream().anyMatch(part -> part.applied().limit().enforced());
            log.inMode(enforced).failed(e);
            if (enforced) {
                throw e;
            }
            return List.of();
        }
    }

    private List<CheckStep<?>> steps(KeyRequest request, @Nullable String ofRequest) {
        // In a Cluster several are decided in one call if they are in one slot.
        String hashTag = parts.size() > 1 ? hashTag(ofRequest) : null;
        List<CheckStep<?>> steps = new ArrayList<>(parts.size());
        for (LimitInUse<Limiter> part : parts) {
            Applied<Limiter> used = planned(part, request, ofRequest);
            CheckedLimit limit = used.limit();
            PermitRequest permits = new PermitRequest(limit.name(), ofRequest, hashTag, 1);
            steps.add(new CheckPart(limit, used.limiter(), permits, used.timeout(), null, charge));
        }
        return CheckStep.inOrder(steps);
    }

    /** The limit that the plan of a request has. */
    private Applied<Limiter> planned(LimitInUse<Limiter> part, KeyRequest request, @Nullable String ofRequest) {
        PlanResolver finder = plans;
        return finder == null || ofRequest == null || !part.hasPlans()
                ? part.applied()
                : part.applied(() -> finder.planOf(new PlanRequest(part.name(), ofRequest, null, List.of(), request)));
    }

    /**
     * The hash tag of the permits of a key; {@code null} if the limiter is none of this limit's, or the key alone decides it.
     *
     * @param limiterPrefix starts the limiter's keys in Redis
     */
    public @Nullable String hashTag(String limiterPrefix, String limiterName, @Nullable String limiterKey) {
        return has(limiterPrefix, limiterName) && parts.size() > 1 ? hashTag(limiterKey) : null;
    }

    /** Whether the limiter is one of this limit's. */
    public boolean has(String limiterPrefix, String limiterName) {
        return limiterPrefix.startsWith(prefix)
                && parts.stream().anyMatch(part -> part.name().equals(limiterName));
    }

    private String hashTag(@Nullable String ofRequest) {
        String name = parts.get(0).name();
        return ofRequest == null ? name : name + ":" + ofRequest;
    }
}
