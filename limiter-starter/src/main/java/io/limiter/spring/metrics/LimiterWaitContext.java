package io.limiter.spring.metrics;

import io.micrometer.observation.Observation;

/** What an observation of a wait for permits is about. */
public final class LimiterWaitContext extends Observation.Context {

    private final String limit;

    /** For a test of an application's convention, as for the library itself. */
    public LimiterWaitContext(String limit) {
        this.limit = limit;
    }

    /** The name of the limit as meters show it; "other" if the limit has no meters. */
    public String getLimit() {
        return limit;
    }
}
