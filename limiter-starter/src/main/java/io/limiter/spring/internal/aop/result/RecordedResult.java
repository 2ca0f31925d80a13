package io.limiter.spring.internal.aop.result;

import io.limiter.spring.internal.check.DecisionRecorder;
import reactor.util.context.ContextView;

/** The result of a limited method whose thread did not know the request, which the handler of the result knows. */
public interface RecordedResult {

    /**
     * Begins the call if its limits read the request. To be called once, before anything else is done with the result.
     *
     * @param context in which the result is handled
     * @param recorder records the decisions of the call, also those that are made later
     */
    void handledIn(ContextView context, DecisionRecorder recorder);
}
