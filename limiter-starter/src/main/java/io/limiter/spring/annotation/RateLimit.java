package io.limiter.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how often a method is called with a token bucket, which is refilled at an even rate and keeps unused permits up to
 * its capacity, or with another {@link Kind} of bucket.
 *
 * <pre>{@code
 * @RateLimit(key = "#{phone}", rate = 1.0 / 60, burst = 60)
 * public void sendCode(String phone) { ... }     // one a minute to each phone
 * }</pre>
 *
 * <p>A rejected call does not reach the method. The caller gets a {@link io.limiter.RateLimitExceededException}, which a web
 * application answers with status 429 unless it handles the exception itself.
 *
 * <p><b>Where.</b> Put it on a method of a Spring bean, on the method of a superclass or interface that it overrides, or on an
 * annotation that you compose (attributes overridden with {@code @AliasFor}). On a type, it limits each public method of the beans of
 * that type. They are limited one by one unless {@link #name()} is given. Methods that carry or inherit a {@code @RateLimit} of their
 * own are excepted, but a {@link CountLimit} of the type applies to them, too. On a controller, it limits the handler methods, and not
 * those that only help with a request. If a class and the types that it extends and implements have several, the closest one applies,
 * and the log names those that it replaces. The application fails to start if none of them is closest. Calls must come through the bean,
 * because a method that calls another method of its own object is not limited there.
 *
 * <p><b>Asynchronous methods</b> are limited without blocking the calling thread, and a rejection is in the result. These are methods that
 * return a {@link java.util.concurrent.CompletableFuture}, {@link java.util.concurrent.CompletionStage}, Reactor's {@code Mono} or
 * {@code Flux}, or another reactive type that Spring adapts to Reactor. A publisher is limited with each subscription.
 *
 * <p>Keys, costs and conditions are evaluated in the thread that calls the method, so IP and user work if that thread knows them. In
 * WebFlux, those of publishers are evaluated with each subscription, and Reactor's context knows IP and user. The method itself is called
 * in the same thread if the decision is known immediately, and otherwise in a thread of the limiter. A method that returns a publisher is
 * called on the event loop of its subscriber, where it must not block, or in a thread of the limiter if there is no event loop. In that
 * thread it has the MDC, the locale, the trace and the security context of the thread that calls or subscribes, and a snapshot of the
 * servlet request.
 *
 * <p>Kotlin's {@code suspend} functions are limited as a {@code Mono} is. The application fails to start with such a method if
 * {@code kotlinx-coroutines-reactor} is missing.
 *
 * <p><b>Other methods</b>, which return any other type or have {@code @Async}, are limited in the thread that runs them. They fail in the
 * thread of an event loop, such as Lettuce's, because it must not block. The application fails to start if a WebFlux handler method would
 * do so.
 *
 * <p><b>Several</b> annotations on one method, also of both kinds, are all or nothing: if one rejects, nothing is taken from the others.
 * {@link io.limiter.LimitSet} says where that is exact. If several reject, the caller gets the rejection with the longest retry-after.
 *
 * <p><b>Configuration</b> under {@code limiter.limits.<name>} overrides kind, rate, capacity and timeouts, and adds shadow mode
 * ({@code enforce}) and prefetch. The annotation can omit values that are set there.
 *
 * <p><b>Durations</b> are numbers of seconds, such as {@code timeout = 0.5}, and at most 86,400,000, which is 1,000 days. {@code NaN} means
 * not set. Only {@link #per()} is a text: a number with a unit ({@code ns}, {@code us}, {@code ms}, {@code s}, {@code m}, {@code h} or
 * {@code d}), such as {@code 15m} or {@code 500ms}, an ISO-8601 duration, such as {@code PT15M}, or a number of seconds.
 *
 * <p><b>Placeholders</b> such as <code>${sms.per:15m}</code> in texts are replaced with the values that the environment has when the class
 * is first limited. The application fails to start if one has no value. For a number that differs between environments, give the limit a
 * {@link #name()} and set {@code limiter.limits.<name>}.
 *
 * <p><b>Invalid values.</b> The application fails to start with an {@link InvalidLimitException} that names the method if a value is
 * invalid, for example if there is no rate or a rate of 0, if the bucket can never hold the permits, or if an attribute has no effect on
 * the kind. The same holds for an annotation without effect, such as on a private, static or final method. If a bean is created later,
 * its creation fails instead.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimit.List.class)
public @interface RateLimit {

    /** The kinds of bucket, as in {@code limiter.limits.<name>.kind}. Each kind keeps separate permits in Redis. */
    enum Kind {

        /** Keeps unused permits up to its capacity: {@link io.limiter.algorithm.TokenBucket}. */
        TOKEN_BUCKET,

        /** Rejects calls that would exceed its {@link #capacity()}: {@link io.limiter.algorithm.LeakyBucket#meter}. */
        LEAKY_BUCKET,

        /** Lets calls go one by one at even intervals, for which they wait: {@link io.limiter.algorithm.LeakyBucket#queue}. */
        LEAKY_QUEUE
    }

    /** The kind of bucket. A leaky one has {@link #rate()}, {@link #per()}, {@link #timeout()} and {@link #capacity()}, which is required. */
    Kind kind() default Kind.TOKEN_BUCKET;

    /**
     * Permits per second, or per {@link #per()}, from one permit in 1,000 days to 1,000,000,000 per second. There is no default, so it
     * must be set here or in configuration.
     */
    double rate() default Double.NaN;

    /** The duration that {@link #rate()} is for, from 1 ms: {@code rate = 1, per = "1m"} is one a minute. Default: a second. */
    String per() default "";

    /**
     * The capacity: how many unused permits are kept, from 1 to 1,000,000,000,000. The default is that of {@link #burst()}, and without a
     * burst the number in {@link #rate()}, but at least 1, so {@code rate = 100, per = "1m"} keeps 100. For a leaky bucket, it is how many
     * permits the bucket holds, and for a leaky queue, how many calls wait at most. These have no default, so it must be set here or in
     * configuration.
     */
    long capacity() default -1;

    /**
     * The capacity in seconds of the rate, instead of {@link #capacity()}: for how long unused permits are kept, more than 0 and at
     * most 86,400,000. The bucket must hold at least one permit, unless {@link #timeout()} is long enough to wait for the rest.
     */
    double burst() default Double.NaN;

    /**
     * How many seconds a call waits for its permits at most. With 0, it is rejected immediately. Default: 0, and in a leaky queue as long
     * as the queue allows.
     */
    double timeout() default Double.NaN;

    /**
     * The key of the permits: a source in the request, or a text in which <code>#{...}</code> stands for arguments of the call, by name
     * or position, and for facts of the request. It implies {@link LimitType#CUSTOM}.
     *
     * <pre>
     *   #{phone}   #{#phone}   #{#p0}         an argument
     *   #{user.id}                            a property of an argument
     *   #{params.phone}  #{params['phone']}   an entry of an argument that is a map
     *   header:X-Api-Key   cookie:sid         a header, a cookie,
     *   param:id   claim:tenant               a parameter of the query or a form, a claim of the user's token
     *   #{ip()}   #{user()}                   the address of the caller, the user who is logged in
     *   #{header('X-Tenant') ?: ip()}         also cookie('...'), param('...'), claim('...'), method(), path()
     *   sms:#{country}-#{phone}               with text around
     * </pre>
     *
     * Several keys are a path, like {@code limiter.on(tenant).on(user)} in code: <code>key = {"claim:tenant", "#{user()}"}</code>. Each user
     * of each tenant then has separate permits, and limits with the same first key are in one slot of a Redis Cluster.
     *
     * <p>The operators of the Spring Expression Language work, and so do {@code size()}, {@code length()} and {@code isEmpty()} of
     * collections, maps and texts, and {@code trim()}, {@code strip()} and {@code toLowerCase()} of texts. Types, beans, constructors,
     * assignments and other methods do not. Callers send text, so convert it to a number: <code>#{number(param('n')) * 2}</code>.
     *
     * <p>If the value of an expression is null or blank, the call is rejected with a {@link
     * io.limiter.spring.key.MissingLimitKeyException}, because otherwise all such calls would share a limit. The same happens if a fact of
     * the request is read without a request: it needs a servlet request in the calling thread, or in WebFlux a method that returns a
     * publisher.
     */
    String[] key() default {};

    /**
     * The plan of a call, a text like {@link #key()}: <code>#{user.plan}</code>. It chooses among
     * {@code limiter.limits.<name>.plans}. If its value is null, blank or none of these plans, the limit's own definition applies. It cannot
     * be used with {@link LimitType#METHOD}, where all callers share the permits. Default: that of a
     * {@link io.limiter.spring.key.PlanResolver} bean, if there is one.
     */
    String plan() default "";

    /** The kind of key if no {@link #key()} is given. */
    LimitType limitType() default LimitType.METHOD;

    /**
     * How many permits a call takes: a number, {@code "5"}, or an expression over its arguments and its request,
     * <code>#{items.size()}</code>, <code>#{request.pages * 2}</code>. It can use what {@link #key()} can. Default: 1.
     *
     * <p>A call that costs 0 skips the limit. A call that costs more than the limit can ever grant is rejected like any other. A fraction is
     * rounded up. If a cost is negative, null, or not a number up to 2<sup>53</sup> - 1, the call is rejected with an
     * {@link io.limiter.spring.key.InvalidLimitArgumentException}. The application fails to start if a number is more than the limit can
     * ever grant.
     */
    String cost() default "";

    /**
     * The calls to which the limit applies, as an expression over their arguments and their request: <code>#{items.size() > 100}</code>. It can
     * use what {@link #key()} can. If its value is neither true nor false, the call is rejected with an
     * {@link io.limiter.spring.key.InvalidLimitArgumentException}. If it is false, neither cost nor key are evaluated. Default: all.
     */
    String condition() default "";

    /**
     * Which calls stay charged once their outcome is known. Exactly the permits of all others are returned. Permits are taken before the
     * call, so that simultaneous calls cannot exceed the limit, and other callers see them as taken until the outcome is known.
     *
     * <ul>
     *   <li>{@code always}, the default.
     *   <li>{@code failure}: calls that fail, because the method throws, its future fails or its publisher ends with an error.
     *   <li>{@code success}: calls that do not fail.
     *   <li>HTTP statuses, such as {@code 401,403} or {@code 4xx}: calls whose request is answered with one of them, unless a limit has
     *       rejected it. A call outside of a request stays charged, and so does one whose request gets no answer. In WebFlux, the
     *       application fails to start if a method with statuses does not return a publisher.
     *   <li>An expression over {@code result}, {@code exception} and the arguments, which is true or false and can use what
     *       {@link #key()} can: <code>#{result.status == 'DENIED' or exception != null}</code>. The result is the value of a future or a
     *       {@code Mono}, or the last value of a {@code Flux}. Either the result or the exception is null. If the expression reads a
     *       property of null, the call stays charged. To avoid that, write <code>#{result?.status}</code>.
     * </ul>
     *
     * A call that is cancelled stays charged, because what it has done is unknown. So does one whose permits cannot be
     * returned, which is logged.
     */
    String chargeOn() default "";

    /**
     * How many permits a call is charged for once its result is known, as an expression over {@code result} and the arguments whose value
     * is a number of at least 0: <code>#{result.usage.total}</code>. {@link #cost()} is the estimate. If more permits were taken, the rest
     * is returned. If fewer were taken, the difference is charged whether available or not, so that later calls wait or are rejected until
     * the debt is paid. A debt is at most an hour's worth, or that of the {@link #timeout()} if it is longer. The result is the same as in
     * {@link #chargeOn()}.
     *
     * <p>A call that fails, that is cancelled, or whose process dies stays charged for its estimate, unless {@link #chargeOn()} says
     * otherwise. So does a call whose expression has no such value, which is logged. A call that costs 0 skips the limit, and settles
     * nothing. Default: the estimate.
     */
    String settle() default "";

    /**
     * How many permits the call leaves to other limits of its {@link #name()}, for example those of callers who must not wait for a
     * background job: a number, {@code "20"}, or a share of the capacity, {@code "20%"}. The call is granted if the permits that it takes
     * and the permits that it leaves are all available. Default: none.
     */
    String leave() default "";

    /**
     * The message of a rejection, which goes to the caller: a text, or over HTTP the code of a message in braces, as in
     * <code>{sms.often}</code>. <code>{0}</code> stands for the seconds until the call may be tried again. If another try would not help,
     * such a text is not used. Default: one with the retry-after.
     */
    String message() default "";

    /**
     * The limiter's name. Methods with the same name and {@link #prefix()} share its permits, in this application and in every other one on
     * the same Redis, so they must agree on kind, rate and capacity. Default: the bean's class, the method and its parameter types.
     */
    String name() default "";

    /**
     * The {@linkplain io.limiter.FailurePolicy failure policy} while Redis is unavailable: {@code deny}, {@code allow}, {@code throw},
     * {@code owner}, {@code local}, or {@code local(0.2)} with the share of the limit under which an instance decides. Default:
     * {@code limiter.on-failure}.
     */
    String onFailure() default "";

    /**
     * How many seconds the state of an unused token bucket is kept at least, from 0.001. It is kept longer if forgetting it sooner would
     * give permits away. Default: 60.
     */
    double expire() default Double.NaN;

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
        RateLimit[] value();
    }
}
