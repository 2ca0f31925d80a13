package io.limiter.internal.engine;

import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The pending decision of a limit set: one decision for each part, in order. */
public final class PendingSet extends PendingDecision<List<@Nullable Outcome>> {

    private final List<KeyRequests<?>> parts;

    /**
     * @param parts at least one, and no key twice
     */
    public PendingSet(List<KeyRequests<?>> parts, @Nullable Fallback<List<@Nullable Outcome>> fallback) {
        super(parts.get(0).key(), fallback);
        this.parts = parts;
        for (KeyRequests<?> part : parts) {
            if (part.requests().size() != 1 || part.request().action() != Request.Action.TAKE) {
                throw new IllegalArgumentException(
                        "each part of a limit set must acquire permits once, was " + part.requests());
            }
        }
    }

    @Override
    public List<KeyRequests<?>> parts() {
        return parts;
    }

    @Override
    public int size() {
        return parts.size();
    }

    @Override
    public String key(int part) {
        return parts.get(part).key();
    }

    @Override
    public LimitStep<?> limit(int part) {
        return parts.get(part).limit();
    }

    @Override
    public Request request(int part) {
        return parts.get(part).request();
    }

    @Override
    public void decided(Outcome only) {
        answer(List.of(only));
    }

    @Override
    public void whenDecided(Consumer<Outcome> only) {
        thenAccept(decisions -> only.accept(Objects.requireNonNull(decisions.get(0))));
    }

    @Override
    public void decided(IntFunction<@Nullable Outcome> decisions) {
        List<@Nullable Outcome> all = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            all.add(decisions.apply(i));
        }
        answer(all);
    }
}
