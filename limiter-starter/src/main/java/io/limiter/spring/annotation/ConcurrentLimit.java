package io.limiter.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many calls of a method are in progress at the same time, in all instances of the application together.
 *
 * <pre>{@code
 * @ConcurrentLimit(limitType = LimitType.USER, limit = 2, timeout = 5)
 * public Report export() { ... }                 // two at a time for each user; a third waits for up to 5 s
 * }</pre>
 *
 * <p>A call holds its lease until the method returns or throws. If it returns a {@link java.util.concurrent.CompletionStage}, it holds the
 * lease until that is completed. If it returns a publisher, each subscription holds a lease until it completes, fails or is cancelled.
 * {@link RateLimit} says how futures and publishers are limited.
 *
 * <p>The lease of a call that takes longer than {@link #lease()} is renewed. The lease of an instance that crashed ends after that time. If
 * an instance stands still for longer, its calls lose their leases, which is logged, and still go on.
 *
 * <p>{@link RateLimit}s and {@link CountLimit}s of the method decide first: a call that is rejected for its rate neither waits
 * for a lease nor takes one. If this limit then rejects the call, or cannot decide, the permits that they granted are
 * refunded.
 *
 * <p>The application fails to start if the work of the method goes on after it has returned, and its result does not signal the end,
 * because the lease would be released too early. Such results are a plain {@link java.util.concurrent.Future}, a
 * {@link java.util.concurrent.Callable}, and Spring MVC's {@code DeferredResult}, {@code WebAsyncTask}, {@code StreamingResponseBody} and
 * {@code ResponseBodyEmitter}, also in a {@code ResponseEntity} or a future, and the {@code ServerResponse} of a functional endpoint. If the
 * declared type hides such a result, as {@code Object} or {@code ResponseEntity<?>} do, the call fails with an
 * {@link IllegalStateException} after the lease is released.
 *
 * <p>A cancelled Kotlin {@code suspend} function counts as ended, although blocking work in it goes on. Use a
 * {@link io.limiter.ConcurrencyLimiter} within that work.
 *
 * <p>A rejected call does not reach the method. The caller gets a {@link io.limiter.RateLimitExceededException}, which a web
 * application answers with status 429 unless it handles the exception itself.
 *
 * <p>{@code limiter.limits.<name>.limit}, {@code .lease}, {@code .timeout} and {@code .enforce} in the configuration override
 * the annotation.
 *
 * <p>You can put it where you can put a {@link RateLimit}, but only one on a method, and the application fails to start in the same cases.
 * To limit the calls within one JVM, for all callers together, Spring Framework 7 has a {@code @ConcurrencyLimit}, which needs no Redis.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ConcurrentLimit {

    /** How many permits are held at the same time at most, from 1 to 1,000. There is no default, so it must be set here or in configuration. */
    long limit() default -1;

    /** After how many seconds the lease of an instance that crashed ends, from 0.1 to 86,400,000. Default: 30. */
    double lease() default Double.NaN;

    /** How many seconds a call waits for its permits at most, from 0 to 86,400,000. Default: 0, which rejects immediately. */
    double timeout() default Double.NaN;

    /** The key of the permits, as in {@link RateLimit#key()}. It implies {@link LimitType#CUSTOM}. */
    String[] key() default {};

    /** The plan of a call, as in {@link RateLimit#plan()}. */
    String plan() default "";

    /** The kind of key if no {@link #key()} is given. */
    LimitType limitType() default LimitType.METHOD;

    /** How many permits a call holds, as in {@link RateLimit#cost()}. Default: 1. */
    String cost() default "";

    /** The calls to which the limit applies, as in {@link RateLimit#condition()}. Default: all. */
    String condition() default "";

    /** The message of a rejection, as in {@link RateLimit#message()}. Default: one with the retry-after. */
    String message() default "";

    /**
     * The limiter's name. Methods with the same name and {@link #prefix()} share its permits, in this application and in every other one on
     * the same Redis, so they must agree on limit and lease. Default: the bean's class, the method and its parameter types.
     */
    String name() default "";

    /** The failure policy while Redis is unavailable, as in {@link RateLimit#onFailure()}. */
    String onFailure() default "";

    /**
     * The beginning of the keys in Redis, which must not contain braces. The default depends on the kind of the limit, as in code:
     * {@code rateLimit:} for rates, {@code concurrentLimit:} for leases, {@code countLimit:} for everything else.
     */
    String prefix() default "";
}
