package io.limiter.live;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ban in effect, of a key that a limit rejected too often.
 */
public final class BannedKey {

    private final String prefix;
    private final String limiter;
    private final LiveKey key;
    private final Instant ends;

    private BannedKey(String prefix, String limiter, LiveKey key, Instant ends) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
        this.limiter = Objects.requireNonNull(limiter, "limiter");
        this.key = Objects.requireNonNull(key, "key");
        this.ends = Objects.requireNonNull(ends, "ends");
    }

    /** Creates one with these values, which applications need only in tests. */
    public static BannedKey of(String prefix, String limiter, LiveKey key, Instant ends) {
        return new BannedKey(prefix, limiter, key, ends);
    }

    /** The prefix of the keys of the limit. */
    public String prefix() {
        return prefix;
    }

    /** The name of the limit. A ban applies whatever the plan. */
    public String limiter() {
        return limiter;
    }

    /** The key of a caller, hashed unless {@link LiveOptions#showKeys()}. */
    public LiveKey key() {
        return key;
    }

    /** When the ban ends, in server time. */
    public Instant ends() {
        return ends;
    }

    /** The bans that any instance knows, the longest first. An instance that does not see a key again does not know of a reset. */
    public static List<BannedKey> all(Collection<InstanceReport> instances) {
        Map<Object, BannedKey> all = new LinkedHashMap<>();
        Objects.requireNonNull(instances, "instances").stream()
                .flatMap(instance -> instance.bans().stream())
                .forEach(ban -> all.merge(ban.until(Instant.EPOCH), ban, BannedKey::later));
        return all.values().stream()
                .sorted(Comparator.comparing(BannedKey::ends).reversed())
                .toList();
    }

    private BannedKey until(Instant newEnds) {
        return new BannedKey(prefix, limiter, key, newEnds);
    }

    private BannedKey later(BannedKey other) {
        return ends.isBefore(other.ends) ? other : this;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BannedKey that
                && prefix.equals(that.prefix)
                && limiter.equals(that.limiter)
                && key.equals(that.key)
                && ends.equals(that.ends);
    }

    @Override
    public int hashCode() {
        return Objects.hash(prefix, limiter, key, ends);
    }

    @Override
    public String toString() {
        return "BannedKey[prefix=" + prefix + ", limiter=" + limiter + ", key=" + key + ", ends=" + ends + "]";
    }
}
