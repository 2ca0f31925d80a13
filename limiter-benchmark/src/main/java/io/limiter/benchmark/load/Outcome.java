package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Allowance;
import java.util.Locale;

/** What requests are answered. */
public enum Outcome {
    /** All are granted: the allowance is more than anything here can ask for. */
    GRANTED(Allowance.perSecond(100_000_000)),
    /** All are rejected: the one permit of the hour is used up beforehand. */
    REJECTED(Allowance.perHour(1)),
    /** What 1,000 permits a second make of full demand. */
    MIXED(Allowance.perSecond(1000)),
    /** What 1,000 permits a second make of full demand on four instances that share them. */
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

    /** Whether so few permits are allowed that too many would be noticed. */
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

    /** How long to measure at the least: what instances do not tell each other at once takes time to add up. */
    public double leastSeconds() {
        return this == FLEET ? FLEET_SECONDS : 0;
    }
}
