package io.limiter.algorithm;

import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** The kinds of limit of this library, with their names in configuration. */
public enum LimitKind {
    TOKEN_BUCKET("token-bucket"),
    FIXED_WINDOW("fixed-window"),
    SLIDING_LOG("sliding-log"),
    SLIDING_COUNTER("sliding-counter"),
    /** {@link LeakyBucket#meter}. */
    LEAKY_BUCKET("leaky-bucket"),
    /** {@link LeakyBucket#queue}, in which calls wait for their turn as long as the queue lets them. */
    LEAKY_QUEUE("leaky-queue"),
    /** {@link ConcurrencyLimit}, whose permits are held and not spent. */
    CONCURRENT("concurrent");

    private final String id;

    LimitKind(String id) {
        this.id = id;
    }

    /**
     * The kind of a name in configuration.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static LimitKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind must be one of "
                        + Arrays.stream(values()).map(LimitKind::toString).collect(Collectors.joining(", ")) + ", was '"
                        + id + "'"));
    }

    /** The kind of a limit, as it was defined. Empty for a limit of the application's own. */
    public static Optional<LimitKind> of(AnyLimit limit) {
        Objects.requireNonNull(limit, "limit");
        if (limit instanceof TokenBucket bucket) {
            return Optional.of(bucket.kind());
        }
        if (limit instanceof FixedWindow) {
            return Optional.of(FIXED_WINDOW);
        }
        if (limit instanceof SlidingLog) {
            return Optional.of(SLIDING_LOG);
        }
        if (limit instanceof SlidingCounter) {
            return Optional.of(SLIDING_COUNTER);
        }
        return limit instanceof ConcurrencyLimit ? Optional.of(CONCURRENT) : Optional.empty();
    }

    /** The name in configuration. */
    @Override
    public String toString() {
        return id;
    }
}
