package io.limiter.spring.internal.settings;

import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.parameters.Anchor;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.internal.parameters.Per;
import io.limiter.spring.internal.settings.ConfiguredLimits.Configured;
import io.limiter.spring.internal.settings.ConfiguredLimits.Plan;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 *     permit, or, for a fixed window, minute, hour, day, week, month or year of the calendar
 * @param burst capacity of a token bucket in seconds of its rate, instead of capacity
 * @param capacity capacity of a token bucket in permits; the number in rate, at least 1, if neither it nor burst is set; capacity
 *     of a leaky bucket, or most waiting calls of a leaky queue
 * @param warmUp how long a cold token bucket takes to reach its rate; it has neither burst nor capacity then
 * @param timeout how long a call waits for permits; not at all if not set, but in a leaky queue as long as that allows
 * @param expire how long the state of an unused token bucket is kept at least
 * @param prefetchTime how long an instance uses permits of a token bucket that it has prefetched; none are if not set
 * @param prefetchCalls how often per second the fleet calls Redis to prefetch permits of one key
 * @param limit most permits in a window, or most concurrent calls
 * @param zone time zone of the calendar by which a fixed window goes; UTC if not set
 * @param anchor date from which the weeks, months or years of a fixed window are counted, such as 2026-01-15; Monday, the first of
 *     the month or the first of January if not set
 * @param lease how long a concurrency permit of a crashed instance is held
 * @param namespace in which the limit takes its permits, to share them with other applications; the application's own if not set
 * @param enforce whether the limit rejects calls; if not, it is in shadow mode
 * @param internal whether the limit is not the caller's: its rejections answer 503, and the RateLimit headers omit it
 * @param onFailure how the limit decides while Redis is unavailable: local, owner, deny, allow, throw, or local with the share of
 *     the limit that each instance decides under, such as local(0.2)
 * @param ban when a key that is rejected too often is banned, and for how long
 * @param leave how much of its capacity the limit leaves to other limits of its name, a share such as 20% or a number of permits; nothing
 *     if not set, or 0
 * @param warnAt how much of a fixed window is used when it warns once, a share such as 80% or a number of permits; it does not if not
 *     set, or 0
 * @param unlimited of a plan alone: whether its callers are not limited, so that no other setting may be set with it
 * @param plans what differs for the callers of each plan, by the plan's name: rate, per, burst, capacity, limit, timeout,
 *     leave and warn-at, or unlimited
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
        @Nullable Anchor anchor,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration lease,
        @Nullable String namespace,
        @Nullable Boolean enforce,
        @Nullable Boolean internal,
        @Nullable String onFailure,
        @Nullable BanSettings ban,
        @Nullable String leave,
        @Nullable String warnAt,
        @Nullable Boolean unlimited,
        @Nullable Map<String, LimitSettings> plans) {

    /** The settings that a plan can have. A plan has the settings of its limit where it sets none. */
    private static final Set<String> OF_PLAN = new TreeSet<>(
            List.of("rate", "per", "burst", "capacity", "limit", "timeout", "leave", "warn-at", "unlimited"));

    /** What describes the limit itself, as annotations and live limits do, too. */
    public LimitParameters parameters() {
        return LimitParameters.of(kind)
                .with("rate", rate)
                .with("per", per)
                .with("burst", burst)
                .with("capacity", capacity)
                .with("warm-up", warmUp)
                .with("timeout", timeout)
                .with("expire", expire)
                .with("prefetch-time", prefetchTime)
                .with("prefetch-calls", prefetchCalls)
                .with("limit", limit)
                .with("zone", zone)
                .with("anchor", anchor)
                .with("lease", lease);
    }

    /**
     * Checks that each setting is allowed.
     *
     * @param property what the names of the settings start with, such as {@code limiter.limits.search}
     * @throws InvalidSettingException naming the setting that is out of range, unknown or without effect
     */
    public void check(String property) {
        if (unlimited != null) {
            throw new InvalidSettingException(
                    property + ".unlimited",
                    " has no effect outside a plan: set it for the callers of one, such as " + property
                            + ".plans.internal.unlimited=true, or remove it");
        }
        checkOwn(property);
    }

    private void checkOwn(String property) {
        SettingChecks.parameters(property + ".", parameters());
        options(property);
        ofPlans().forEach((plan, settings) -> settings.checkPlan(plan(property, plan)));
    }

    private void checkPlan(String property) {
        for (String name : names()) {
            if (!OF_PLAN.contains(name)) {
                throw new InvalidSettingException(
                        property + "." + name, " has no effect on a plan, which has " + String.join(", ", OF_PLAN));
            }
        }
        Set<String> others = names();
        others.remove("unlimited");
        if (isUnlimited() && !others.isEmpty()) {
            throw new InvalidSettingException(
                    property + ".unlimited",
                    "=true leaves the limit out for the plan, so " + String.join(", ", others)
                            + " would have no effect: remove one of them");
        }
        checkOwn(property);
    }

    /** Whether callers who share the permits would have different limits by their plans. */
    public boolean differsByPlan() {
        return ofPlans().values().stream()
                .anyMatch(plan ->
                        !plan.isUnlimited() && !Set.of("leave", "warn-at").containsAll(plan.names()));
    }

    private boolean isUnlimited() {
        return Boolean.TRUE.equals(unlimited);
    }

    /** The names of the settings that are set. */
    private Set<String> names() {
        return Arrays.stream(LimitSettings.class.getRecordComponents())
                .filter(setting -> ReflectionUtils.invokeMethod(setting.getAccessor(), this) != null)
                .map(setting -> DataObjectPropertyName.toDashedForm(setting.getName()))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /**
     * What the limiters have besides their limit.
     *
     * @param property what the names of the settings start with
     * @throws InvalidSettingException naming a setting that is out of range or has no effect
     */
    private LimiterOptions options(String property) {
        FailurePolicy policy = SettingChecks.failurePolicy(property + ".on-failure", onFailure);
        LimiterOptions options = policy == null ? LimiterOptions.NONE : LimiterOptions.NONE.withFailurePolicy(policy);
        if (namespace != null) {
            LimiterOptions others = options;
            options = SettingChecks.named(property + ".namespace", ": ", () -> others.withNamespace(namespace));
        }
        Share left = share(property + ".leave", leave);
        if (left != null) {
            options = options.withLeave(left);
        }
        Share used = share(property + ".warn-at", warnAt);
        if (used != null) {
            options = options.withWarnAt(used);
        }
        if (ban == null) {
            return options;
        }
        if (prefetchTime != null) {
            throw new InvalidSettingException(
                    property + ".ban",
                    " and " + property
                            + ".prefetch-time exclude each other, because prefetched permits are"
                            + " granted without Redis, which knows the ban: remove one of them");
        }
        return options.withBan(ban.toBan(property + ".ban"));
    }

    /** @throws InvalidSettingException if it is none */
    private static @Nullable Share share(String setting, @Nullable String text) {
        return text == null ? null : SettingChecks.named(setting, ": ", () -> Share.parse(text));
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
     * @param own describes the limit itself
     * @throws InvalidSettingException if the settings of one make no valid limit of the kind
     */
    private Map<String, Plan> planned(String property, LimitParameters own, LimiterOptions options, long permits) {
        Map<String, Plan> planned = new TreeMap<>();
        ofPlans().forEach((plan, settings) -> {
            String ofPlan = plan(property, plan);
            try {
                String size = settings.burst() != null ? "burst" : settings.capacity() != null ? "capacity" : null;
                Object warm = own.values().get("warm-up");
                if (warm != null && size != null) {
                    throw new IllegalArgumentException(
                            size + " has no effect with the warm-up " + warm + " of the limit, leave it out");
                }
                AnyLimit limit = settings.over(own).toLimit(permits, ofPlan);
                LimiterOptions differing = settings.options(ofPlan);
                checkShares(options.with(differing), limit, permits);
                planned.put(plan, new Plan(limit, settings.timeout(), settings.isUnlimited(), differing));
            } catch (IllegalArgumentException e) {
                throw InvalidSettings.together(ofPlan, e);
            }
        });
        return planned;
    }

    /**
     * What describes the limit of these settings and an annotation, or of a limit and these settings of a plan.
     *
     * @throws IllegalArgumentException if one of them has no effect on the kind, or one of both is that of a concurrency limit
     */
    private LimitParameters over(LimitParameters lower) {
        LimitKind of = Objects.requireNonNull(lower.kind());
        LimitKind used = kind == null ? of : kind;
        if (ban != null && used == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "ban has no effect on kind concurrent, whose permits are held: remove it");
        }
        if (warnAt != null && used != LimitKind.FIXED_WINDOW) {
            throw new IllegalArgumentException(
                    "warn-at has no effect on kind " + used + ", only a fixed-window warns: remove it");
        }
        if (used != of && of == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "kind must be concurrent or not set for a @ConcurrentLimit, was '" + used + "'");
        }
        if (used != of && used == LimitKind.CONCURRENT) {
            throw new IllegalArgumentException(
                    "kind concurrent is for a @ConcurrentLimit, not for a limit of permits that are spent: use another kind");
        }
        LimitParameters own = parameters().as(used);
        SettingChecks.parameters("", own);
        return own.over(lower);
    }

    /**
     * The limit of these settings over those of an annotation.
     *
     * @param places where its settings can be set, for messages
     * @param permits the permits that a call takes
     * @param otherwise the options of the annotation
     * @throws IllegalArgumentException if they make no limit, or one that would never grant the permits of a call
     */
    Configured over(LimitParameters declared, LimiterOptions otherwise, String property, String places, long permits) {
        LimitParameters used = over(declared);
        AnyLimit limit = used.toLimit(permits, places);
        LimiterOptions options = otherwise.with(options(property));
        checkShares(options, limit, permits);
        if (used.prefetch() != null && leaves(options, limit)) {
            throw new IllegalArgumentException(
                    "leave and prefetch-time exclude each other, because prefetched permits are taken before it is known how many are"
                            + " left: remove one of them");
        }
        return new Configured(
                property,
                used,
                limit,
                options,
                enforce == null || enforce,
                Boolean.TRUE.equals(internal),
                planned(property, used, options, permits));
    }

    /**
     * The limit of these settings alone, not a concurrency limit. Without a kind it is a token bucket if there is a rate, or
     * else a fixed window.
     *
     * @param property what the names of the settings start with
     * @param permits the permits that a call takes
     * @throws IllegalArgumentException if a setting is missing, out of its range or without effect, or if the limit would never
     *     grant the permits of a call
     */
    public Configured toLimit(String property, long permits) {
        return over(LimitParameters.of(spent()), LimiterOptions.NONE, property, property, permits);
    }

    /** The limit as {@link #toLimit} makes it, for outgoing calls that wait as long for permits. */
    public Configured toLimitOfCalls(String property, Duration callTimeout) {
        return over(
                LimitParameters.of(spent()).with("timeout", callTimeout), LimiterOptions.NONE, property, property, 1);
    }

    /**
     * @param permits the permits that a call takes
     * @throws IllegalArgumentException if a share of the limit has no effect, or is too large
     */
    static void checkShares(LimiterOptions options, AnyLimit limit, long permits) {
        Share warnAt = options.warnAt().orElse(null);
        if (warnAt != null && limit instanceof FixedWindow window && warnAt.of(window.limit()) > window.limit()) {
            throw new IllegalArgumentException(
                    "warn-at must be at most the limit of " + window.limit() + ", was " + warnAt);
        }
        Share leave = options.leave().orElse(null);
        if (leave == null) {
            return;
        }
        if (!limit.asStep().leavesPermits()) {
            String kind = LimitKind.of(limit).map(LimitKind::toString).orElse("own");
            throw new IllegalArgumentException("leave has no effect on kind " + kind
                    + (limit instanceof TokenBucket ? " with a warm-up" : "") + ": remove it");
        }
        if (leave.of(limit.capacity()) > limit.capacity() - permits) {
            throw new IllegalArgumentException("leave must leave the " + permits
                    + " permits of a call, of a capacity of " + limit.capacity() + ", was " + leave);
        }
    }

    /** Whether limiters of a limit leave permits to others; a share of 0 leaves none. */
    static boolean leaves(LimiterOptions options, AnyLimit limit) {
        return options.leave().filter(leave -> leave.of(limit.capacity()) > 0).isPresent();
    }

    /** The kind of a limit whose permits are spent; if it is another, {@link #over} says so. */
    private LimitKind spent() {
        if (kind != null && kind != LimitKind.CONCURRENT) {
            return kind;
        }
        return rate != null ? LimitKind.TOKEN_BUCKET : LimitKind.FIXED_WINDOW;
    }

    /**
     * As {@link #toLimit}, for code, and also a concurrency limit.
     *
     * @param held whether settings that are for none of the other kinds are for a concurrency limit
     * @throws InvalidSettingException if they make no valid limit
     */
    Configured ofCode(String property, boolean held) {
        boolean isHeld = kind == LimitKind.CONCURRENT || (kind == null && held && rate == null && per == null);
        try {
            return over(
                    LimitParameters.of(isHeld ? LimitKind.CONCURRENT : spent()),
                    LimiterOptions.NONE,
                    property,
                    property,
                    1);
        } catch (IllegalArgumentException e) {
            throw InvalidSettings.together(property, e);
        }
    }
}
