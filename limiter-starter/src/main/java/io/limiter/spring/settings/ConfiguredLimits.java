package io.limiter.spring.settings;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings of annotated limits in configuration, by the names of limits. They override the annotations. */
public final class ConfiguredLimits {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLimits.class);
    private static final String PROPERTY = "limiter.limits";
    private static final Pattern NAME_OF_ELEMENT = Pattern.compile("[\\p{Alnum}_-]+");

    private final Map<String, LimitSettings> byName;
    private final Map<String, Boolean> heldByName = new ConcurrentHashMap<>();

    public ConfiguredLimits(Map<String, LimitSettings> byName) {
        this.byName = Map.copyOf(byName);
    }

    /** The prefix of a limit's settings, such as {@code limiter.limits.search}. */
    public static String property(String name) {
        return NAME_OF_ELEMENT.matcher(name).matches() ? PROPERTY + "." + name : PROPERTY + "[" + name + "]";
    }

    /**
     * The limit of this name.
     *
     * @param declared the settings of its annotation, with their kind
     * @throws IllegalArgumentException if they cannot work, perhaps because of both together
     */
    public Configured of(String name, LimitSettings declared) {
        LimitSettings settings = byName.get(name);
        if (settings == null) {
            return Configured.of(declared, null, declared.onFailure());
        }
        boolean held = LimitKinds.CONCURRENT.equals(declared.kind());
        try {
            checkIsForOne(name, held);
            boolean same = settings.kind() == null || settings.kind().equals(declared.kind());
            if (held && !same) {
                throw new IllegalArgumentException(
                        "kind must be concurrent or not set for a @ConcurrentLimit, was '" + settings.kind() + "'");
            }
            if (!held && LimitKinds.CONCURRENT.equals(settings.kind())) {
                throw new IllegalArgumentException(
                        "kind concurrent is for a @ConcurrentLimit, not for a limit of permits that are spent: use another"
                                + " kind, or another annotation");
            }
            LimitSettings used = same ? settings.over(declared) : settings;
            FailurePolicy onFailure = used.onFailure();
            return Configured.of(
                    used, same ? null : settings.kind(), onFailure == null ? declared.onFailure() : onFailure);
        } catch (IllegalArgumentException e) {
            throw wrong(name, e);
        }
    }

    /** Settings cannot be for both, because held and spent permits have no setting in common but the limit. */
    private void checkIsForOne(String name, boolean held) {
        Boolean before = heldByName.putIfAbsent(name, held);
        if (before != null && before != held) {
            throw new IllegalArgumentException(
                    "the name is that of a @ConcurrentLimit and of another limit, and settings cannot be for both: give"
                            + " one of them another name");
        }
    }

    private static IllegalArgumentException wrong(String name, IllegalArgumentException cause) {
        String property = property(name);
        return new InvalidSettingException(property, "with " + property + ".*: " + cause.getMessage(), cause);
    }

    /** Warns of names that no annotation has, which may be misspelt. */
    public void warnOfUnused() {
        Set<String> unused = new TreeSet<>(byName.keySet());
        unused.removeAll(heldByName.keySet());
        if (!unused.isEmpty()) {
            log.warn(
                    "{}.* has settings for {}, and no @RateLimit, @CountLimit or @ConcurrentLimit of a bean so far has such a name: they do nothing",
                    PROPERTY,
                    unused);
        }
    }

    /**
     * A limit with its configuration.
     *
     * @param timeout how long a call waits for permits
     * @param otherKind the kind's name, if it is not that of the annotation
     * @param enforced whether it rejects; otherwise it is in shadow mode
     * @param failurePolicy {@code null} for the application's
     */
    public record Configured(
            Limit<?> limit,
            Duration timeout,
            @Nullable String otherKind,
            boolean enforced,
            @Nullable FailurePolicy failurePolicy) {

        /** @throws IllegalArgumentException if the settings make no limit */
        private static Configured of(
                LimitSettings settings, @Nullable String otherKind, @Nullable FailurePolicy failurePolicy) {
            Limit<?> limit = LimitKinds.build(settings);
            return new Configured(
                    limit,
                    settings.timeout(limit),
                    otherKind,
                    settings.enforce() == null || settings.enforce(),
                    failurePolicy);
        }
    }
}
