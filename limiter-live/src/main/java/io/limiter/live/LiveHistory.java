package io.limiter.live;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page of the changes of live limits, newest first.
 */
public final class LiveHistory {

    private final List<LiveChange> changes;
    private final List<Unreadable> unreadable;
    private final long next;

    private LiveHistory(List<LiveChange> changes, List<Unreadable> unreadable, long next) {
        this.changes = List.copyOf(changes);
        this.unreadable = List.copyOf(unreadable);
        this.next = next;
    }

    /** Creates one with these values, which applications need only in tests. */
    public static LiveHistory of(List<LiveChange> changes, List<Unreadable> unreadable, long next) {
        return new LiveHistory(changes, unreadable, next);
    }

    /** The changes that can be read. */
    public List<LiveChange> changes() {
        return changes;
    }

    /** The changes that cannot be read. */
    public List<Unreadable> unreadable() {
        return unreadable;
    }

    /** The {@code before} of the page with older changes, or 0 if there are none. */
    public long next() {
        return next;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveHistory that
                && changes.equals(that.changes)
                && unreadable.equals(that.unreadable)
                && next == that.next;
    }

    @Override
    public int hashCode() {
        return Objects.hash(changes, unreadable, next);
    }

    @Override
    public String toString() {
        return "LiveHistory[changes=" + changes + ", unreadable=" + unreadable + ", next=" + next + "]";
    }
}
