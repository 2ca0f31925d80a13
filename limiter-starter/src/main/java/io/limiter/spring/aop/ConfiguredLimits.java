package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.Limit;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.LimitKinds;
import io.limiter.spring.settings.LimitSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What configuration says about limits, by their names. It overrides the annotations.
 */
public final class ConfiguredLimits {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLimits.class);
    private static final String PROPERTY = "limiter.limits";
    private static final Pattern NAME_OF_ELEMENT = Pattern.compile("[\\p{Alnum}_-]+");

    private final Map<String, LimitSettings> byName;
    private final Map<String, Boolean> heldByName = new ConcurrentHashMap<>();

    public ConfiguredLimits(Map<String, LimitSettings> byName) {
        this.byName = Map.copyOf(byName);
    }

    /** What the names of the settings of a limit start with; in brackets, if its name is no element of one. */
    public static String property(String name) {
        return NAME_OF_ELEMENT.matcher(name).matches() ? PROPERTY + "." + name : PROPERTY + "[" + name + "]";
    }

    /**
     * The limit of this name.
     *
     * @param declared what its annotation says, with its kind
     * @throws IllegalArgumentException if it cannot work, also if that comes of both together
     */
    Configured of(String name, LimitSettings declared) {
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

    /** A limit of the one sort and a limit of the other have nothing in common, whatever the settings say. */
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

    /** Says which names no annotation has, so that a misspelt one is found. */
    void warnOfUnused() {
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
     * @param timeout how long a call waits for permits of a concurrency limit
     * @param otherKind the kind's name, if it is not that of the annotation
     * @param enforced whether it rejects; otherwise it is in shadow mode
     * @param failurePolicy {@code null} for the application's
     */
    record Configured(
            Limit<?> limit,
            Duration timeout,
            @Nullable String otherKind,
            boolean enforced,
            @Nullable FailurePolicy failurePolicy) {

        /** @throws IllegalArgumentException if the settings make no limit */
        private static Configured of(
                LimitSettings settings, @Nullable String otherKind, @Nullable FailurePolicy failurePolicy) {
            return new Configured(
                    LimitKinds.build(settings),
                    settings.timeout() == null ? Duration.ZERO : settings.timeout(),
                    otherKind,
                    settings.enforce() == null || settings.enforce(),
                    failurePolicy);
        }
    }
}
