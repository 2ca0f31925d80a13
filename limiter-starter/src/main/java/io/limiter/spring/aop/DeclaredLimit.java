package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.aop.result.LateResults;
import io.limiter.spring.check.Charge;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.Outcome;
import io.limiter.spring.key.CallerFacts;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.spel.CallCharge;
import io.limiter.spring.key.spel.CallPermits;
import io.limiter.spring.key.spel.KeyTemplate;
import io.limiter.spring.key.spel.Needs;
import io.limiter.spring.key.spel.RuleKey;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limit that one annotation declares for one method, parsed and checked. It needs no bean, because it is parsed while
 * beans are created.
 *
 * @param where the annotation and the method, for messages
 * @param configured as the annotation and configuration define it
 * @param charge what a call is charged once its outcome is known; {@code null} for the permits that it took
 * @param keys whose permits a call takes
 * @param plan the plan of a call; {@code null} if the annotation has none
 * @param caller facts of the current call, for keys and expressions
 * @param needs which of them are read
 * @param message of rejections; empty for the default
 */
record DeclaredLimit(
        String where,
        LimitName name,
        Configured configured,
        CallPermits permits,
        @Nullable CallCharge charge,
        LimitType type,
        RuleKey keys,
        @Nullable KeyTemplate plan,
        CallerFacts caller,
        Needs needs,
        String message) {

    /** @throws IllegalArgumentException if the limit cannot have plans, or a ban */
    DeclaredLimit {
        String plans = plan != null ? "plan" : configured.definedBy() + ".plans";
        boolean planned = plan != null || !configured.plans().isEmpty();
        if (type == LimitType.METHOD && (planned || configured.options().ban().isPresent())) {
            throw InvalidSettingException.ofSharedPermits(
                    planned ? plans : configured.definedBy() + ".ban",
                    planned ? "give callers different limits" : "ban all callers at once",
                    "limitType METHOD",
                    "use a key or another limitType");
        }
    }

    /** How many permits a call takes; 0 if it skips the limit. */
    long permits(@Nullable Object[] arguments) {
        return permits.of(arguments, caller);
    }

    /** The path of keys of a call's permits. */
    List<String> keys(@Nullable Object[] arguments) {
        return keys.of(arguments, caller);
    }

    /** Settles the permits that a call took at what its outcome charges. */
    @Nullable
    Charge charge(@Nullable Object[] arguments, long taken) {
        CallCharge known = charge;
        if (known == null) {
            return null;
        }
        KeyRequest kept = known.kept(caller);
        return new Charge(known.isByStatus(), outcome -> charged(known, arguments, kept, outcome, taken));
    }

    /** @throws IllegalStateException if the work is done later */
    private long charged(CallCharge known, @Nullable Object[] arguments, KeyRequest kept, Outcome outcome, long taken) {
        IllegalStateException late = LateResults.failure(where, outcome.result(), LateResults.Use.CHARGE);
        if (late != null) {
            throw late;
        }
        return known.of(arguments, kept, outcome.result(), outcome.exception(), outcome.status(), taken);
    }

    /** Whether the outcome of a call decides what it is charged. */
    boolean isCharged() {
        return charge != null;
    }

    boolean isChargedByStatus() {
        return charge != null && charge.isByStatus();
    }

    /** Whether a call is checked for its user: by an expression, or by a {@link io.limiter.spring.key.PlanResolver}. */
    boolean usesUser() {
        return needs.user() || (plan == null && !configured.plans().isEmpty());
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

    /**
     * Builds its limiter, or that of one of its plans.
     *
     * @param plan {@code null} for the limit itself
     * @param enforced whether it rejects; otherwise it is for shadow mode
     * @throws IllegalArgumentException if it cannot be built
     */
    Built build(LimiterFactory factory, @Nullable String plan, boolean enforced) {
        LimiterOptions options = configured.options(name.prefix(), plan, enforced);
        LimiterFactory limiters = factory.with(options);
        AnyLimit limit = configured.limit(plan);
        return limit instanceof ConcurrencyLimit held
                ? new Built(this, null, limiters.build(name.name(), held))
                : new Built(this, limiters.build(name.name(), (Limit) limit), null);
    }

    /**
     * A declared limit with its limiter.
     *
     * @param limiter {@code null} for a concurrency limit
     * @param concurrencyLimiter {@code null} for other limits
     */
    record Built(
            DeclaredLimit declared,
            @Nullable Limiter limiter,
            @Nullable ConcurrencyLimiter concurrencyLimiter) {}
}
