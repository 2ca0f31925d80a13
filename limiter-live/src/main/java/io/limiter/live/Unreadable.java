package io.limiter.live;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something in Redis that this instance cannot read, and skips: a live limit, a change in the history, or a report.
 */
public final class Unreadable {

    private final String name;
    private final long version;
    private final String problem;

    private Unreadable(String name, long version, String problem) {
        this.name = Objects.requireNonNull(name, "name");
        this.version = version;
        this.problem = Objects.requireNonNull(problem, "problem");
    }

    /** Creates one with these values, which applications need only in tests. */
    public static Unreadable of(String name, long version, String problem) {
        return new Unreadable(name, version, problem);
    }

    /** The name of the live limit, or of the instance that reports. Empty for a change that does not show it. */
    public String name() {
        return name;
    }

    /**
     * To expect in a put or remove that replaces the live limit; of a change, where it stands in the history, or 0 for a
     * report.
     */
    public long version() {
        return version;
    }

    /** Why it cannot be read, and what to do. */
    public String problem() {
        return problem;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Unreadable that
                && name.equals(that.name)
                && version == that.version
                && problem.equals(that.problem);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, version, problem);
    }

    @Override
    public String toString() {
        return "Unreadable[name=" + name + ", version=" + version + ", problem=" + problem + "]";
    }
}
