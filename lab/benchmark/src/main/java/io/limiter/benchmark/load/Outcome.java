package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Allowance;
import java.util.Locale;

/** The decisions that requests get. */
public enum Outcome {
    /** All are granted: the limit is above any demand here. */
    GRANTED,
    /** All are rejected: the one permit of the hour is used up beforehand. */
    REJECTED,
    /** The demand is above the limit, so that excess grants are noticed; every slice begins with full buckets. */
    LIMITED;

    /** The limit of each id. */
    public Allowance allowance(KeySpace keys) {
        return switch (this) {
            case GRANTED -> Allowance.perSecond(100_000_000);
            case REJECTED -> Allowance.perHour(1);
            case LIMITED -> Allowance.perSecond(keys == KeySpace.HOT ? 1000 : 1);
        };
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the limit is low enough that excess grants would be noticed. */
    public boolean limits() {
        return this != GRANTED;
    }
}
