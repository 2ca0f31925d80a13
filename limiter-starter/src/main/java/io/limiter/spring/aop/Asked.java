package io.limiter.spring.aop;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What is asked at once: one limit, or several that are decided together.
 *
 * @param <D> what they decide
 */
interface Asked<D> {

    /** Waits for the permits if it has to. */
    D decide();

    /** As {@link #decide}, without blocking the calling thread. */
    CompletableFuture<D> decideAsync();

    /** {@code null} if the call can go on. */
    @Nullable
    Refusal refusal(D decision);

    /** Asks; {@code null} if the call can go on. */
    default @Nullable Refusal take() {
        return refusal(decide());
    }
}
