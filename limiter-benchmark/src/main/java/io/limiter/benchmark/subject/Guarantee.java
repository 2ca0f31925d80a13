package io.limiter.benchmark.subject;

/** How far the grants of a subject can exceed its limit. */
public enum Guarantee {
    NONE(false, "limits nothing"),
    EXACT(true, "at no moment more than capacity + rate × time, in the whole fleet"),
    EXACT_LOG(true, "never more than the limit within any period, in the whole fleet"),
    EXACT_IN_PROCESS(true, "at no moment more than capacity + rate × time, in one JVM"),
    CYCLES(false, "never more than the limit in a cycle, in one JVM; twice as many across the end of one"),
    PREFETCH(false, "as exact; over any time the fleet can use one prefetch per instance more"),
    DELAYED(false, "each instance grants up to a tenth of the limit on its own, for at most 100 ms"),
    WHOLE_SECONDS(false, "a clock of whole seconds: twice the limit within a moment at the end of a second");

    private final boolean exact;
    private final String text;

    Guarantee(boolean exact, String text) {
        this.exact = exact;
        this.text = text;
    }

    /** Whether it never grants more than capacity + rate × time, so that it can be the best peer. */
    public boolean exact() {
        return exact;
    }

    public String text() {
        return text;
    }
}
