package io.limiter;

/**
 * The part of a key in braces, which decides the key's slot in a Redis Cluster.
 *
 * <p>Without a Cluster the slot makes no difference. But the hash tag is part of the stored key: limiters of one name with two
 * hash tags share only the permits that have no key.
 */
public enum HashTag {

    /**
     * One of a fixed number, by the whole key. Load spreads over the Cluster, keys with one hash tag share calls, and all limits
     * of one key, as in a {@link LimitSet}, are in one slot, unless there are none ({@code hashTags(0)}): then each key of each
     * limit has its own. Permits without a key have the name of the limiter as their hash tag. The default.
     */
    WHOLE_KEY,

    /**
     * The first key alone, for example the tenant in {@code limiter.on(tenant).on(user)}.
     *
     * <p>All limiters with this hash tag store the permits of a tenant in one slot, so a {@link LimitSet} of them is decided in
     * one call. Permits without a key have the name of the limiter as their hash tag. If there are several keys, statistics and
     * listeners leave out the first.
     */
    FIRST_KEY
}
