package io.limiter;

/**
 * What decides in which slot of a Redis Cluster the permits of a key lie: the part of the key in braces.
 *
 * <p>Elsewhere it makes no difference where permits lie. But it is part of the stored key: limiters of one name with two hash
 * tags share only the permits that have no key.
 */
public enum HashTag {

    /** The name of the limiter and the whole key, so that load spreads over the Cluster. The default. */
    WHOLE_KEY,

    /**
     * The first key alone, such as the tenant in {@code limiter.on(tenant).on(user)}: all permits of a tenant lie in one slot,
     * those of other limiters with this hash tag too, so a {@link LimitSet} of them is decided in one call. Permits of a
     * limiter without a key lie where {@link #WHOLE_KEY} puts them.
     *
     * <p>Of several keys, statistics and listeners name those behind the first.
     */
    FIRST_KEY
}
