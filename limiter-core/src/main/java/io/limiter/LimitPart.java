package io.limiter;

import java.util.List;
import java.util.Optional;

/**
 * The permits of one limiter, or of one of its keys, as a part of a {@link LimitSet}. Immutable; its limiter may change its
 * rate meanwhile, and the part with it.
 */
public interface LimitPart {

    /** Whose permits. */
    Limiter limiter();

    /** The key within the limiter; empty for the limiter's own permits. */
    Optional<String> key();

    /**
     * The same, taking as many permits for each one that the set is asked for: one call and 500 tokens, all or nothing.
     * Default 1.
     *
     * @throws IllegalArgumentException if less than 1
     */
    LimitPart permits(int permits);

    /**
     * The same limit with its permits in a slot of a Redis Cluster that the name decides, so that all parts of a set that name
     * the same slot are decided in one call. Elsewhere it makes no difference where permits are, but these are others: a
     * limiter's permits of one key, in a slot and in none, are counted apart. So a limit should be asked in one way only.
     *
     * @param slot what the parts have in common, such as the tenant; many, so that the load spreads over the Cluster
     * @throws IllegalArgumentException if the slot is blank
     */
    LimitPart inSlot(String slot);

    /** Forgets what is stored for these permits; see {@link Limiter#reset()}. */
    void reset();

    /**
     * This and others, all or nothing; see {@link LimitSet#of}.
     *
     * @throws IllegalArgumentException if two are the same permits, or not all limiters were built by one factory
     */
    LimitSet with(List<LimitPart> others);
}
