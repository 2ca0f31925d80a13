package io.limiter.spring.key.spel;

import io.limiter.spring.key.InvalidLimitArgumentException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * How many permits a call takes: a fixed number or a cost, if a condition is true. Both are expressions over its arguments, which
 * can use the same as a key; see {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallPermits {

    private final int fixed;
    private final @Nullable CallExpression cost;
    private final @Nullable CallExpression condition;

    private CallPermits(int fixed, @Nullable CallExpression cost, @Nullable CallExpression condition) {
        this.fixed = fixed;
        this.cost = cost;
        this.condition = condition;
    }

    /**
     * @param fixed where there is no cost, at least 1
     * @param cost empty if all calls take the fixed number
     * @param condition empty if the limit applies to all calls
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the number is less than 1, if there is a cost too, or a text is not one expression that can work
     */
    public static CallPermits parse(int fixed, String cost, String condition, Method annotated) {
        if (fixed < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + fixed);
        }
        if (fixed != 1 && !cost.isEmpty()) {
            throw new IllegalArgumentException(
                    "permits " + fixed + " has no effect with cost '" + cost + "': leave one of them out");
        }
        return new CallPermits(
                fixed,
                cost.isEmpty()
                        ? null
                        : CallExpression.parse("cost", cost, annotated, ArgumentScope.of(annotated), "#{items.size()}"),
                condition.isEmpty()
                        ? null
                        : CallExpression.parse(
                                "condition",
                                condition,
                                annotated,
                                ArgumentScope.of(annotated),
                                "#{items.size() > 100}"));
    }

    /** The permits of calls without a cost. */
    public int fixed() {
        return fixed;
    }

    /**
     * The permits of one call, 0 if it skips the limit.
     *
     * @throws InvalidLimitArgumentException if the arguments make the condition neither true nor false, or the cost no whole
     *     number from 0 to 2,147,483,647
     */
    public int of(@Nullable Object[] arguments) {
        if (condition != null && !condition.isTrue(arguments)) {
            return 0;
        }
        return cost == null ? fixed : cost.number(arguments);
    }
}
