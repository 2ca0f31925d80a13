package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the decisions of checks that belong together, such as those of one request. Safe for use by many threads, because
 * decisions can be completed by other threads than the caller's.
 */
public interface DecisionRecorder {

    /**
     * The decision of an earlier check that applies to this request too, so that it is not charged again; {@code null} if
     * there is none. Called in the thread of the call.
     */
    @Nullable
    Decision earlier(PermitRequest request);

    /**
     * Called for each decision that is enforced, before the call goes on or is rejected.
     *
     * @param rejection the decision that a rejected caller gets; {@code null} if all limits granted
     * @param parts at least one; more if several limits were decided together
     */
    void decided(@Nullable Decision rejection, List<LimitDecision> parts);

    /**
     * Called for permits that were taken and are returned, because another check has rejected the request.
     *
     * @param parts without the permits
     */
    void cancelled(List<LimitDecision> parts);

    /**
     * How long a call may wait for permits.
     *
     * @param ofLimit as the limit says; {@link io.limiter.internal.parameters.LimitParameters#UNTIL_ITS_TURN} if it says nothing
     */
    default Duration timeout(Duration ofLimit) {
        return ofLimit;
    }

    /** Instead of the status of a response that says that the request was rejected. */
    int REJECTED = -1;

    /**
     * Calls the action with the status of the response, or {@link #REJECTED}, once that is known; never if the request ends without
     * a response.
     */
    void whenDone(IntConsumer action);

    /**
     * Has the readers read the response to a request, and calls the action with its status once its body has ended; with 0 if the
     * request ends without a response; never if it is {@link #REJECTED}, or if no response of this recorder is read.
     */
    default void whenRead(List<UsageReader> readers, IntConsumer action) {}

    /** Finds the recorder of a call. Applications whose responses show limits have a bean of this type. */
    @FunctionalInterface
    interface Finder {

        /** The recorder of the call that the current thread is about to make; {@code null} if it has none. */
        @Nullable
        DecisionRecorder current();
    }
}
