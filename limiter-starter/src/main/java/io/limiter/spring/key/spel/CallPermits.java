package io.limiter.spring.key.spel;

import io.limiter.internal.arithmetic.Check;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How many permits a call takes: a fixed number or a cost, if a condition is true. Both are expressions over its arguments, or over a
 * request, which can use the same as a key; see {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 *
 * @param <C> the call: its arguments, or the request
 */
public final class CallPermits<C> {

    private static final String COST = "cost";
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");
    private static final BigInteger MOST = BigInteger.valueOf(Check.MAX_PERMITS);
    private static final String CONDITION = "condition";

    private final long fixed;
    private final @Nullable CallExpression<C> cost;
    private final @Nullable CallExpression<C> condition;

    private CallPermits(long fixed, @Nullable CallExpression<C> cost, @Nullable CallExpression<C> condition) {
        this.fixed = fixed;
        this.cost = cost;
        this.condition = condition;
    }

    /**
     * @param cost a number or an expression; empty for one permit
     * @param condition empty if the limit applies to all calls
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the number is out of range, or a text is not one expression that can work
     */
    public static CallPermits<@Nullable Object[]> parse(String cost, String condition, Method annotated) {
        ArgumentScope scope = ArgumentScope.of(annotated);
        return of(
                cost.isEmpty() ? null : ExpressionSource.of(COST, cost, annotated, scope),
                "#{items.size()}",
                condition.isEmpty() ? null : ExpressionSource.of(CONDITION, condition, annotated, scope),
                "#{items.size() > 100}");
    }

    /**
     * The permits of requests, whose cost and condition are expressions over {@link KeyRequest}.
     *
     * @param cost {@code null} for one permit
     * @param condition {@code null} if the limit applies to all requests
     * @throws IllegalArgumentException if the number is out of range, or a text is not one expression that can work
     */
    public static CallPermits<KeyRequest> ofRequest(@Nullable String cost, @Nullable String condition) {
        return of(
                cost == null ? null : ExpressionSource.ofRequest(COST, cost),
                "#{method == 'POST' ? 5 : 1}",
                condition == null ? null : ExpressionSource.ofRequest(CONDITION, condition),
                "#{header('X-Internal') == null}");
    }

    private static <C> CallPermits<C> of(
            @Nullable ExpressionSource<C> cost,
            String exampleOfCost,
            @Nullable ExpressionSource<C> condition,
            String exampleOfCondition) {
        boolean fixed = cost == null || NUMBER.matcher(cost.text()).matches();
        return new CallPermits<>(
                cost == null || !fixed ? 1 : number(cost),
                cost == null || fixed ? null : CallExpression.number(cost, exampleOfCost + ", or a number, such as 5"),
                condition == null ? null : CallExpression.condition(condition, exampleOfCondition));
    }

    private static long number(ExpressionSource<?> cost) {
        BigInteger number = new BigInteger(cost.text());
        if (number.signum() <= 0 || number.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(cost.quoted() + " must be between 1 and " + MOST + ", or an expression");
        }
        return number.longValueExact();
    }

    /** The permits of calls without a cost. */
    public long fixed() {
        return fixed;
    }

    /** Whether some calls may skip the limit. */
    public boolean maySkip() {
        return condition != null || cost != null;
    }

    /**
     * The permits of one call, 0 if it skips the limit.
     *
     * @throws InvalidLimitArgumentException if the call makes the condition neither true nor false, or the cost no whole number
     *     from 0 to 2<sup>53</sup> - 1
     */
    public long of(C call) {
        if (condition != null && !condition.isTrue(call)) {
            return 0;
        }
        return cost == null ? fixed : cost.number(call);
    }
}
