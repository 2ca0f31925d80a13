package io.limiter.internal.engine;

import io.limiter.LimiterBackendException;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A pending decision with one part, or several that are decided all or nothing.
 *
 * @param <T> the caller's result
 */
public abstract sealed class PendingDecision<T> extends Pending<T> permits PendingRequest, PendingSet {

    PendingDecision(String key, @Nullable Fallback<T> fallback) {
        super(key, fallback);
    }

    /** The limit of a key. */
    public abstract LimitStep<?> limit(int part);

    public abstract Request request(int part);

    /** All parts, for a call to the backend. */
    public abstract List<KeyRequests<?>> parts();

    /** Passes this to an engine. An exception of a custom limit fails it. */
    public final void decideBy(Engine engine) {
        try {
            engine.decide(this);
        } catch (RuntimeException | Error e) {
            fail(
                    e instanceof LimiterBackendException failure
                            ? failure
                            : new LimiterBackendException(
                                    LimiterBackendException.Kind.NOT_EXECUTED,
                                    "other",
                                    key(),
                                    "it could not be decided: " + e,
                                    null,
                                    e),
                    Runnable::run);
        }
    }

    /** Completes this with the decision of its only part. */
    public abstract void decided(Outcome only);

    /**
     * Completes this with the decisions.
     *
     * @param decisions the decision of each part; {@code null} for a part that was not decided because another one is
     *     rejected by the cache
     */
    public abstract void decided(IntFunction<@Nullable Outcome> decisions);

    /** Calls this with the decision of the only part, once it is made. */
    public abstract void whenDecided(Consumer<Outcome> only);
}
