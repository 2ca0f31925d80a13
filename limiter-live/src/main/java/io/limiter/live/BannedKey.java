package io.limiter.live;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A ban in effect, of a key that a limit rejected too often.
 *
 * @param prefix of the keys of the limit
 * @param limiter the name of the limit; a ban holds whatever the plan
 * @param key of a caller, hashed unless {@link LiveOptions#showKeys()}
 * @param ends when, by server time
 */
public record BannedKey(String prefix, String limiter, LiveKey key, Instant ends) {

    public BannedKey {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(ends, "ends");
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
}
