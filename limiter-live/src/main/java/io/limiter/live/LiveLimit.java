package io.limiter.live;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A limit that was changed while the fleet runs.
 *
 * @param name of the limiters that it applies to
 * @param key the only key that it is for; empty for all
 * @param settings what it overrides
 * @param version of the change that stored it; versions grow with each change of any name
 * @param since when it was stored, by server time
 * @param expiresAt when it ends by itself, by server time
 * @param who stored it
 * @param why it was stored
 */
public record LiveLimit(
        String name,
        Optional<LiveKey> key,
        LiveSettings settings,
        long version,
        Instant since,
        Optional<Instant> expiresAt,
        String who,
        String why) {

    public LiveLimit {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(expiresAt, "expiresAt");
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
    }
}
