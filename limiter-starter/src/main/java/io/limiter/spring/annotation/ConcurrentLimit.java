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
 * <p>A call holds its lease until the method returns or throws; if it returns a
 * {@link java.util.concurrent.CompletionStage}, until that is completed; if it returns a publisher, with each subscription
 * until that completes, fails or is cancelled. {@link RateLimit} says how futures and publishers are limited. The lease of
 * an instance that crashed ends after its {@link #lease()}; that of a longer call is renewed meanwhile. A call whose
 * instance stood still for longer has lost its lease, which is logged, and still goes on.
 *
 * <p>{@link RateLimit}s and {@link CountLimit}s of the method decide first: a call that is rejected for its rate neither waits
 * for a lease nor takes one. If this limit then rejects the call, or cannot decide, the permits that they granted are
 * refunded.
 *
 * <p>A method cannot have this annotation if its work goes on after it has returned, and the result does not signal the end: plain
 * {@link java.util.concurrent.Future}s, {@link java.util.concurrent.Callable}s, and Spring MVC's {@code DeferredResult},
 * {@code WebAsyncTask}, {@code StreamingResponseBody} and {@code ResponseBodyEmitter}, in a {@code ResponseEntity} or a future
 * too; nor can one that returns a {@code ServerResponse} of a functional endpoint. It would release the lease before the work is done, so it prevents startup. Such a result behind another type, such as
 * {@code Object} or {@code ResponseEntity<?>}, fails the call with an {@link IllegalStateException} after the lease is released.
 *
 * <p>A cancelled {@code suspend} function of Kotlin counts as ended, although blocking work in it goes on: use a
 * {@link io.limiter.ConcurrencyLimiter} within that work.
 *
 * <p>A rejected call does not reach the method; the caller gets a {@link io.limiter.RateLimitExceededException}, which a web
 * application answers with status 429 unless it handles the exception itself.
 *
 * <p>{@code limiter.limits.<name>.limit}, {@code .lease}, {@code .timeout} and {@code .enforce} in the configuration override
 * the annotation.
 *
 * <p>Where it can stand and what fails at the start is the same as for {@link RateLimit}; there is one for a method. To
 * limit the calls within one JVM, all together, Spring Framework 7 has a {@code @ConcurrencyLimit} of its own, which needs no
 * Redis.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ConcurrentLimit {

    /** Most permits held at the same time, from 1 to 1,000. There is no default: it must be set here or in configuration. */
    long limit() default -1;

    /** After how many seconds the lease of an instance that crashed ends, from 0.1 to 86,400,000. Default: 30. */
    double lease() default Double.NaN;

    /** How many seconds a call waits for its permits at most, from 0 to 86,400,000. Default: 0, which rejects at once. */
    double timeout() default Double.NaN;

    /** The key of the permits, as in {@link RateLimit#key()}. It implies {@link LimitType#CUSTOM}. */
    String[] key() default {};

    /** The plan of a call, as in {@link RateLimit#plan()}. */
    String plan() default "";

    /** The kind of key where no {@link #key()} is given. */
    LimitType limitType() default LimitType.METHOD;

    /** How many permits a call holds, as in {@link RateLimit#cost()}. Default: 1. */
    String cost() default "";

    /** The calls to which the limit applies, as in {@link RateLimit#condition()}. Default: all. */
    String condition() default "";

    /** The message of a rejection, as in {@link RateLimit#message()}. Default: one with the retry-after. */
    String message() default "";

    /**
     * The limiter's name. Methods that give one name, and one {@link #prefix()}, share its permits, in this application
     * and in every other on the same Redis; they must agree on limit and lease. Default: the bean's class, the method
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
}
