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
 *
 * @param prefix of the keys of the limit
 * @param limiter the name of the limit; a ban holds whatever the plan
 * @param key of a caller, or its hash unless {@link LiveOptions#showKeys()}
 * @param hashTag of the permits, hashed as the key is; {@code null} if the key alone decides it
 * @param path the nested keys that select the permits, with the hash tag; empty if keys are hashed
 * @param ends when, by server time
 */
public record BannedKey(
        String prefix, String limiter, String key, @Nullable String hashTag, List<String> path, Instant ends) {

    public BannedKey {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(key, "key");
        path = List.copyOf(Objects.requireNonNull(path, "path"));
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
        return new BannedKey(prefix, limiter, key, hashTag, path, newEnds);
    }

    private BannedKey later(BannedKey other) {
        return ends.isBefore(other.ends) ? other : this;
    }
}
