package io.limiter.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many calls of a method are under way at the same time, in all instances of the application together.
 *
 * <pre>{@code
 * @ConcurrentLimit(limitType = LimitType.USER, limit = 2, timeout = 5)
 * public Report export() { ... }                 // two at a time for each user; a third waits for up to 5 s
 * }</pre>
 *
 * <p>A call holds its place until the method returns or throws; if it returns a
 * {@link java.util.concurrent.CompletionStage}, until that is completed. The place of an instance that crashed comes back
 * after {@link #lease()} seconds; a call that takes longer than that keeps its place, because it is renewed meanwhile. One
 * whose instance stood still for longer than the lease has lost it, which is logged, and goes on all the same.
 *
 * <p>A method cannot carry it whose result does its work later and does not say when that is done: publishers, plain
 * {@link java.util.concurrent.Future}s, {@link java.util.concurrent.Callable}s, and Spring MVC's {@code DeferredResult},
 * {@code WebAsyncTask}, {@code StreamingResponseBody} and {@code ResponseBodyEmitter}, in a {@code ResponseEntity} too. It
 * would hold its place for none of the work, so it fails the start. In a WebFlux application futures and handler methods fail
 * it too, because a thread that serves all requests would wait for the place. What is hidden behind another type, such as
 * {@code Object}, is not found.
 *
 * <p>A call beyond the limit does not reach the method; the caller gets a
 * {@link io.limiter.RateLimitExceededException}, which a servlet application answers with status 429 unless it handles
 * the exception itself. {@link RateLimit}s and {@link CountLimit}s of the method are asked before.
 *
 * <p>{@code limiter.limits.<name>.limit}, {@code .lease} and {@code .timeout} in the configuration win over what stands here.
 *
 * <p>Where it can stand and what fails at the start is the same as for {@link RateLimit}; there is one for a method. To
 * limit the calls within one JVM, all together, Spring Framework 7 has a {@code @ConcurrencyLimit} of its own, which asks no
 * Redis.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ConcurrentLimit {

    /**
     * The limiter's name. Methods that give one name, and one {@link #prefix()}, share its places, in this application
     * and in every other on the same Redis; they must agree on limit and lease. Default: the bean's class, the method
     * and its parameter types.
     */
    String name() default "";

    /** With {@link LimitType#CUSTOM}, and only then: whose calls share the places. As in {@link RateLimit#key()}. */
    String key() default "";

    /** Starts the keys in Redis. May be empty, must not contain braces. */
    String prefix() default "concurrentLimit:";

    /** The most calls at the same time, from 1 to 1,000. */
    int limit() default 1;

    /** After how many seconds the place of an instance that crashed comes back, from 0.1 to 86,400,000. */
    double lease() default 30;

    /**
     * How many seconds a call waits for a place at most, in its own thread; from 0, which refuses at once, to 86,400,000.
     */
    double timeout() default 0;

    /** What a call is answered when Redis does not decide, as in {@link RateLimit#onFailure()}. */
    OnFailure onFailure() default OnFailure.DEFAULT;

    /** The share of the limit that each instance decides under then, as in {@link RateLimit#failureShare()}. */
    double failureShare() default 1.0;

    /**
     * How many permits a call holds, as in {@link RateLimit#cost()}; a call that costs 0 skips the limit. Default: 1.
     */
    String cost() default "";

    /** To which calls the limit applies, as in {@link RateLimit#condition()}. Default: to all. */
    String condition() default "";

    /** What answers a rejected call, as in {@link RateLimit#fallback()}. Default: it throws. */
    String fallback() default "";

    /** The message of a refusal, which goes to the caller, as in {@link RateLimit#message()}. */
    String message() default "";

    /** Whose calls share the places. */
    LimitType limitType() default LimitType.METHOD;
}
