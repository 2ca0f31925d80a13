package io.limiter.step;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of one step. An immutable value with {@code equals}.
 *
 * @param <S> the type of the state
 */
public final class Step<S> {

    private final @Nullable S state;
    private final Verdict verdict;

    private Step(@Nullable S state, Verdict verdict) {
        this.state = state;
        this.verdict = Objects.requireNonNull(verdict, "verdict");
    }

    /**
     * @param state the state to be stored, the same instance as before if it does not change
     * @param verdict the decision of the step
     */
    public static <S> Step<S> of(@Nullable S state, Verdict verdict) {
        return new Step<>(state, verdict);
    }

    /** The state to be stored, the same instance as before if it did not change, or {@code null} if there was none. */
    public @Nullable S state() {
        return state;
    }

    /** The decision of the step. */
    public Verdict verdict() {
        return verdict;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Step<?> step && Objects.equals(state, step.state) && verdict.equals(step.verdict);
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hashCode(state) + verdict.hashCode();
    }

    @Override
    public String toString() {
        return "Step[state=" + state + ", verdict=" + verdict + "]";
    }
}
