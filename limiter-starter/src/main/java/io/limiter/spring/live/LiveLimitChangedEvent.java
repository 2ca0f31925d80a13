package io.limiter.spring.live;

import io.limiter.live.LiveChange;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * This instance has applied a change of a live limit, or a live limit has expired; each instance of the fleet publishes one.
 * A thread of the limiters publishes it, so listeners must be fast, or {@code @Async}.
 */
public final class LiveLimitChangedEvent {

    private final LiveChange change;

    private LiveLimitChangedEvent(LiveChange change) {
        this.change = Objects.requireNonNull(change, "change");
    }

    /** With these values. Applications need it in tests only. */
    public static LiveLimitChangedEvent of(LiveChange change) {
        return new LiveLimitChangedEvent(change);
    }

    /** The change, with the live limit before and after, who made it and why. */
    public LiveChange change() {
        return change;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveLimitChangedEvent that && change.equals(that.change);
    }

    @Override
    public int hashCode() {
        return change.hashCode();
    }

    @Override
    public String toString() {
        return "LiveLimitChangedEvent[change=" + change + "]";
    }
}
