package io.limiter.live;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The kinds of limit that can be changed live, with their names in configuration. */
public enum LiveKind {
    TOKEN_BUCKET("token-bucket"),
    FIXED_WINDOW("fixed-window"),
    SLIDING_LOG("sliding-log"),
    SLIDING_COUNTER("sliding-counter"),
    LEAKY_BUCKET("leaky-bucket"),
    LEAKY_QUEUE("leaky-queue"),
    CONCURRENT("concurrent");

    private final String id;

    LiveKind(String id) {
        this.id = id;
    }

    /**
     * The kind of a name in configuration.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static LiveKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind must be one of "
                        + Arrays.stream(values()).map(LiveKind::toString).collect(Collectors.joining(", ")) + ", was '"
                        + id + "'"));
    }

    /** The name in configuration. */
    @Override
    public String toString() {
        return id;
    }
}
