package io.limiter.spring.check;

import io.limiter.LimiterTotals;
import io.limiter.live.LiveSettings;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
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
 * A limit of calls or requests and its plans, with what live limits change of their mode and their timeout. Safe for use by many
 * threads.
 *
 * @param <L> its limiter
 */
public final class LimitWithPlans<L> {

    private final LimitName name;
    private final String message;
    private final RejectionLog log;
    private final Configured configured;
    private final Function<String, Supplier<LiveSettings>> live;
    private final Limiters<L> limiters;
    private final Variant own;
    private final Map<String, Variant> plans = new TreeMap<>();
    private final PlanFinder finder;

    /**
     * @param message see {@link CheckedLimit}
     * @param log of the limit, in any mode
     * @param live returns the current live settings of a name, read with each call
     * @param limiters builds its limiters
     * @param otherPlans plans that are known, and have the definition of the limit itself
     * @throws IllegalArgumentException if a limiter cannot be built
     */
    public LimitWithPlans(
            LimitName name,
            String message,
            RejectionLog log,
            Configured configured,
            Function<String, Supplier<LiveSettings>> live,
            Limiters<L> limiters,
            Set<String> otherPlans) {
        this.name = name;
        this.message = message;
        this.log = log;
        this.configured = configured;
        this.live = live;
        this.limiters = limiters;
        this.own = new Variant(null, configured.timeout(), null);
        configured
                .plans()
                .forEach((plan, settings) -> plans.put(plan, new Variant(plan, settings.timeout(), own.last)));
        Set<String> known = new TreeSet<>(plans.keySet());
        known.addAll(otherPlans);
        this.finder = new PlanFinder(name(), known);
    }

    /** Builds the limiters of a limit and its plans. */
    @FunctionalInterface
    public interface Limiters<L> {

        /**
         * @param plan {@code null} for the limit itself
         * @param enforced whether it rejects; otherwise it is for shadow mode
         */
        L build(@Nullable String plan, boolean enforced);
    }

    /**
     * The same as it is for one call, from its start to its end.
     *
     * @param ofLimit of a plan, that of its limit; otherwise {@code null}
     */
    public record ForCall<L>(
            LiveSettings live, @Nullable ForCall<L> ofLimit, CheckedLimit limit, Duration timeout, L limiter) {}

    public String name() {
        return name.name();
    }

    public boolean hasPlans() {
        return !plans.isEmpty();
    }

    /** The limit itself, for the next call. */
    public ForCall<L> forCall() {
        return own.forCall(null);
    }

    /**
     * The limit for the next call, with the definition of the call's plan. That of the limit itself applies if the plan is unknown or
     * cannot be found, which is logged.
     *
     * @param planOfCall the name of the plan; {@code null} or blank for none, and so is a missing part of the call
     */
    public ForCall<L> forCall(Supplier<@Nullable String> planOfCall) {
        String name = finder.find(planOfCall);
        Variant plan = name == null ? null : plans.get(name);
        return plan == null ? forCall() : plan.forCall(forCall());
    }

    /** The limit itself or a plan. */
    private final class Variant {

        private final @Nullable String plan;
        private final @Nullable Duration timeout;
        private final String countedAs;
        private final Supplier<LiveSettings> settings;
        private volatile ForCall<L> last;

        Variant(@Nullable String plan, @Nullable Duration timeout, @Nullable ForCall<L> ofLimit) {
            this.plan = plan;
            this.timeout = timeout;
            this.countedAs = plan == null ? name() : LimiterTotals.planName(name(), plan);
            this.settings = live.apply(countedAs);
            this.last = apply(settings.get(), ofLimit);
        }

        ForCall<L> forCall(@Nullable ForCall<L> ofLimit) {
            LiveSettings current = settings.get();
            ForCall<L> used = last;
            if (used.live() != current || used.ofLimit() != ofLimit) {
                used = apply(current, ofLimit);
                last = used;
            }
            return used;
        }

        private ForCall<L> apply(LiveSettings current, @Nullable ForCall<L> ofLimit) {
            boolean otherwise =
                    ofLimit == null ? configured.enforced() : ofLimit.limit().enforced();
            boolean enforced = current.enforce() == null ? otherwise : current.enforce();
            Duration own = current.timeout() == null ? timeout : current.timeout();
            return new ForCall<>(
                    current,
                    ofLimit,
                    new CheckedLimit(name, countedAs, enforced, configured.internal(), message, log.inMode(enforced)),
                    own == null ? Objects.requireNonNull(ofLimit).timeout() : own,
                    limiters.build(plan, enforced));
        }
    }
}
