package io.limiter.live;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A change of a live limit.
 */
public final class LiveChange {

    private final long version;
    private final String name;
    private final Optional<LiveKey> key;
    private final Optional<LiveLimit> before;
    private final Optional<LiveLimit> after;
    private final Instant at;
    private final String who;
    private final String why;

    private LiveChange(
            long version,
            String name,
            Optional<LiveKey> key,
            Optional<LiveLimit> before,
            Optional<LiveLimit> after,
            Instant at,
            String who,
            String why) {
        this.version = version;
        this.name = Objects.requireNonNull(name, "name");
        this.key = Objects.requireNonNull(key, "key");
        this.before = Objects.requireNonNull(before, "before");
        this.after = Objects.requireNonNull(after, "after");
        this.at = Objects.requireNonNull(at, "at");
        this.who = Objects.requireNonNull(who, "who");
        this.why = Objects.requireNonNull(why, "why");
    }

    /** Creates one with these values, which applications need only in tests. */
    public static LiveChange of(
            long version,
            String name,
            Optional<LiveKey> key,
            Optional<LiveLimit> before,
            Optional<LiveLimit> after,
            Instant at,
            String who,
            String why) {
        return new LiveChange(version, name, key, before, after, at, who, why);
    }

    /** The version of the change. Versions grow with each change of any name. */
    public long version() {
        return version;
    }

    /** The name of the live limit. */
    public String name() {
        return name;
    }

    /** The only key that it is for. Empty for all keys. */
    public Optional<LiveKey> key() {
        return key;
    }

    /** The live limit that was replaced or removed, or has expired. Empty if there was none. */
    public Optional<LiveLimit> before() {
        return before;
    }

    /** The live limit that was stored. Empty if it was removed or has expired. */
    public Optional<LiveLimit> after() {
        return after;
    }

    /** When the change was made, in server time. */
    public Instant at() {
        return at;
    }

    /** Who made the change. */
    public String who() {
        return who;
    }

    /** Why it was made. */
    public String why() {
        return why;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveChange that
                && version == that.version
                && name.equals(that.name)
                && key.equals(that.key)
                && before.equals(that.before)
                && after.equals(that.after)
                && at.equals(that.at)
                && who.equals(that.who)
                && why.equals(that.why);
    }

    @Override
    public int hashCode() {
        return Objects.hash(version, name, key, before, after, at, who, why);
    }

    @Override
    public String toString() {
        return "LiveChange[version=" + version + ", name=" + name + ", key=" + key + ", before=" + before + ", after="
                + after + ", at=" + at + ", who=" + who + ", why=" + why + "]";
    }
}
