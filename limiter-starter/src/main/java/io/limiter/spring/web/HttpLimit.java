package io.limiter.spring.web;

import io.limiter.Limiter;
import io.limiter.spring.check.Charge;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.LimitWithPlans;
import io.limiter.spring.check.LimitWithPlans.ForCall;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.key.spel.CallPermits;
import io.limiter.spring.key.spel.RuleKey;
import io.limiter.spring.metrics.CallCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * A limit on HTTP requests: a rule of {@code limiter.http}. Safe for use by many threads.
 *
 * @param order among several rules that match a request; lower is decided first
 * @param name of the rule
 * @param prefix starts the keys in Redis
 * @param keys whose permits a request takes
 * @param permits that a request takes; 0 if the rule does not apply to it
 * @param plans finds the plan of a request; {@code null} if the limits have none
 * @param usesUser whether the user must be known before the limit is decided
 * @param usesForm whether the form of a request must be read before that, because its parameters may be needed
 * @param parts at least one; those that are enforced are all or nothing
 * @param charged which requests are charged, by their status; {@code null} if all are
 * @param log of requests without a key
 * @param calls counts requests that the rule does not apply to
 */
public record HttpLimit(
        int order,
        String name,
        String prefix,
        HttpRoute route,
        RuleKey keys,
        CallPermits permits,
        @Nullable PlanResolver plans,
        boolean usesUser,
        boolean usesForm,
        List<LimitWithPlans<Limiter>> parts,
        @Nullable IntPredicate charged,
        RejectionLog log,
        CallCounts calls) {

    HttpLimit by(RuleKey other) {
        return new HttpLimit(
                order, name, prefix, route, other, permits, plans, usesUser, usesForm, parts, charged, log, calls);
    }

    /** @param paths {@link HttpKeyRequest#pathVariants} of the request */
    boolean matches(HttpKeyRequest request, List<PathContainer> paths) {
        return route.matches(request.method(), request.isPreflight(), paths);
    }

    /**
     * The steps of a request's check, one for each limit; none if the rule does not apply to the request, or if all limits are in shadow
     * mode and the key, cost or condition fails, which is logged.
     *
     * @throws MissingLimitKeyException if the request has no key, or no valid cost or condition, and a limit is enforced
     */
    List<CheckStep<?>> steps(KeyRequest request, DecisionRecorder recorder) {
        try {
            long taken = permits.of(request);
            if (taken == 0) {
                parts.forEach(part -> calls.skip(part.name()));
                return List.of();
            }
            return steps(request, keys.of(request), taken, recorder);
        } catch (RuntimeException e) {
            boolean enforced =
                    parts.stream().anyMatch(part -> part.forCall().limit().enforced());
            log.inMode(enforced).failed(e);
            if (enforced) {
                throw e instanceof InvalidLimitArgumentException invalid ? invalid.forCaller() : e;
            }
            return List.of();
        }
    }

    private List<CheckStep<?>> steps(
            KeyRequest request, List<String> ofRequest, long taken, DecisionRecorder recorder) {
        IntPredicate isCharged = charged;
        Charge charge =
                isCharged == null ? null : new Charge(true, outcome -> isCharged.test(outcome.status()) ? taken : 0);
        List<CheckStep<?>> steps = new ArrayList<>(parts.size());
        for (LimitWithPlans<Limiter> part : parts) {
            ForCall<Limiter> used = planned(part, request, ofRequest);
            CheckedLimit limit = used.limit();
            PermitRequest requested = new PermitRequest(limit.name(), ofRequest, taken);
            Duration timeout = recorder.timeout(used.timeout());
            steps.add(new CheckPart(limit, used.limiter(), requested, timeout, null, charge));
        }
        return steps;
    }

    /** The limit that the plan of a request has. */
    private ForCall<Limiter> planned(LimitWithPlans<Limiter> part, KeyRequest request, List<String> ofRequest) {
        PlanResolver finder = plans;
        if (finder == null || ofRequest.isEmpty() || !part.hasPlans()) {
            return part.forCall();
        }
        String innermost = ofRequest.get(ofRequest.size() - 1);
        return part.forCall(() -> finder.planOf(PlanRequest.ofRequest(part.name(), innermost, request)));
    }

    /**
     * Whether the limiter is one of this limit's.
     *
     * @param limiterPrefix starts the limiter's keys in Redis
     */
    public boolean has(String limiterPrefix, String limiterName) {
        return limiterPrefix.startsWith(prefix)
                && parts.stream().anyMatch(part -> part.name().equals(limiterName));
    }
}
