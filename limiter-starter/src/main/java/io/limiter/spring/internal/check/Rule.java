package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.spring.internal.key.spel.CallAnchor;
import io.limiter.spring.internal.key.spel.CallPermits;
import io.limiter.spring.internal.key.spel.KeyTemplate;
import io.limiter.spring.internal.key.spel.Needs;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.internal.metrics.CallCounts;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.web.RuleLimits.Left;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whose permits a call takes, at what cost, and of which limits. An annotation, an entry of {@code limiter.http} and a client of
 * {@code limiter.clients} each make one; which calls it applies to is known to them. Safe for use by many threads.
 *
 * @param limits at least one
 * @param keys whose permits a call takes
 * @param permits that a call takes of each limit; 0 if the call skips the rule
 * @param plan names the plan of a call; {@code null} if a resolver does, or the limits have no plans
 * @param resolver finds the plan of a call; {@code null} if the rule names it, or the limits have no plans
 * @param anchor the date from which the periods of a call are counted; {@code null} if it is not its own
 * @param charges what a call is charged once its outcome is known; {@code null} if it is charged for the permits that it took
 * @param needs the facts that are read
 * @param log of calls that cannot be decided
 * @param calls counts the calls that skip the rule
 */
public record Rule(
        List<RuleLimit> limits,
        RuleKey keys,
        CallPermits permits,
        @Nullable KeyTemplate plan,
        @Nullable PlanResolver resolver,
        @Nullable CallAnchor anchor,
        Charge.@Nullable Source charges,
        Needs needs,
        RejectionLog log,
        CallCounts calls) {

    /**
     * @throws IllegalArgumentException if its permits can be taken by none of this library's limit sets, and must be, or if callers can
     *     choose a plan that is unlimited
     */
    public Rule {
        limits = List.copyOf(limits);
        if (limits.size() > 1 || charges != null) {
            limits.forEach(RuleLimit::checkIsForSets);
        }
        String chosen = plan == null ? null : plan.needs().chosenByCallers().orElse(null);
        if (chosen != null) {
            limits.forEach(limit -> limit.checkIsLimited(chosen));
        }
        if (permits.maySkip()) {
            limits.forEach(limit -> calls.addSkips(limit.name().name()));
        }
    }

    /** A rule whose calls all take a permit of the same key. */
    public static Rule ofAllCalls(List<RuleLimit> limits, String key, RejectionLog log) {
        CallPermits one = CallPermits.ofRequest(null, null);
        return new Rule(limits, RuleKey.known(key), one, null, null, null, null, Needs.NONE, log, new CallCounts());
    }

    /** The same rule with other keys. */
    public Rule by(RuleKey other) {
        return new Rule(limits, other, permits, plan, resolver, anchor, charges, needs, log, calls);
    }

    /** Whether a limiter is one of this rule's. */
    public boolean has(String limiterPrefix, String limiterName) {
        return limits.stream().anyMatch(limit -> limit.has(limiterPrefix, limiterName));
    }

    /**
     * The permits that a call takes: a part for each limit. There is none if the call skips the rule, if a decision of an earlier dispatch
     * of its request grants it, or if the rule is in shadow mode and the key, cost or condition fails, which is logged.
     *
     * @param repeats whether a decision of an earlier dispatch applies to this call, too
     * @throws MissingLimitKeyException if the call has no key, and a limit is enforced
     * @throws InvalidLimitArgumentException if the call makes no cost or condition, and a limit is enforced
     */
    List<CheckPart> parts(Facts facts, @Nullable DecisionRecorder recorder, boolean repeats) {
        try {
            long taken = permits.of(facts.arguments(), facts.request());
            if (taken == 0) {
                skip();
                return List.of();
            }
            List<String> path = keys.of(facts.arguments(), facts.request());
            Charge charge = charges == null ? null : charges.of(facts, path, taken);
            List<CheckPart> parts = new ArrayList<>(limits.size());
            for (RuleLimit limit : limits) {
                CallLimit effective = effective(limit, facts, path);
                PermitRequest request = new PermitRequest(effective.name(), path, taken);
                Decision earlier = recorder == null || !repeats ? null : earlier(recorder, effective, request, charge);
                if (earlier == null || !earlier.isGranted()) {
                    Duration timeout = recorder == null ? effective.timeout() : recorder.timeout(effective.timeout());
                    parts.add(new CheckPart(effective, request, timeout, earlier, charge));
                }
            }
            return parts;
        } catch (RuntimeException e) {
            failed(e);
            return List.of();
        }
    }

    /**
     * Starts to ask what is left of each limit for a call, whatever its cost and its condition are. Takes nothing.
     *
     * @return in their order, without those that the plan of the call leaves out
     * @throws MissingLimitKeyException if the call has no key
     */
    public CompletableFuture<List<Left>> peek(Facts facts) {
        List<String> path = keys.of(facts.arguments(), facts.request());
        List<CompletableFuture<Optional<Left>>> started = new ArrayList<>(limits.size());
        for (RuleLimit limit : limits) {
            CallLimit effective = effective(limit, facts, path);
            PermitRequest one = new PermitRequest(effective.name(), path, 1);
            started.add(new CheckPart(effective, one, Duration.ZERO, null, null).peek());
        }
        return CompletableFuture.allOf(started.toArray(CompletableFuture[]::new))
                .thenApply(all -> started.stream()
                        .flatMap(peeked -> peeked.join().stream())
                        .toList());
    }

    /** Counts a call that the rule does not apply to. */
    public void skip() {
        limits.forEach(limit -> calls.skip(limit.name().name()));
    }

    /** The limit that the plan of a call has, with the anchor of the call. */
    private CallLimit effective(RuleLimit limit, Facts facts, List<String> path) {
        KeyTemplate named = plan;
        PlanResolver resolving = resolver;
        Supplier<@Nullable String> planOfCall = null;
        if (named != null && limit.asksForPlan()) {
            planOfCall = () -> named.of(facts.arguments(), facts.request());
        } else if (resolving != null && limit.hasPlans() && !path.isEmpty()) {
            String innermost = path.get(path.size() - 1);
            planOfCall = () -> resolving.planOf(facts.planRequest(limit.name().name(), innermost));
        }
        CallLimit effective = planOfCall == null ? limit.effective() : limit.effective(planOfCall);
        CallAnchor own = anchor;
        return own == null ? effective : effective.from(zone -> own.of(facts.arguments(), facts.request(), zone));
    }

    /**
     * The decision of an earlier dispatch; {@code null} if this call is decided. Nothing of a limit in shadow mode is recorded, and leases
     * are not repeated, because each call holds its own.
     */
    private static @Nullable Decision earlier(
            DecisionRecorder recorder, CallLimit limit, PermitRequest request, @Nullable Charge charge) {
        Decision earlier = limit.enforced() && limit.leases() == null ? recorder.earlier(request) : null;
        // The earlier call may have returned its permits: each call is charged for its own outcome.
        boolean isCharged = charge != null && charge.when() == Charge.When.RETURN;
        return earlier != null && earlier.isGranted() && isCharged ? null : earlier;
    }

    /**
     * Logs why a call cannot be limited.
     *
     * @throws RuntimeException the failure, if a limit is enforced
     */
    public void failed(RuntimeException failure) {
        boolean enforced = limits.stream().anyMatch(limit -> limit.effective().enforced());
        log.inMode(enforced).failed(failure);
        if (enforced) {
            throw failure;
        }
    }
}
