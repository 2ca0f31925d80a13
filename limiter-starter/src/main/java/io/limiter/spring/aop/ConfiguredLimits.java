package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.ConcurrencyLimit;
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
 * What configuration says about limits, by their names. It wins over what the annotations say. Shared by all advisors, so
 * that it is known which names nobody has.
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
        LimitSettings configured = byName.get(name);
        if (configured == null) {
            return new Configured(LimitKinds.build(declared), null, null, declared.onFailure());
        }
        try {
            checkIsForOne(name, false);
            if (LimitKinds.CONCURRENT.equals(configured.kind())) {
                throw new IllegalArgumentException(
                        "kind concurrent is for a @ConcurrentLimit, not for a limit of permits that are spent: use another"
                                + " kind, or another annotation");
            }
            boolean same = configured.kind() == null || configured.kind().equals(declared.kind());
            LimitSettings used = same ? configured.over(declared) : configured;
            LimitSettings failing = same || configured.onFailure() != null ? used : declared;
            Limit<?> limit = LimitKinds.build(used);
            return new Configured(limit, same ? null : configured.kind(), configured.enforce(), failing.onFailure());
        } catch (IllegalArgumentException e) {
            throw wrong(name, e);
        }
    }

    /**
     * The concurrency limit of this name.
     *
     * @param declared what its annotation says, with its kind
     * @throws IllegalArgumentException if the settings are not those of a concurrency limit, or cannot work
     */
    Concurrency concurrency(String name, LimitSettings declared) {
        LimitSettings configured = byName.get(name);
        if (configured == null) {
            return concurrency(declared);
        }
        try {
            checkIsForOne(name, true);
            if (configured.kind() != null && !configured.kind().equals(LimitKinds.CONCURRENT)) {
                throw new IllegalArgumentException(
                        "kind must be concurrent or not set for a @ConcurrentLimit, was '" + configured.kind() + "'");
            }
            if (configured.enforce() != null) {
                throw new IllegalArgumentException("enforce has no effect on a @ConcurrentLimit, leave it out");
            }
            return concurrency(configured.over(declared));
        } catch (IllegalArgumentException e) {
            throw wrong(name, e);
        }
    }

    private static Concurrency concurrency(LimitSettings numbers) {
        return new Concurrency(
                (ConcurrencyLimit) LimitKinds.build(numbers),
                numbers.timeout() == null ? Duration.ZERO : numbers.timeout(),
                numbers.onFailure());
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
     * A concurrency limit as it is with its configuration.
     *
     * @param timeout how long a call waits for its place
     * @param failurePolicy {@code null} for the application's
     */
    record Concurrency(
            ConcurrencyLimit limit,
            Duration timeout,
            @Nullable FailurePolicy failurePolicy) {}

    /**
     * A limit as it is with its configuration.
     *
     * @param otherKind the kind's name, if it is not that of the annotation
     * @param enforce {@code null} if configuration does not say
     * @param failurePolicy {@code null} for the application's
     */
    record Configured(
            Limit<?> limit,
            @Nullable String otherKind,
            @Nullable Boolean enforce,
            @Nullable FailurePolicy failurePolicy) {}
}
