package io.limiter.internal.engine;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The pending decision of a single request. */
public non-sealed class PendingRequest extends PendingDecision<Outcome> {

    private final LimitStep<?> limit;
    private final Request request;

    public PendingRequest(String key, LimitStep<?> limit, Request request, @Nullable Fallback<Outcome> fallback) {
        super(key, fallback);
        this.limit = limit;
        this.request = request;
    }

    /** Starts the decision of a request without a fallback. */
    public static PendingRequest start(Engine engine, String key, LimitStep<?> limit, Request request) {
        return start(engine, key, limit, request, false);
    }

    /**
     * Starts the decision of a request without a fallback.
     *
     * @param awaited see {@link #markAwaited}
     */
    public static PendingRequest start(
            Engine engine, String key, LimitStep<?> limit, Request request, boolean awaited) {
        PendingRequest pending = new PendingRequest(key, limit, request, null);
        if (awaited) {
            pending.markAwaited();
        }
        pending.decideBy(engine);
        return pending;
    }

    @Override
    public final LimitStep<?> limit(int part) {
        return limit;
    }

    @Override
    public final Request request(int part) {
        return request;
    }

    @Override
    public final List<KeyRequests<?>> parts() {
        return List.of(KeyRequests.of(key(), limit, request));
    }

    @Override
    public final void decided(Outcome only) {
        answer(only);
    }

    @Override
    public final void whenDecided(Consumer<Outcome> only) {
        thenAccept(only);
    }

    @Override
    public final void decided(IntFunction<@Nullable Outcome> decisions) {
        answer(Objects.requireNonNull(decisions.apply(0)));
    }
}
