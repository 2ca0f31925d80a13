package io.limiter.spring.metrics;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** The name and the tags of observations of waits. A bean of a subclass replaces them. */
public class LimiterWaitConvention implements ObservationConvention<LimiterWaitContext> {

    @Override
    public String getName() {
        return "limiter.wait";
    }

    @Override
    public String getContextualName(LimiterWaitContext context) {
        return "wait for " + context.getLimit();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LimiterWaitContext context) {
        return KeyValues.of("limit", context.getLimit());
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LimiterWaitContext;
    }
}
