package io.limiter;

/**
 * The part of a stored key in its first braces, which decides the key's slot in a Redis Cluster.
 *
 * <p>Load spreads over the Cluster by one of a fixed number of hash tags ({@code hashTags} of the builder), so that keys share
 * calls: that of the slot that the first key, or all of them, would have. Permits without a key have the name of the
 * limiter as their hash tag, or what is before its first slash: {@code api/second} and {@code api/day} are in one slot.
 *
 * <p>Without a Cluster the slot makes no difference. But the hash tag is part of the stored key: limiters of one name with two
 * hash tags share only the permits that have no key.
 */
public enum HashTag {

    /**
     * The first key of a path, for example the tenant in {@code limiter.on(tenant).on(user)}. The default.
     *
     * <p>All limits of one caller, and of what belongs to it, are in one slot, so a {@link LimitSet} of them is decided in one call.
     */
    FIRST_KEY,

    /**
     * All keys of a path, so that the permits of the users of a large tenant spread over the Cluster. A {@link LimitSet} of permits of
     * several paths is then mostly in several slots.
     */
    WHOLE_KEY
}
