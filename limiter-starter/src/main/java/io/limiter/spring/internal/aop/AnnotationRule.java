package io.limiter.spring.internal.aop;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.aop.result.LateResults;
import io.limiter.spring.internal.check.CallOutcome;
import io.limiter.spring.internal.check.Charge;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.key.spel.CallAnchor;
import io.limiter.spring.internal.key.spel.CallCharge;
import io.limiter.spring.internal.key.spel.CallPermits;
import io.limiter.spring.internal.key.spel.KeyTemplate;
import io.limiter.spring.internal.key.spel.Needs;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.internal.settings.ConfiguredLimits.Configured;
import io.limiter.spring.internal.settings.InvalidSettings;
import io.limiter.spring.key.KeyRequest;
import org.jspecify.annotations.Nullable;

/**
 * The rule that one annotation declares for one method, parsed and checked. It needs no bean, because it is parsed while
 * beans are created; {@link RuleBinder} makes a {@link io.limiter.spring.internal.check.Rule} of it.
 *
 * @param where the annotation and the method, for messages
 * @param configured as the annotation and configuration define it
 * @param charge what a call is charged once its outcome is known; {@code null} for the permits that it took
 * @param keys whose permits a call takes
 * @param plan the plan of a call; {@code null} if the annotation has none
 * @param anchor the date from which the periods of a call are counted; {@code null} if it is not its own
 * @param caller the request in which the current thread calls the method
 * @param needs which facts of that request the rule reads
 * @param message of rejections; empty for the default
 */
record AnnotationRule(
        String where,
        LimitName name,
        Configured configured,
        CallPermits permits,
        @Nullable CallCharge charge,
        LimitType type,
        RuleKey keys,
        @Nullable KeyTemplate plan,
        @Nullable CallAnchor anchor,
        CallerFacts caller,
        Needs needs,
        String message) {

    /** @throws IllegalArgumentException if the limit cannot have plans, or a ban */
    AnnotationRule {
        String plans = plan != null ? "plan" : configured.definedBy() + ".plans";
        // A resolver goes by the caller's key, which such a call does not have.
        boolean planned = plan == null || configured.plans().isEmpty()
                ? plan != null || !configured.plans().isEmpty()
                : configured.differsByPlan();
        if (type == LimitType.METHOD && (planned || configured.options().ban().isPresent())) {
            throw InvalidSettings.ofSharedPermits(
                    planned ? plans : configured.definedBy() + ".ban",
                    planned ? "give callers different limits" : "ban all callers at once",
                    "limitType METHOD",
                    "use a key or another limitType");
        }
    }

    /** Settles the permits that a call took at what its outcome charges; {@code null} if that is what it took. */
    Charge.@Nullable Source charges() {
        CallCharge known = charge;
        return known == null
                ? null
                : (facts, path, taken) -> {
                    KeyRequest kept = known.kept(facts.request());
                    return new Charge(
                            known.isByStatus() ? Charge.When.STATUS : Charge.When.RETURN,
                            outcome -> charged(known, facts.arguments(), kept, outcome, taken));
                };
    }

    /** @throws IllegalStateException if the work is done later */
    private long charged(
            CallCharge known, @Nullable Object[] arguments, KeyRequest kept, CallOutcome outcome, long taken) {
        IllegalStateException late = LateResults.failure(where, outcome.result(), LateResults.Use.CHARGE);
        if (late != null) {
            throw late;
        }
        return known.of(arguments, kept, outcome.result(), outcome.exception(), outcome.status(), taken);
    }

    boolean isChargedByStatus() {
        return charge != null && charge.isByStatus();
    }

    /** @throws IllegalArgumentException if the application has no bean that finds one of these facts */
    void checkAvailable() {
        keys.needs().checkAvailable(caller, type);
        needs.checkAvailable(caller, LimitType.CUSTOM);
    }

    AnyLimit limit() {
        return configured.limit();
    }

    /** Whether permits are held until the call is done, and not spent. */
    boolean isHeld() {
        return limit() instanceof ConcurrencyLimit;
    }
}
