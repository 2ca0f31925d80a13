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
 * its first call, or is counted as another {@link Kind} does.
 *
 * <pre>{@code
 * @CountLimit(key = "#{phone}", limit = 1, period = 60)
 * public void sendCode(String phone) { ... }     // one in 60 seconds to each phone
 *
 * @CountLimit(limitType = LimitType.USER, limit = 100, per = "day", zone = "Europe/Berlin")
 * public Report export() { ... }                 // a hundred a day for each user, from midnight to midnight in Berlin
 * }</pre>
 *
 * <p>Two neighbouring periods can put up to twice the limit into the time of one; {@link Kind#SLIDING_LOG} and
 * {@link RateLimit} have no such edge.
 * Where it can stand, what happens to a rejected call, how several on one method work, what configuration overrides and what
 * fails at the start is the same as for {@link RateLimit}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(CountLimit.List.class)
public @interface CountLimit {

    /** How permits are counted, as of {@code limiter.limits.<name>.kind}. Each kind keeps permits of its own in Redis. */
    enum Kind {

        /** In periods that start with their first call, or in those of the calendar in a {@link #zone()}: {@link io.limiter.algorithm.FixedWindow}. */
        FIXED_WINDOW,

        /** Exactly in any interval of a period, with a time for each grant: {@link io.limiter.algorithm.SlidingLog}. */
        SLIDING_LOG,

        /** Nearly so, with two numbers: {@link io.limiter.algorithm.SlidingCounter}. */
        SLIDING_COUNTER
    }

    /** How permits are counted. */
    Kind kind() default Kind.FIXED_WINDOW;

    /**
     * Most permits in one period, at least 1 and less than 2<sup>53</sup>; of a sliding log at most 100,000. There is no default: it must be set here or in
     * configuration.
     */
    long limit() default -1;

    /**
     * The length of a period in seconds, from 0.001 to 86,400,000; it starts with its first call. There is no default: this or
     * {@link #per()} must be set here, or a period in configuration.
     */
    double period() default Double.NaN;

    /**
     * The length of a period as a text, instead of {@link #period()}: a {@linkplain RateLimit duration} such as {@code 15m}; or, of a
     * fixed window, {@code minute}, {@code hour}, {@code day}, {@code week}, {@code month} or {@code year} of the calendar in the
     * {@link #zone()}. So with {@code 1d} a day starts with its first call, and with {@code day} at midnight. A week begins on Monday, a
     * month on its first day and a year on the first of January, unless there is an {@link #anchor()}.
     */
    String per() default "";

    /**
     * The time zone by whose calendar a {@link #per()} such as {@code day} or {@code month} goes, such as {@code Europe/Berlin}. Default:
     * UTC.
     */
    String zone() default "";

    /**
     * The date from which the weeks, months or years of {@link #per()} are counted, such as {@code 2026-01-15}: then a month begins on each
     * 15th. Where a month is too short, it begins on its last day. An expression over the arguments, {@code claim('...')} or
     * {@code user()} makes it the date of each call: <code>#{customer.since}</code>. It may give a date, a moment, whose date in the
     * {@link #zone()} counts, either of them as an ISO text, or null for none; anything else is rejected as a missing key is. Callers with
     * one key must agree on it, because a period ends at the earliest end that any of them names. Default: none.
     */
    String anchor() default "";

    /**
     * How many seconds a call waits for its permits at most, from 0 to 86,400,000. It is rejected at once
     * if none will be there in that time; otherwise it tries again when they are, with those who waited longer before it. See
     * {@link io.limiter.Limiter#decide(long, java.time.Duration)}. Default: 0, which rejects at once.
     */
    double timeout() default Double.NaN;

    /** The key of the permits, as in {@link RateLimit#key()}. It implies {@link LimitType#CUSTOM}. */
    String[] key() default {};

    /** The plan of a call, as in {@link RateLimit#plan()}. */
    String plan() default "";

    /** The kind of key where no {@link #key()} is given. */
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
     * The limiter's name. Methods that give one name, and one {@link #prefix()}, share its permits, in this application
     * and in every other on the same Redis; they must agree on kind, limit and period. Default: the bean's class, the method
     * and its parameter types.
     */
    String name() default "";

    /** The failure policy while Redis is unavailable, as in {@link RateLimit#onFailure()}. */
    String onFailure() default "";

    /**
     * Starts the keys in Redis. Must not contain braces. Default: that of the kind of the limit, as in code: {@code rateLimit:} for
     * rates, {@code concurrentLimit:} for leases, {@code countLimit:} for everything else.
     */
    String prefix() default "";

    /** Several on one method or type; added by the compiler. */
    @Documented
    @Inherited
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @interface List {

        /** In the order in which they are declared. */
        CountLimit[] value();
    }
}
