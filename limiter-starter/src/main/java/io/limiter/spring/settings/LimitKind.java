package io.limiter.spring.settings;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

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
            "prefetch-permits",
            "prefetch-time"),
    FIXED_WINDOW("fixed-window", "limit", "period", "zone", "timeout"),
    SLIDING_LOG("sliding-log", "limit", "period", "timeout"),
    SLIDING_COUNTER("sliding-counter", "limit", "period", "timeout"),
    LEAKY_BUCKET("leaky-bucket", "limit", "rate", "per", "timeout"),

    /** Its calls wait for their turn, without a timeout as long as the queue lets them. */
    LEAKY_QUEUE("leaky-queue", "limit", "rate", "per", "timeout"),

    /** Its permits are held and not spent, so it is for {@code @ConcurrentLimit} alone. */
    CONCURRENT("concurrent", "limit", "lease", "timeout");

    private final String id;
    private final ImmutableSortedSet<String> settings;

    LimitKind(String id, String... settings) {
        this.id = id;
        this.settings = ImmutableSortedSet.copyOf(settings);
    }

    /** @throws IllegalArgumentException if there is none of this name */
    static LimitKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind must be one of "
                        + Arrays.stream(values()).map(LimitKind::toString).collect(Collectors.joining(", ")) + ", was '"
                        + id + "'"));
    }

    /** @throws InvalidSettingException if one of the settings has no effect on this kind */
    public void checkUses(Set<String> names) {
        for (String name : names) {
            if (!settings.contains(name)) {
                throw new InvalidSettingException(
                        name, name + " has no effect on kind " + id + ", which has " + String.join(", ", settings));
            }
        }
    }

    /** The name in configuration. */
    @Override
    public String toString() {
        return id;
    }
}
