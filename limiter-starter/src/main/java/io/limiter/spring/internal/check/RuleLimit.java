package io.limiter.spring.internal.check;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.internal.limiter.EngineLimiter;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.settings.ConfiguredLimits.Configured;
import io.limiter.spring.internal.settings.InvalidSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One limit of a rule and its plans. Each call asks for the {@link CallLimit}, because live limits may have changed the mode or the
 * timeout. Safe for use by many threads.
 */
public final class RuleLimit {

    private final LimitName name;
    private final String message;
    private final RejectionLog log;
    private final Configured configured;
    private final LimiterFactory factory;
    private final Function<String, Supplier<LiveSettings>> live;
    private final boolean asksForPlan;
    private final Variant own;
    private final Map<String, Variant> plans = new TreeMap<>();
    private final PlanFinder finder;

    /**
     * Builds its limiters.
     *
     * @param message see {@link CallLimit}
     * @param log of the limit, in any mode
     * @param live returns the current live settings of a name, read with each call
     * @param otherPlans the plans of the other limits of its rule: they are known, and have the definition of this limit itself
     * @throws IllegalArgumentException if a limiter cannot be built
     */
    public RuleLimit(
            LimitName name,
            String message,
            RejectionLog log,
            Configured configured,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live,
            Set<String> otherPlans) {
        this.name = name;
        this.message = message;
        this.log = log;
        this.configured = configured;
        this.factory = factory;
        this.live = live;
        this.asksForPlan = !configured.plans().isEmpty() || otherPlans.isEmpty();
        this.own = new Variant(null, configured.timeout(), null);
        configured
                .plans()
                .forEach((plan, settings) -> plans.put(plan, new Variant(plan, settings.timeout(), own.last.limit())));
        Set<String> known = new TreeSet<>(plans.keySet());
        known.addAll(otherPlans);
        this.finder = new PlanFinder(name.name(), known);
    }

    public LimitName name() {
        return name;
    }

    public boolean hasPlans() {
        return !plans.isEmpty();
    }

    /** Whether the plan that a rule names matters: if only other limits of the rule have plans, it does not. */
    boolean asksForPlan() {
        return asksForPlan;
    }

    /** The limit itself, for the next call. */
    public CallLimit effective() {
        return own.effective(null);
    }

    /**
     * The limit for the next call, with the definition of the call's plan. The definition of the limit itself applies if the plan is
     * unknown or cannot be found, which is logged.
     *
     * @param planOfCall the name of the plan; {@code null} or blank for none, and so is a missing part of the call
     */
    CallLimit effective(Supplier<@Nullable String> planOfCall) {
        String found = finder.find(planOfCall);
        Variant plan = found == null ? null : plans.get(found);
        return plan == null ? effective() : plan.effective(effective());
    }

    /**
     * Checks at the start that permits of this limit can be taken as those of a set, which several limits and a charge by the outcome
     * need. Held permits are taken after the set.
     *
     * @throws IllegalArgumentException if the limiter is of a factory that is none of this library, and forwards to none
     */
    public void checkIsForSets() {
        Limiter limiter = effective().limiter();
        if (limiter != null && !(limiter instanceof EngineLimiter<?>)) {
            throw new IllegalArgumentException(
                    "several limits, chargeOn and settle need a LimiterFactory of this library,"
                            + " or one that forwards to it, and its limiter is a "
                            + limiter.getClass().getName()
                            + ": define such a LimiterFactory bean, or use one limit without them");
        }
    }

    /**
     * Checks that no plan is unlimited.
     *
     * @param source from which callers choose their plan
     */
    void checkIsLimited(String source) {
        plans.keySet().stream().filter(configured::isUnlimited).findFirst().ifPresent(plan -> {
            throw InvalidSettings.ofChosenPlan(
                    ConfiguredLimits.property(configured.definedBy() + ".plans", plan) + ".unlimited", source);
        });
    }

    /** Whether a limiter is the one of this limit, or of a plan of it. */
    boolean has(String limiterPrefix, String limiterName) {
        return limiterPrefix.startsWith(name.prefix()) && limiterName.equals(name.name());
    }

    /** What a call found last, and what it depends on. */
    private record Last(LiveSettings live, @Nullable CallLimit withoutPlan, CallLimit limit) {}

    /** The limit itself or a plan. */
    private final class Variant {

        private final @Nullable String plan;
        private final @Nullable Duration timeout;
        private final Supplier<LiveSettings> settings;
        private volatile Last last;

        Variant(@Nullable String plan, @Nullable Duration timeout, @Nullable CallLimit withoutPlan) {
            this.plan = plan;
            this.timeout = timeout;
            this.settings = live.apply(plan == null ? name.name() : LimiterTotals.planName(name.name(), plan));
            LiveSettings current = settings.get();
            this.last = new Last(current, withoutPlan, apply(current, withoutPlan));
        }

        /** @param withoutPlan the limit that a plan is of; {@code null} for the limit itself */
        CallLimit effective(@Nullable CallLimit withoutPlan) {
            LiveSettings current = settings.get();
            Last known = last;
            if (known.live() != current || known.withoutPlan() != withoutPlan) {
                known = new Last(current, withoutPlan, apply(current, withoutPlan));
                last = known;
            }
            return known.limit();
        }

        private CallLimit apply(LiveSettings current, @Nullable CallLimit withoutPlan) {
            boolean otherwise = withoutPlan == null ? configured.enforced() : withoutPlan.enforced();
            boolean enforced = current.enforce() == null ? otherwise : current.enforce();
            Duration given = current.timeout() == null ? timeout : current.timeout();
            LimiterFactory limiters = factory.with(configured.options(name.prefix(), plan, enforced));
            AnyLimit definition = configured.limit(plan);
            Limiter limiter = definition instanceof Limit spent ? limiters.build(name.name(), spent) : null;
            ConcurrencyLimiter leases =
                    definition instanceof ConcurrencyLimit held ? limiters.build(name.name(), held) : null;
            return new CallLimit(
                    name,
                    enforced,
                    configured.internal(),
                    message,
                    log.inMode(enforced),
                    given == null ? Objects.requireNonNull(withoutPlan).timeout() : given,
                    limiter,
                    leases,
                    definition,
                    limiters,
                    configured.isUnlimited(plan));
        }
    }
}
