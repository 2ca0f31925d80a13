package io.limiter.internal.backend;

import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.KeyRequests;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A call of the backend: requests of several keys.
 *
 * @param keys no key twice
 * @param allOrNothing whether permits are taken of all keys or of none; then each has one request, which acquires permits. If
 *     none are taken, the granted decisions say what would have been granted
 * @param send called once, immediately before anything is executed; nothing is executed if it returns {@code false}
 * @param answered called once, with an answer for each key, in their order; must not throw. In a call for all or
 *     nothing, all have failed, with the same failure, or none has
 */
public record Call(
        List<KeyRequests<?>> keys, boolean allOrNothing, BooleanSupplier send, Consumer<List<Answer>> answered) {

    /** Answers all keys with a failure. */
    public void failed(Function<String, LimiterBackendException> failure) {
        answered.accept(failures(failure));
    }

    /**
     * A failed answer for each key, in a list that can be changed.
     *
     * @param failure of a key; the first one's is that of all keys in a call for all or nothing
     */
    public List<Answer> failures(Function<String, LimiterBackendException> failure) {
        List<Answer> failures = new ArrayList<>(keys.size());
        for (KeyRequests<?> each : keys) {
            failures.add(
                    allOrNothing && !failures.isEmpty() ? failures.get(0) : Answer.failed(failure.apply(each.key())));
        }
        return failures;
    }

    /** The same, which was to be sent already. */
    public Call sent() {
        return new Call(keys, allOrNothing, () -> true, answered);
    }
}
