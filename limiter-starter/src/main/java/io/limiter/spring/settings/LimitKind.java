package io.limiter.spring.settings;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The kinds of limit that annotations and configuration can name. */
public enum LimitKind {
    TOKEN_BUCKET(
            "token-bucket",
            "rate",
            "per",
            "burst",
            "capacity",
            "warm-up",
            "timeout",
            "expire",
            "prefetch-time",
            "prefetch-calls"),
    FIXED_WINDOW("fixed-window", "limit", "per", "zone", "timeout"),
    SLIDING_LOG("sliding-log", "limit", "per", "timeout"),
    SLIDING_COUNTER("sliding-counter", "limit", "per", "timeout"),
    LEAKY_BUCKET("leaky-bucket", "capacity", "rate", "per", "timeout"),

    /** Its calls wait for their turn, without a timeout as long as the queue lets them. */
    LEAKY_QUEUE("leaky-queue", "capacity", "rate", "per", "timeout"),

    /** Its permits are held and not spent, so it is for {@code @ConcurrentLimit} alone. */
    CONCURRENT("concurrent", "limit", "lease", "timeout");

    private static final Set<String> OF_EVERY_KIND =
            Set.of("kind", "namespace", "enforce", "internal", "on-failure", "ban", "plans");

    private final String id;
    private final Set<String> settings;

    LimitKind(String id, String... settings) {
        this.id = id;
        this.settings = Collections.unmodifiableSet(new TreeSet<>(List.of(settings)));
    }

    /** @throws InvalidSettingException if one of the settings has no effect on this kind */
    void checkUses(String prefix, Set<String> names) {
        for (String name : names) {
            if (!settings.contains(name) && !OF_EVERY_KIND.contains(name)) {
                throw new InvalidSettingException(
                        prefix + name, " has no effect on kind " + id + ", which has " + String.join(", ", settings));
            }
        }
    }

    /** The name in configuration. */
    @Override
    public String toString() {
        return id;
    }
}
