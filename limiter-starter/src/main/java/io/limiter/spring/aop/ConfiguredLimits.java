package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What configuration says about limits, by their names. It wins over what the annotations say. */
final class ConfiguredLimits {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredLimits.class);
    private static final String PROPERTY = "limiter.limits.";

    private final Map<String, LimitSettings> byName;
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    ConfiguredLimits(Map<String, LimitSettings> byName) {
        this.byName = Map.copyOf(byName);
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
            return new Configured(LimitKinds.build(declared), null, null);
        }
        used.add(name);
        try {
            boolean same = configured.kind() == null || configured.kind().equals(declared.kind());
            Limit<?> limit = LimitKinds.build(same ? configured.over(declared) : configured);
            return new Configured(limit, same ? null : configured.kind(), configured.enforce());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("with " + PROPERTY + name + ".*: " + e.getMessage(), e);
        }
    }

    /** Says which names no annotation has, so that a misspelt one is found. */
    void warnOfUnused() {
        Set<String> unused = new TreeSet<>(byName.keySet());
        unused.removeAll(used);
        if (!unused.isEmpty()) {
            log.warn(
                    "{}* has settings for {}, and no @RateLimit or @CountLimit of a bean so far has such a name: they do nothing",
                    PROPERTY,
                    unused);
        }
    }

    /**
     * A limit as it is with its configuration.
     *
     * @param otherKind the kind's name, if it is not that of the annotation
     * @param enforce {@code null} if configuration does not say
     */
    record Configured(
            Limit<?> limit,
            @Nullable String otherKind,
            @Nullable Boolean enforce) {}
}
