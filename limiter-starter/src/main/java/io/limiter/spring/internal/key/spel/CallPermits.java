package io.limiter.spring.internal.key.spel;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.spring.internal.key.spel.Expression.Text;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How many permits a call takes: a fixed number or a cost, if a condition is true. Both are expressions over its arguments and its
 * request, which can use the same as a key; see {@link io.limiter.spring.annotation.RateLimit#key()}. Safe for use by many threads.
 */
public final class CallPermits {

    private static final String COST = "cost";
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");
    private static final BigInteger MOST = BigInteger.valueOf(Ranges.MAX_PERMITS);
    private static final String CONDITION = "condition";

    private final long fixed;
    private final @Nullable Expression cost;
    private final @Nullable Expression condition;
    private final long least;

    private CallPermits(long fixed, @Nullable Expression cost, @Nullable Expression condition, long least) {
        this.fixed = fixed;
        this.cost = cost;
        this.condition = condition;
        this.least = least;
    }

    /** The same permits, but at least one unless the condition is false: a call whose cost is known later must not skip the limit. */
    public CallPermits atLeastOne() {
        return new CallPermits(fixed, cost, condition, 1);
    }

    /**
     * @param cost a number or an expression; empty for one permit
     * @param condition empty if the limit applies to all calls
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the number is out of range, or a text is not one expression that can work
     */
    public static CallPermits parse(String cost, String condition, Method annotated) {
        Names names = Names.ofMethod(annotated);
        return of(
                cost.isEmpty() ? null : Text.of(COST, cost, names),
                "#{items.size()}",
                condition.isEmpty() ? null : Text.of(CONDITION, condition, names),
                "#{items.size() > 100}");
    }

    /**
     * The permits of requests, whose cost and condition are expressions over {@link KeyRequest}.
     *
     * @param cost {@code null} for one permit
     * @param condition {@code null} if the limit applies to all requests
     * @throws IllegalArgumentException if the number is out of range, or a text is not one expression that can work
     */
    public static CallPermits ofRequest(@Nullable String cost, @Nullable String condition) {
        return of(
                cost == null ? null : Text.of(COST, cost, Names.OF_RULE),
                "#{method() == 'POST' ? 5 : 1}",
                condition == null ? null : Text.of(CONDITION, condition, Names.OF_RULE),
                "#{header('X-Internal') == null}");
    }

    private static CallPermits of(
            @Nullable Text cost, String exampleOfCost, @Nullable Text condition, String exampleOfCondition) {
        boolean fixed = cost == null || NUMBER.matcher(cost.text()).matches();
        return new CallPermits(
                cost == null || !fixed ? 1 : number(cost),
                cost == null || fixed ? null : Expression.number(cost, exampleOfCost + ", or a number, such as 5"),
                condition == null ? null : Expression.condition(condition, exampleOfCondition),
                0);
    }

    private static long number(Text cost) {
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
        return condition != null || cost != null && least == 0;
    }

    /** The facts that the cost and the condition read. */
    public Needs needs() {
        Needs ofCost = cost == null ? Needs.NONE : Needs.of(cost.facts());
        return condition == null ? ofCost : ofCost.and(Needs.of(condition.facts()));
    }

    /**
     * The permits of one call, 0 if it skips the limit.
     *
     * @throws InvalidLimitArgumentException if the call makes the condition neither true nor false, or the cost no number
     *     from 0 to 2<sup>53</sup> - 1
     * @throws io.limiter.spring.key.MissingLimitKeyException if they read a request, and there is none
     */
    public long of(@Nullable Object[] arguments, KeyRequest request) {
        if (condition != null && !condition.isTrue(arguments, request)) {
            return 0;
        }
        return cost == null ? fixed : Math.max(least, cost.number(arguments, request));
    }

    /** The permits of a request. */
    public long of(KeyRequest request) {
        return of(Names.NO_ARGUMENTS, request);
    }
}
