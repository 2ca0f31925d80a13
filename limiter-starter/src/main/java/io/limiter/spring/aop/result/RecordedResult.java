package io.limiter.spring.aop.result;

import io.limiter.spring.check.DecisionRecorder;

/** The result of a limited method whose thread did not know where its decisions are recorded. */
public interface RecordedResult {

    /** Records there the decisions of the call, also those that are made later. */
    void recordIn(DecisionRecorder recorder);
}
