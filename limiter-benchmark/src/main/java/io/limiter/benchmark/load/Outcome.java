package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Allowance;
import java.util.Locale;

/** The decisions that requests get. */
public enum Outcome {
    /** All are granted: the limit is above any demand here. */
    GRANTED,
    /** All are rejected: the one permit of the hour is used up beforehand. */
    REJECTED,
    /** The demand is above the limit, so that excess grants are noticed. */
    LIMITED,
    /** As {@link #LIMITED}, and four instances share the limit. */
    FLEET;

    private static final int FLEET_INSTANCES = 4;
    private static final double FLEET_SECONDS = 1;

    /** The limit of each id. */
    public Allowance allowance(KeySpace keys) {
        return switch (this) {
            case GRANTED -> Allowance.perSecond(100_000_000);
            case REJECTED -> Allowance.perHour(1);
            case LIMITED, FLEET -> Allowance.perSecond(keys == KeySpace.HOT ? 1000 : 1);
        };
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the limit is low enough that excess grants would be noticed. */
    public boolean limits() {
        return this != GRANTED;
    }

    /** Whether every slice begins with full buckets. */
    public boolean startsFresh() {
        return this == LIMITED || this == FLEET;
    }

    /** Whether it makes sense to compare with the floor, which never rejects because of a rate. */
    public boolean hasFloor() {
        return this == GRANTED || this == REJECTED;
    }

    /** How many instances of a subject there are, each with connections of its own. */
    public int instances() {
        return this == FLEET ? FLEET_INSTANCES : 1;
    }

    /** The shortest measurement: excess grants of instances that synchronize late take time to add up. */
    public double leastSeconds() {
        return this == FLEET ? FLEET_SECONDS : 0;
    }
}
