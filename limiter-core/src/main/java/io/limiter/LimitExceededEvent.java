package io.limiter;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit rejected a request, not in shadow mode. A separate thread publishes the event, so a slow listener delays no decision.
 * If more than a thousand events wait, further events are dropped and a warning is logged.
 */
public final class LimitExceededEvent {

    private final String limiter;
    private final List<String> keys;
    private final Decision decision;

    private LimitExceededEvent(String limiter, List<String> keys, Decision decision) {
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** An event with these values. */
    public static LimitExceededEvent of(String limiter, List<String> keys, Decision decision) {
        return new LimitExceededEvent(limiter, keys, decision);
    }

    /** The limiter's name. */
    public String limiter() {
        return limiter;
    }

    /** The keys of the {@linkplain Limiter#keys() key path}. Empty for the permits of the limiter itself. */
    public List<String> keys() {
        return keys;
    }

    /** The rejection. */
    public Decision decision() {
        return decision;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof LimitExceededEvent that
                        && limiter.equals(that.limiter)
                        && keys.equals(that.keys)
                        && decision.equals(that.decision);
    }

    @Override
    public int hashCode() {
        int hash = limiter.hashCode();
        hash = 31 * hash + keys.hashCode();
        hash = 31 * hash + decision.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "LimitExceededEvent[limiter=" + limiter + ", keys=" + keys + ", decision=" + decision + "]";
    }
}
