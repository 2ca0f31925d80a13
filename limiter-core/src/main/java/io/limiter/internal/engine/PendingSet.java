package io.limiter.internal.engine;

import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The pending decision of a limit set: one decision for each part, in order. */
public final class PendingSet extends PendingDecision<List<@Nullable Decision>> {

    private final List<KeyRequests<?>> parts;

    /**
     * @param parts at least one, and no key twice
     */
    public PendingSet(List<KeyRequests<?>> parts, @Nullable Fallback<List<@Nullable Decision>> fallback) {
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
    public Limit<?> limit(int part) {
        return parts.get(part).limit();
    }

    @Override
    public Request request(int part) {
        return parts.get(part).request();
    }

    @Override
    public void decided(Decision only) {
        answer(List.of(only));
    }

    @Override
    public void whenDecided(Consumer<Decision> only) {
        thenAccept(decisions -> only.accept(Objects.requireNonNull(decisions.get(0))));
    }

    @Override
    public void decided(IntFunction<@Nullable Decision> decisions) {
        List<@Nullable Decision> all = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            all.add(decisions.apply(i));
        }
        answer(all);
    }
}
