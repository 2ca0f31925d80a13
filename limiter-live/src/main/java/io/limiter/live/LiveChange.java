package io.limiter.live;

import java.time.Instant;
import java.util.Optional;

/**
 * A change of a live limit.
 *
 * @param version of the change; versions grow with each change of any name
 * @param name of the live limit
 * @param key the only key that it is for; empty for all
 * @param before the live limit that was replaced or removed, or has expired; empty if there was none
 * @param after the live limit that was stored; empty if it was removed or has expired
 * @param at when, by server time
 * @param who made the change
 * @param why it was made
 */
public record LiveChange(
        long version,
        String name,
        Optional<LiveKey> key,
        Optional<LiveLimit> before,
        Optional<LiveLimit> after,
        Instant at,
        String who,
        String why) {}
