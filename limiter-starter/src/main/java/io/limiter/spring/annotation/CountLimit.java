package io.limiter.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how often a method is called by counting: at most {@link #limit()} permits in a {@link #period()}, which starts with
 * its first call unless you choose another {@link Kind}.
 *
 * <pre>{@code
 * @CountLimit(key = "#{phone}", limit = 1, period = 60)
 * public void sendCode(String phone) { ... }     // one in 60 seconds to each phone
 *
 * @CountLimit(limitType = LimitType.USER, limit = 100, per = "day", zone = "Europe/Berlin")
 * public Report export() { ... }                 // a hundred a day for each user, from midnight to midnight in Berlin
 * }</pre>
 *
 * <p>In the time of one period that spans two windows, up to twice the limit can be granted. {@link Kind#SLIDING_LOG} and
 * {@link RateLimit} have no such boundary.
 *
 * <p>The same as for {@link RateLimit} are: where you can put it, what happens to a rejected call, how several on one method work, what
 * configuration overrides, and when the application fails to start.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(CountLimit.List.class)
public @interface CountLimit {

    /** How permits are counted, as in {@code limiter.limits.<name>.kind}. Each kind keeps separate permits in Redis. */
    enum Kind {

        /** In periods that start with their first call, or in those of the calendar in a {@link #zone()}: {@link io.limiter.algorithm.FixedWindow}. */
        FIXED_WINDOW,

        /** Exactly in any interval of a period, with a time for each grant: {@link io.limiter.algorithm.SlidingLog}. */
        SLIDING_LOG,

        /** Nearly exactly in any interval of a period, with only two numbers: {@link io.limiter.algorithm.SlidingCounter}. */
        SLIDING_COUNTER
    }

    /** How permits are counted. */
    Kind kind() default Kind.FIXED_WINDOW;

    /**
     * How many permits there are in one period, at least 1 and less than 2<sup>53</sup>, and at most 100,000 for a sliding log. There is no
     * default, so it must be set here or in configuration.
     */
    long limit() default -1;

    /**
     * The length of a period in seconds, from 0.001 to 86,400,000. It starts with its first call. There is no default, so this or
     * {@link #per()} must be set here, or {@code per} in configuration.
     */
    double period() default Double.NaN;

    /**
     * The length of a period as a text, instead of {@link #period()}: a {@linkplain RateLimit duration} such as {@code 15m}. For a fixed
     * window, it can also be {@code minute}, {@code hour}, {@code day}, {@code week}, {@code month} or {@code year} of the calendar in the
     * {@link #zone()}. With {@code 1d}, a day starts with its first call, and with {@code day} at midnight. A week begins on Monday, a
     * month on its first day and a year on the first of January, unless there is an {@link #anchor()}.
     */
    String per() default "";

    /**
     * The time zone of the calendar for a {@link #per()} such as {@code day} or {@code month}, for example {@code Europe/Berlin}. Default:
     * UTC.
     */
    String zone() default "";

    /**
     * The date from which the weeks, months or years of {@link #per()} are counted. With {@code 2026-01-15}, a month begins on each 15th. In
     * a calendar month that is too short for the day, it begins on the last day. With an expression over the arguments,
     * {@code claim('...')} or {@code user()}, each call has its own date: <code>#{customer.since}</code>. Its value may be a date, a moment
     * (whose date in the {@link #zone()} counts), either of them as an ISO text, or null for none. Any other value is rejected like a
     * missing key. Callers with the same key must agree on the date, because a period ends at the earliest end that any of them names.
     * Default: none.
     */
    String anchor() default "";

    /**
     * How many seconds a call waits for its permits at most, from 0 to 86,400,000. It is rejected immediately if no permits will be
     * available in that time. Otherwise it tries again when they are, after the calls that have waited longer. See
     * {@link io.limiter.Limiter#decide(long, java.time.Duration)}. Default: 0, which rejects immediately.
     */
    double timeout() default Double.NaN;

    /** The key of the permits, as in {@link RateLimit#key()}. It implies {@link LimitType#CUSTOM}. */
    String[] key() default {};

    /** The plan of a call, as in {@link RateLimit#plan()}. */
    String plan() default "";

    /** The kind of key if no {@link #key()} is given. */
    LimitType limitType() default LimitType.METHOD;

    /** How many permits a call takes, as in {@link RateLimit#cost()}. Default: 1. */
    String cost() default "";

    /** The calls to which the limit applies, as in {@link RateLimit#condition()}. Default: all. */
    String condition() default "";

    /** Which calls stay charged once their outcome is known, as in {@link RateLimit#chargeOn()}. Default: all. */
    String chargeOn() default "";

    /**
     * How many permits a call is charged for once its result is known, as in {@link RateLimit#settle()}. A debt ends with its
     * period. Default: those that it took.
     */
    String settle() default "";

    /** How many permits the call leaves to other limits of its {@link #name()}, as in {@link RateLimit#leave()}. Default: none. */
    String leave() default "";

    /** The message of a rejection, as in {@link RateLimit#message()}. Default: one with the retry-after. */
    String message() default "";

    /**
     * The limiter's name. Methods with the same name and {@link #prefix()} share its permits, in this application and in every other one on
     * the same Redis, so they must agree on kind, limit and period. Default: the bean's class, the method and its parameter types.
     */
    String name() default "";

    /** The failure policy while Redis is unavailable, as in {@link RateLimit#onFailure()}. */
    String onFailure() default "";

    /**
     * The beginning of the keys in Redis, which must not contain braces. The default depends on the kind of the limit, as in code:
     * {@code rateLimit:} for rates, {@code concurrentLimit:} for leases, {@code countLimit:} for everything else.
     */
    String prefix() default "";

    /** Several on one method or type. The compiler adds it. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface List {

        /** In the order in which they are declared. */
        CountLimit[] value();
    }
}
