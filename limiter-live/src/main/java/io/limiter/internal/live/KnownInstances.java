package io.limiter.internal.live;

import java.time.Duration;

/** How many instances one of them knows of, by what Redis found at each of its counts. */
public final class KnownInstances {

    /** Between two counts. */
    public static final Duration EVERY = Duration.ofSeconds(5);

    /** An instance counts until it has missed as many counts. */
    private static final int MISSED = 3;

    private int last;
    private int known;

    /**
     * For how long an instance counts after each of its counts.
     *
     * @param pollInterval the longest time between two polls; it counts at the first one once the time is over
     */
    public static Duration counts(Duration pollInterval) {
        return EVERY.plus(pollInterval).multipliedBy(MISSED);
    }

    /**
     * How many are known after more were seen between two counts, by a poll. Fewer are not believed before the next count.
     *
     * @param seen how many Redis knows of
     */
    public int afterSeeing(int seen) {
        known = Math.max(known, seen);
        return known;
    }

    /**
     * How many are known after a count: the larger of the last two.
     *
     * @param found how many Redis knows of
     * @param added whether Redis did not know this one (any more): it may not know others before they count again
     */
    public int after(int found, boolean added) {
        int before = added ? known : last;
        known = Math.max(found, before);
        last = added ? known : found;
        return known;
    }
}
