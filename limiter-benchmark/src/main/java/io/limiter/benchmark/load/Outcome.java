package io.limiter.benchmark.load;

import io.limiter.benchmark.subject.Allowance;
import java.util.Locale;

/** What requests are answered. */
public enum Outcome {
    /** All are granted: the allowance is more than anything here can ask for. */
    GRANTED(Allowance.perSecond(100_000_000)),
    /** All are refused: the one permit of the hour is used up beforehand. */
    REFUSED(Allowance.perHour(1)),
    /** What 1,000 permits a second make of full demand. */
    MIXED(Allowance.perSecond(1000));

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
        return this == MIXED;
    }
}
