package io.limiter.spring.internal.settings;

import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.LimitKind;
import io.limiter.internal.factory.DefinedLimits;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.internal.text.NearestName;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * The configured settings of limits, by their names. They override annotations of that name, and are the limits that code asks for by
 * their names.
 */
public final class ConfiguredLimits implements DefinedLimits.Configured {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLimits.class);
    private static final String PROPERTY = "limiter.limits";
    private static final String ANNOTATION = "annotation";
    private static final Pattern NAME_OF_ELEMENT = Pattern.compile("[\\p{Alnum}_-]+");

    /** By their {@linkplain #uniform uniform} names. */
    private final Map<String, Written> written = new TreeMap<>();

    private final Map<String, InUse> inUse = new ConcurrentHashMap<>();

    /** @throws InvalidSettingException if two names have different settings, and are the same to environment variables */
    public ConfiguredLimits(Map<String, LimitSettings> byName) {
        byName.forEach((name, settings) -> {
            Written before = written.put(uniform(name), new Written(name, settings));
            if (before != null && !before.settings().equals(settings)) {
                throw new InvalidSettingException(
                        property(name),
                        " and " + property(before.name()) + " are the same name to environment variables, with"
                                + " different settings: write it one way in all files, or rename one of the limits");
            }
        });
    }

    /** Settings under their name in configuration. */
    private record Written(String name, LimitSettings settings) {}

    /** @param held whether it is a concurrency limit */
    private record InUse(String name, boolean held) {}

    /**
     * Reads {@code limiter.limits} without a bean, because limits are checked while beans are created.
     *
     * @throws InvalidSettingException naming a setting that is out of its range
     */
    public static Map<String, LimitSettings> read(Binder binder) {
        Map<String, LimitSettings> settings =
                new TreeMap<>(binder.bind(PROPERTY, Bindable.mapOf(String.class, LimitSettings.class))
                        .orElse(Map.of()));
        settings.forEach((name, limit) -> limit.check(property(name)));
        return settings;
    }

    /** A name as environment variables have it: its letters and digits in lower case. */
    public static String uniform(String name) {
        String uniform = name.codePoints()
                .filter(Character::isLetterOrDigit)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return uniform.isEmpty() ? name : uniform.toLowerCase(Locale.ROOT);
    }

    /** The prefix of a limit's settings, such as {@code limiter.limits.search}. */
    public static String property(String name) {
        return property(PROPERTY, name);
    }

    @Override
    public String setting(String name) {
        return property(name);
    }

    /** The name of a setting that is an entry of a map. */
    public static String property(String map, String name) {
        return isPlain(name) ? map + "." + name : map + "[" + name + "]";
    }

    /** Whether properties can have the name without brackets. */
    static boolean isPlain(String name) {
        return NAME_OF_ELEMENT.matcher(name).matches();
    }

    /**
     * The name of a setting that is an entry of a map.
     *
     * @param example follows the name of the map, for messages
     * @throws InvalidSettingException if the map is written as a list, whose order decides which entry another file changes
     */
    public static String property(String map, String key, String example) {
        if (key.chars().allMatch(Character::isDigit)) {
            throw new InvalidSettingException(
                    map + "[" + key + "]",
                    " is written as an entry of a list, but " + map
                            + " has names: write a name that is not a number instead, such as " + map + example);
        }
        return property(map, key);
    }

    /**
     * The limit of this name.
     *
     * @param declared describes the limit of its annotation
     * @param options of its annotation
     * @param permits the permits that a call takes
     * @throws InvalidSettingException if the configuration, or its combination with the annotation, makes no valid limit
     * @throws IllegalArgumentException if the annotation alone makes no valid limit
     */
    public Configured of(String name, LimitParameters declared, LimiterOptions options, long permits) {
        Written found = written.get(uniform(name));
        String property = property(name);
        checkIsForOne(name, declared.kind() == LimitKind.CONCURRENT, found != null);
        String places = "the annotation or " + property;
        if (found == null) {
            AnyLimit limit = declared.toLimit(permits, places);
            LimitSettings.checkShares(options, limit, permits);
            return new Configured(ANNOTATION, declared, limit, options, true, false, Map.of());
        }
        try {
            return found.settings().over(declared, options, property, places, permits);
        } catch (IllegalArgumentException e) {
            throw InvalidSettings.together(property, e);
        }
    }

    /** One name cannot have settings for two limits, except for those that share their permits. */
    private void checkIsForOne(String name, boolean held, boolean configured) {
        InUse before = inUse.putIfAbsent(uniform(name), new InUse(name, held));
        if (before == null) {
            return;
        }
        String other = before.name();
        boolean plain = isPlain(name) && isPlain(other);
        if (!other.equals(name) && (configured || plain)) {
            throw new InvalidSettingException(
                    property(name),
                    " and " + property(other) + " are the same to environment variables, and name two limits: give one"
                            + " of them another name");
        }
        if (configured && before.held() != held) {
            throw InvalidSettings.together(
                    property(name),
                    new IllegalArgumentException(
                            "the name is that of a @ConcurrentLimit and of another limit, and settings cannot be for"
                                    + " both: give one of them another name"));
        }
    }

    @Override
    public Set<String> names() {
        return written.values().stream().map(Written::name).collect(Collectors.toSet());
    }

    /** @throws IllegalArgumentException if the settings alone make no limit, are for shadow mode, or have no such plan */
    @Override
    public DefinedLimits.@Nullable DefinedLimit find(String name, @Nullable String plan, boolean held) {
        Written found = written.get(uniform(name));
        if (found == null) {
            return null;
        }
        String property = property(found.name());
        if (Boolean.FALSE.equals(found.settings().enforce())) {
            throw new InvalidSettingException(
                    property + ".enforce",
                    " must not be false for a limiter that code asks for by its name, because a limiter has no shadow mode:"
                            + " remove it, or let an annotation or a rule limit the calls");
        }
        Configured configured = found.settings().ofCode(property, held);
        if (plan != null && !configured.plans().containsKey(plan)) {
            throw new InvalidSettingException(
                    property + ".plans",
                    " must have the plan '" + plan + "', has "
                            + configured.plans().keySet());
        }
        checkIsForOne(name, configured.parameters().kind() == LimitKind.CONCURRENT, true);
        return new DefinedLimits.DefinedLimit(configured.limit(plan), configured.options(plan));
    }

    /**
     * Tells of names without an annotation: at WARN of those that are misspelt, or make no limit by themselves. The others may be for code
     * that asks for them later.
     */
    public void warnOfUnused() {
        Set<String> others = new TreeSet<>();
        List<String> known = inUse.values().stream().map(InUse::name).toList();
        written.forEach((uniform, each) -> {
            if (inUse.containsKey(uniform)) {
                return;
            }
            String nearest = NearestName.of(each.name(), known).orElse(null);
            if (nearest != null || !isWhole(each)) {
                log.warn(
                        "{}.* has no effect, because no @RateLimit, @CountLimit or @ConcurrentLimit of a bean so far has this"
                                + " name{}",
                        property(each.name()),
                        nearest == null
                                ? ", and it is not a complete limit, which code could ask for."
                                : ": did you mean '" + nearest + "'?");
            } else {
                others.add(each.name());
            }
        });
        if (!others.isEmpty()) {
            log.info(
                    "{}.* has limits without an annotation, which code can ask a LimiterFactory for by their names: {}",
                    PROPERTY,
                    others);
        }
    }

    private static boolean isWhole(Written each) {
        try {
            each.settings().ofCode(property(each.name()), true);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * A limit with its configuration.
     *
     * @param definedBy the prefix of its settings; {@code annotation} if it has none
     * @param parameters what describes it
     * @param options what its limiters have besides it
     * @param enforced whether it rejects; otherwise it is in shadow mode
     * @param internal whether it is not the caller's, who then gets a 503
     * @param plans by their names
     */
    public record Configured(
            String definedBy,
            LimitParameters parameters,
            AnyLimit limit,
            LimiterOptions options,
            boolean enforced,
            boolean internal,
            Map<String, Plan> plans) {

        /** The limit of a rule or a client, which says that of all its limits. */
        public Configured as(boolean nowEnforced, boolean nowInternal) {
            return new Configured(definedBy, parameters, limit, options, nowEnforced, nowInternal, plans);
        }

        /** How long a call waits for permits. */
        public Duration timeout() {
            return parameters.callTimeout();
        }

        /** @param plan one of {@link #plans}; {@code null} for the limit itself */
        public AnyLimit limit(@Nullable String plan) {
            return plan == null
                    ? limit
                    : Objects.requireNonNull(plans.get(plan)).limit();
        }

        /** Whether callers who share the permits would have different limits by their plans. */
        public boolean differsByPlan() {
            return plans.values().stream()
                    .anyMatch(plan -> !plan.unlimited()
                            && (plan.timeout() != null || !plan.limit().equals(limit)));
        }

        /** Whether callers of a plan are not limited. */
        public boolean isUnlimited(@Nullable String plan) {
            return plan != null && Objects.requireNonNull(plans.get(plan)).unlimited();
        }

        /**
         * What its limiters have.
         *
         * @param prefix starts the keys in Redis
         * @param plan {@code null} for the limit itself
         * @param rejecting whether they reject; otherwise they are for shadow mode, where there are no rejections to listen to
         */
        public LimiterOptions options(String prefix, @Nullable String plan, boolean rejecting) {
            LimiterOptions ofPlan = options(plan).withPrefix(prefix);
            // In shadow mode a call that the limit rejects is granted, so listeners must not hear of it.
            return rejecting ? ofPlan : ofPlan.withListeners(false);
        }

        /**
         * What limiters of code have.
         *
         * @param plan {@code null} for the limit itself
         */
        LimiterOptions options(@Nullable String plan) {
            LimiterOptions ofPlan = plan == null
                    ? options
                    : options.with(Objects.requireNonNull(plans.get(plan)).options())
                            .withPlan(plan);
            ofPlan = isUnlimited(plan) ? ofPlan.withUnlimited(true) : ofPlan;
            Prefetch prefetch = parameters.prefetch();
            // A plan that leaves permits to the others of its limit takes no prefetched ones.
            return prefetch == null || LimitSettings.leaves(ofPlan, limit(plan))
                    ? ofPlan
                    : ofPlan.withPrefetch(prefetch);
        }
    }

    /**
     * What differs for the callers of a plan.
     *
     * @param limit of the same kind
     * @param timeout how long a call waits for permits; {@code null} if as long as without a plan
     * @param unlimited whether they are not limited
     * @param options what its limiters have otherwise than those without a plan
     */
    public record Plan(AnyLimit limit, @Nullable Duration timeout, boolean unlimited, LimiterOptions options) {}
}
