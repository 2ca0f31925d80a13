package io.limiter.faults.experiment;

/** By what a limiter is judged, and a planted bug caught. */
public enum Measure {
    EXCESS("beyond promise"),
    SHORTFALL("granted too little"),
    TAKEN("taken in Redis"),
    /** Of each single call, where {@link #TAKEN} is of all together. */
    ONCE("what a call took"),
    WRONGLY_REJECTED("wrongly rejected"),
    POLICY("failure policy"),
    SOURCE("decided by Redis"),
    FAILS_FAST("median call without Redis"),
    RECOVERY("recovery"),
    EXPIRY("keys without an expiry"),
    LEASES("leases at once"),
    LEASE_RATE("leases per second"),
    LEASES_LOST("leases lost"),
    LEASES_FREE("leases free after they are closed"),
    CLOSED("granted after the factory was closed"),
    REFILL("time without refill"),
    LIVE("excess over the live limit"),
    BANS("granted while banned"),
    /** What goes on after its time is over. */
    ENDS("what must end"),
    WARNINGS("warnings of a window"),
    ERRORS("undocumented exceptions"),
    GROWTH("what grows"),
    /** Of an experiment that did not show what it is there to show. */
    VALIDITY("the experiment itself");

    private final String text;

    Measure(String text) {
        this.text = text;
    }

    /** A promise that was not kept. */
    public record Violation(Measure measure, String text) {

        @Override
        public String toString() {
            return text;
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
