package io.limiter.spring.settings;

import io.limiter.FailurePolicy;
import io.limiter.Prefetch;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.arithmetic.Check;
import io.limiter.internal.key.KeySpace;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
import io.limiter.spring.settings.ConfiguredLimits.Plan;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.convert.DurationUnit;
import org.springframework.util.ReflectionUtils;

/**
 * The settings of one limit in configuration, of whatever kind; {@code null} where they are not set. Durations that are
 * plain numbers are seconds, as in the annotations.
 *
 * @param kind token-bucket, fixed-window, sliding-log, sliding-counter, leaky-bucket, leaky-queue or concurrent
 * @param rate permits of a token bucket or a leaky bucket per second, or in the time of per
 * @param per the time that rate is for, a second if not set, or the length of a window: a duration, which begins with its first
 *     permit, or, for a fixed window, minute, hour or day of the calendar
 * @param burst capacity of a token bucket in seconds of its rate, instead of capacity
 * @param capacity capacity of a token bucket in permits; the number in rate, at least 1, if neither it nor burst is set; capacity
 *     of a leaky bucket, or most waiting calls of a leaky queue
 * @param warmUp how long a cold token bucket takes to reach its rate; it has neither burst nor capacity then
 * @param timeout how long a call waits for permits; not at all if not set, but in a leaky queue as long as that allows
 * @param expire how long the state of an unused token bucket is kept at least
 * @param prefetchTime how long an instance uses permits of a token bucket that it has prefetched; none are if not set
 * @param prefetchCalls how often per second the fleet calls Redis to prefetch permits of one key
 * @param limit most permits in a window, or most concurrent calls
 * @param zone time zone of the calendar whose minute, hour or day a fixed window is; UTC if not set
 * @param lease how long a concurrency permit of a crashed instance is held
 * @param namespace in which the limit takes its permits, to share them with other applications; the application's own if not set
 * @param enforce whether the limit rejects calls; if not, it is in shadow mode
 * @param internal whether the limit is not the caller's: its rejections answer 503, and the RateLimit headers omit it
 * @param onFailure how the limit decides while Redis is unavailable: local, owner, deny, allow, throw, or local with the share of
 *     the limit that each instance decides under, such as local(0.2)
 * @param ban when a key that is rejected too often is banned, and for how long
 * @param plans what differs for the callers of each plan, by the plan's name: rate, per, burst, capacity, limit and timeout
 */
public record LimitSettings(
        @Nullable LimitKind kind,
        @Nullable Double rate,
        @Nullable Per per,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration burst,
        @Nullable Long capacity,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration warmUp,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration timeout,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration expire,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration prefetchTime,
        @Nullable Integer prefetchCalls,
        @Nullable Long limit,
        @Nullable ZoneId zone,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration lease,
        @Nullable String namespace,
        @Nullable Boolean enforce,
        @Nullable Boolean internal,
        @Nullable String onFailure,
        @Nullable BanSettings ban,
        @Nullable Map<String, LimitSettings> plans) {

    private static final Set<String> OF_EVERY_KIND =
            Set.of("kind", "namespace", "enforce", "internal", "on-failure", "ban", "plans");

    /** The settings that a plan can have. Those that are not set are the limit's. */
    private static final Set<String> OF_PLAN =
            new TreeSet<>(List.of("rate", "per", "burst", "capacity", "limit", "timeout"));

    /**
     * Checks that each setting is allowed.
     *
     * @param property what the names of the settings start with, such as {@code limiter.limits.search}; empty for those of an
     *     annotation
     * @throws InvalidSettingException naming the setting that is out of range, unknown or without effect
     */
    public void check(String property) {
        String prefix = property.isEmpty() ? "" : property + ".";
        SettingChecks.range(prefix + "rate", rate, TokenBucket.MIN_RATE, TokenBucket.MAX_RATE);
        SettingChecks.range(prefix + "capacity", capacity, 1L, TokenBucket.MAX_CAPACITY);
        SettingChecks.range(prefix + "burst", burst, Duration.ofNanos(1), SettingChecks.LONGEST);
        SettingChecks.range(prefix + "warm-up", warmUp, Duration.ofNanos(1000), SettingChecks.LONGEST);
        SettingChecks.range(prefix + "timeout", timeout, Duration.ZERO, SettingChecks.LONGEST);
        SettingChecks.range(prefix + "expire", expire, Duration.ofMillis(1), SettingChecks.LONGEST);
        SettingChecks.range(prefix + "prefetch-time", prefetchTime, Prefetch.SHORTEST_TIME, Prefetch.LONGEST_TIME);
        SettingChecks.range(prefix + "prefetch-calls", prefetchCalls, 1, Prefetch.MOST_CALLS_PER_SECOND);
        SettingChecks.range(prefix + "limit", limit, 1L, Check.MAX_PERMITS);
        SettingChecks.range(prefix + "lease", lease, Duration.ofMillis(100), SettingChecks.LONGEST);
        SettingChecks.failurePolicy(prefix + "on-failure", onFailure);
        if (namespace != null) {
            SettingChecks.named(prefix + "namespace", ": ", () -> {
                KeySpace.checkNamespace(namespace);
                return null;
            });
        }
        if (kind != null) {
            checkUses(kind, prefix, names());
        }
        toBan(property);
        ofPlans().forEach((plan, settings) -> settings.checkPlan(plan(property, plan)));
    }

    /** The settings that only some kinds have. */
    private static Set<String> ofKind(LimitKind kind) {
        return new TreeSet<>(
                switch (kind) {
                    case TOKEN_BUCKET ->
                        List.of(
                                "rate",
                                "per",
                                "burst",
                                "capacity",
                                "warm-up",
                                "timeout",
                                "expire",
                                "prefetch-time",
                                "prefetch-calls");
                    case FIXED_WINDOW -> List.of("limit", "per", "zone", "timeout");
                    case SLIDING_LOG, SLIDING_COUNTER -> List.of("limit", "per", "timeout");
                    case LEAKY_BUCKET, LEAKY_QUEUE -> List.of("capacity", "rate", "per", "timeout");
                    case CONCURRENT -> List.of("limit", "lease", "timeout");
                });
    }

    /** @throws InvalidSettingException if one of the settings has no effect on this kind */
    private static void checkUses(LimitKind kind, String prefix, Set<String> names) {
        Set<String> known = ofKind(kind);
        for (String name : names) {
            if (!known.contains(name) && !OF_EVERY_KIND.contains(name)) {
                throw new InvalidSettingException(
                        prefix + name, " has no effect on kind " + kind + ", which has " + String.join(", ", known));
            }
        }
    }

    private void checkPlan(String property) {
        for (String name : names()) {
            if (!OF_PLAN.contains(name)) {
                throw new InvalidSettingException(
                        property + "." + name, " has no effect on a plan, which has " + String.join(", ", OF_PLAN));
            }
        }
        check(property);
    }

    /**
     * The ban of the limit's keys; {@code null} for none.
     *
     * @param property what the names of the settings start with
     * @throws InvalidSettingException if it is no valid ban, or the limit prefetches
     */
    @Nullable
    Ban toBan(String property) {
        if (ban != null && prefetchTime != null) {
            throw new InvalidSettingException(
                    property + ".ban",
                    " and " + property
                            + ".prefetch-time exclude each other, because prefetched permits are"
                            + " granted without Redis, which knows the ban: remove one of them");
        }
        return ban == null ? null : ban.toBan(property + ".ban");
    }

    /** What the names of a plan's settings start with. */
    private static String plan(String property, String plan) {
        return ConfiguredLimits.property(property + ".plans", plan);
    }

    public Set<String> planNames() {
        return plans == null ? Set.of() : plans.keySet();
    }

    /** The settings of the plans by their names. */
    private Map<String, LimitSettings> ofPlans() {
        return plans == null ? Map.of() : new TreeMap<>(plans);
    }

    /**
     * The plans of the limit.
     *
     * @param property what the names of the settings start with
     * @param own the settings of the limit itself, with those that are not here
     * @param permits as many as a call takes
     * @throws InvalidSettingException if the settings of one make no valid limit of the kind
     */
    Map<String, Plan> planned(String property, KindSettings own, long permits) {
        Map<String, Plan> planned = new TreeMap<>();
        ofPlans().forEach((plan, settings) -> {
            String ofPlan = plan(property, plan);
            try {
                checkUses(own.kind(), "", settings.names());
                planned.put(plan, new Plan(own.plannedBy(settings).toLimit(permits, ofPlan), settings.timeout()));
            } catch (IllegalArgumentException e) {
                throw InvalidSettingException.together(ofPlan, e);
            }
        });
        return planned;
    }

    /**
     * These settings with those of an annotation where they are not set. Of an annotation of another kind they replace all.
     *
     * @throws IllegalArgumentException if one of them has no effect on the kind, or one of both is that of a concurrency limit
     */
    KindSettings over(KindSettings declared) {
        LimitKind used = kind == null ? declared.kind() : kind;
        if (ban != null && used == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "ban has no effect on kind concurrent, whose permits are held: remove it");
        }
        if (used == declared.kind()) {
            checkUses(used, "", names());
            return declared.overriddenBy(this);
        }
        if (declared.kind() == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "kind must be concurrent or not set for a @ConcurrentLimit, was '" + used + "'");
        }
        if (used == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "kind concurrent is for a @ConcurrentLimit, not for a limit of permits that are spent: use another kind");
        }
        return of(used);
    }

    /**
     * These settings for a kind.
     *
     * @throws InvalidSettingException if one of them has no effect on it
     */
    public KindSettings of(LimitKind used) {
        checkUses(used, "", names());
        return new KindSettings(used, this);
    }

    /**
     * These settings, replaced by those that are set in others. Burst, capacity and warm-up replace one another, and
     * a duration replaces the calendar with its zone.
     */
    LimitSettings overriddenBy(LimitSettings others) {
        boolean sized = others.burst != null || others.capacity != null || others.warmUp != null;
        return new LimitSettings(
                others.kind,
                first(others.rate, rate),
                first(others.per, per),
                sized ? others.burst : burst,
                sized ? others.capacity : capacity,
                sized ? others.warmUp : warmUp,
                first(others.timeout, timeout),
                first(others.expire, expire),
                first(others.prefetchTime, prefetchTime),
                first(others.prefetchCalls, prefetchCalls),
                first(others.limit, limit),
                others.zone == null && others.per != null && others.per.unit() == null
                        ? null
                        : first(others.zone, zone),
                first(others.lease, lease),
                others.namespace,
                others.enforce,
                first(others.internal, internal),
                others.onFailure,
                others.ban,
                others.plans);
    }

    /**
     * The settings of a limit of outgoing calls.
     *
     * @param callTimeout how long a call waits
     * @param ofCalls whether it is internal
     */
    public LimitSettings ofClient(Duration callTimeout, boolean ofCalls) {
        return new LimitSettings(
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        callTimeout,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        ofCalls,
                        null,
                        null,
                        null)
                .overriddenBy(this);
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one == null ? other : one;
    }

    /**
     * The limit of these settings alone, not a concurrency limit. Without a kind it is a token bucket if there is a rate, or
     * else a fixed window.
     *
     * @param property what the names of the settings start with
     * @param permits as many as a call takes
     * @param enforced whether it rejects
     * @throws IllegalArgumentException if a setting is missing, out of its range or without effect, or if the limit would never
     *     grant the permits of a call
     */
    public Configured toLimit(String property, long permits, boolean enforced) {
        LimitKind usual = rate != null ? LimitKind.TOKEN_BUCKET : LimitKind.FIXED_WINDOW;
        return toLimit(property, over(new KindSettings(usual, this)), permits, enforced);
    }

    /**
     * As {@link #toLimit}, for code, and also a concurrency limit.
     *
     * @param held whether settings that are for none of the other kinds are for a concurrency limit
     * @throws InvalidSettingException if they make no valid limit
     */
    Configured ofCode(String property, boolean held) {
        LimitKind used = kind;
        if (used == null) {
            boolean onlyHeld = rate == null && per == null;
            used = held && onlyHeld
                    ? LimitKind.CONCURRENT
                    : rate != null ? LimitKind.TOKEN_BUCKET : LimitKind.FIXED_WINDOW;
        }
        try {
            return toLimit(property, over(new KindSettings(used, this)), 1, true);
        } catch (IllegalArgumentException e) {
            boolean isNamed = e instanceof InvalidSettingException named
                    && named.setting().startsWith(property);
            throw isNamed ? e : InvalidSettingException.together(property, e);
        }
    }

    private Configured toLimit(String property, KindSettings used, long permits, boolean enforced) {
        return Configured.of(
                        property, property, used, permits, enforced, Boolean.TRUE.equals(internal), failurePolicy())
                .with(planned(property, used, permits), toBan(property));
    }

    /** The failure policy while Redis is unavailable; {@code null} for the application's policy. */
    @Nullable
    FailurePolicy failurePolicy() {
        return SettingChecks.failurePolicy("on-failure", onFailure);
    }

    /** The names of the settings that are set. */
    Set<String> names() {
        return Arrays.stream(LimitSettings.class.getRecordComponents())
                .filter(setting -> ReflectionUtils.invokeMethod(setting.getAccessor(), this) != null)
                .map(setting -> DataObjectPropertyName.toDashedForm(setting.getName()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
