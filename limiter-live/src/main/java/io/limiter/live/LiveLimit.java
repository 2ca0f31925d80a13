package io.limiter.live;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit that was changed while the fleet runs.
 */
public final class LiveLimit {

    private final String name;
    private final Optional<LiveKey> key;
    private final LiveSettings settings;
    private final long version;
    private final Instant since;
    private final Optional<Instant> expiresAt;
    private final String who;
    private final String why;

    private LiveLimit(
            String name,
            Optional<LiveKey> key,
            LiveSettings settings,
            long version,
            Instant since,
            Optional<Instant> expiresAt,
            String who,
            String why) {
        this.name = Objects.requireNonNull(name, "name");
        this.key = Objects.requireNonNull(key, "key");
        this.settings = Objects.requireNonNull(settings, "settings");
        this.version = version;
        this.since = Objects.requireNonNull(since, "since");
        this.expiresAt = Objects.requireNonNull(expiresAt, "expiresAt");
        this.who = Objects.requireNonNull(who, "who");
        this.why = Objects.requireNonNull(why, "why");
    }

    /** Creates one with these values, which applications need only in tests. */
    public static LiveLimit of(
            String name,
            Optional<LiveKey> key,
            LiveSettings settings,
            long version,
            Instant since,
            Optional<Instant> expiresAt,
            String who,
            String why) {
        return new LiveLimit(name, key, settings, version, since, expiresAt, who, why);
    }

    /** The name of the limiters that it applies to. */
    public String name() {
        return name;
    }

    /** The only key that it is for. Empty for all keys. */
    public Optional<LiveKey> key() {
        return key;
    }

    /** The settings that it overrides. */
    public LiveSettings settings() {
        return settings;
    }

    /** The version of the change that stored it. Versions grow with each change of any name. */
    public long version() {
        return version;
    }

    /** When it was stored, in server time. */
    public Instant since() {
        return since;
    }

    /** When it ends by itself, in server time. */
    public Optional<Instant> expiresAt() {
        return expiresAt;
    }

    /** Who stored it. */
    public String who() {
        return who;
    }

    /** Why it was stored. */
    public String why() {
        return why;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveLimit that
                && name.equals(that.name)
                && key.equals(that.key)
                && settings.equals(that.settings)
                && version == that.version
                && since.equals(that.since)
                && expiresAt.equals(that.expiresAt)
                && who.equals(that.who)
                && why.equals(that.why);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, key, settings, version, since, expiresAt, who, why);
    }

    @Override
    public String toString() {
        return "LiveLimit[name=" + name + ", key=" + key + ", settings=" + settings + ", version=" + version
                + ", since=" + since + ", expiresAt=" + expiresAt + ", who=" + who + ", why=" + why + "]";
    }
}
