package io.limiter.spring.aop.result;

import io.limiter.spring.check.DecisionRecorder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The result of a limited method whose thread did not know the request, which the handler of the result knows. */
public interface RecordedResult {

    /**
     * Begins the call if its limits read the request. To be called once, before anything else is done with the result.
     *
     * @param recorder records the decisions of the call, also those that are made later
     */
    void handledBy(Caller caller, DecisionRecorder recorder);

    /** What is known of the caller. */
    @FunctionalInterface
    interface Caller {

        /**
         * Runs an action in a thread that knows the request.
         *
         * @param user whether the action needs the user, who may have to be waited for
         * @param form whether it needs the form of the request
         */
        <T> CompletableFuture<T> call(boolean user, boolean form, Supplier<T> action);
    }
}
