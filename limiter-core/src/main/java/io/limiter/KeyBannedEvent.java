package io.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key is banned, because a limit has rejected it too often. See {@link LimiterListener#onKeyBanned}. A separate thread
 * publishes the event, in one instance. If more than a thousand events wait, further ones are dropped and a warning is logged.
 */
public final class KeyBannedEvent {

    private final String limiter;
    private final List<String> keys;
    private final Duration length;

    private KeyBannedEvent(String limiter, List<String> keys, Duration length) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
        this.length = Objects.requireNonNull(length, "length");
    }

    /** An event with these values. */
    public static KeyBannedEvent of(String limiter, List<String> keys, Duration length) {
        return new KeyBannedEvent(limiter, keys, length);
    }

    /** The limiter's name. */
    public String limiter() {
        return limiter;
    }

    /** The keys of the {@linkplain Limiter#keys() key path}. */
    public List<String> keys() {
        return keys;
    }

    /** How long the ban lasts. */
    public Duration length() {
        return length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof KeyBannedEvent that
                        && limiter.equals(that.limiter)
                        && keys.equals(that.keys)
                        && length.equals(that.length);
    }

    @Override
    public int hashCode() {
        int hash = limiter.hashCode();
        hash = 31 * hash + keys.hashCode();
        hash = 31 * hash + length.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "KeyBannedEvent[limiter=" + limiter + ", keys=" + keys + ", length=" + length + "]";
    }
}
