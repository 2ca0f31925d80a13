package io.limiter.spring.aop;

import io.limiter.algorithm.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hears what the limits decide about calls that belong together, such as those made while one request is handled. Safe for
 * use by many threads, because decisions can come by another thread than the one that called.
 */
public interface DecisionRecorder {

    /**
     * What was decided before and goes for this call too, so that it is not charged again; {@code null} if it has to be
     * asked. Called in the thread of the call.
     */
    @Nullable
    Decision earlier(LimitAsked asked);

    /**
     * Called for each decision but those of dry runs, before the call goes on or is refused.
     *
     * @param whole the decision that a refused caller gets; {@code null} if the only one of the parts is
     * @param parts at least one; more if they were decided together
     */
    void decided(@Nullable Decision whole, List<LimitDecision> parts);
}
