package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Allowance;
import java.util.Locale;

/** The decisions that requests get. */
public enum Outcome {
    /** All are granted: the limit is above any demand here. */
    GRANTED(Allowance.perSecond(100_000_000)),
    /** All are rejected: the one permit of the hour is used up beforehand. */
    REJECTED(Allowance.perHour(1)),
    /** Full demand on 1,000 permits a second. */
    MIXED(Allowance.perSecond(1000)),
    /** Full demand on 1,000 permits a second, shared by four instances. */
    FLEET(Allowance.perSecond(1000));

    private static final int FLEET_INSTANCES = 4;
    private static final double FLEET_SECONDS = 1;

    private final Allowance allowance;

    Outcome(Allowance allowance) {
        this.allowance = allowance;
    }

    public Allowance allowance() {
        return allowance;
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
        return this == MIXED || this == FLEET;
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
