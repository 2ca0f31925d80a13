package io.limiter;

/**
 * The part of a stored key in its first braces, which decides the key's slot in a Redis Cluster.
 *
 * <p>Keys are spread over the Cluster with a fixed number of hash tags ({@code hashTags} of the builder), so that keys can share calls. A key gets
 * the hash tag of the slot that its first key, or all its keys, would have. Permits without a key have the name of the limiter as their hash tag.
 * If the name has a slash, only the part before the first one counts, so {@code api/second} and {@code api/day} are in one slot.
 *
 * <p>Without a Cluster, the slot makes no difference. But the hash tag is part of the stored key, so limiters of one name with two hash tags share
 * only the permits that have no key.
 */
public enum HashTag {

    /**
     * The first key of a path, for example the tenant in {@code limiter.on(tenant).on(user)}. The default.
     *
     * <p>All limits of one caller, and of the keys within it, are in one slot, so a {@link LimitSet} of them is decided in one call.
     */
    FIRST_KEY,

    /**
     * All keys of a path, so that the permits of the users of a large tenant spread over the Cluster. A {@link LimitSet} of permits of
     * several paths is then mostly in several slots.
     */
    WHOLE_KEY
}
