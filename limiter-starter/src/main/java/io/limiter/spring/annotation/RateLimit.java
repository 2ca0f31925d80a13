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
 * <p>A rejected call does not reach the method; the caller gets a {@link io.limiter.RateLimitExceededException}, which a web
 * application answers with status 429 unless it handles the exception itself.
 *
 * <p><b>Where.</b> On a method of a Spring bean, on the method of a superclass or interface that it overrides, or on an
 * annotation that you compose (attributes overridden with {@code @AliasFor}). On a type it limits each public method of
 * the beans of that type, one by one unless {@link #name()} is given, except those that carry or inherit a
 * {@code @RateLimit} of their own; {@link CountLimit}s of the type apply to these too. On a controller it limits the handler
 * methods, and not those that only help with a request. Of several on a class and on what it extends and implements the
 * closest applies, and the log names those that are replaced so; two of which none is closer prevent startup. Calls must come
 * through the bean: a method that calls another of its own object is not limited there.
 *
 * <p><b>Asynchronous methods</b>, which return {@link java.util.concurrent.CompletableFuture},
 * {@link java.util.concurrent.CompletionStage}, Reactor's {@code Mono} or {@code Flux} or another reactive type that Spring
 * adapts by Reactor, are limited without blocking the calling thread, and a rejection is in the result. A publisher is
 * limited with each subscription. Keys, costs and conditions are found in the thread that calls the method, so IP and user
 * work where that thread knows them; in WebFlux those of publishers are found with each subscription, and Reactor's context
 * knows IP and user. The method itself is called in the same thread if the decision is there at once; otherwise in a
 * thread of the limiter's own. A method that returns a publisher is called on the event loop of its subscriber, where it must not block, or in such
 * a thread if there is none. There it has the MDC, the locale, the trace and the security context of the thread that calls or subscribes,
 * and a snapshot of the servlet request. Kotlin's {@code suspend} functions are limited as a {@code Mono} is, and
 * need {@code kotlinx-coroutines-reactor}; without it they prevent startup. Methods that return any other type, and those with
 * {@code @Async}, are limited in the thread that runs them, and fail on one of an event loop, also of Lettuce, which must not block; handler methods of WebFlux that do so
 * prevent startup.
 *
 * <p><b>Several</b> on one method, also of both kinds, are all or nothing: if one rejects, nothing is taken from the others.
 * See {@link io.limiter.LimitSet}, also for where that is exact. If several reject, the one with the longest retry-after
 * answers the call.
 *
 * <p><b>Configuration</b> under {@code limiter.limits.<name>} overrides kind, rate, capacity and timeouts, and adds shadow mode
 * ({@code enforce}) and prefetch. What it sets, the annotation need not.
 *
 * <p><b>Durations</b> are numbers of seconds, such as {@code timeout = 0.5}, and each has at most 86,400,000, which are 1,000 days.
 * {@code NaN} means not set. {@link #per()} alone is a text: a number with a unit ({@code ns}, {@code us}, {@code ms}, {@code s},
 * {@code m}, {@code h} or {@code d}), such as {@code 15m} or {@code 500ms}, ISO-8601, such as {@code PT15M}, or a number of seconds.
 *
 * <p><b>Placeholders</b> such as <code>${sms.per:15m}</code> in texts have the values of the environment when the class is first limited. One without a value prevents startup. For a number that differs by environment,
 * give the limit a {@link #name()} and set {@code limiter.limits.<name>}.
 *
 * <p><b>Bad values</b>, such as no rate or one of 0, permits that the bucket can never hold or an attribute without effect on the
 * kind, and annotations that could do nothing, such as on a private, static or final method, prevent startup, or where a bean is created
 * later, its creation, with an {@link InvalidLimitException} that names the method.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Repeatable(RateLimit.List.class)
public @interface RateLimit {

    /** The kinds of bucket, as of {@code limiter.limits.<name>.kind}. Each keeps permits of its own in Redis. */
    enum Kind {

        /** Keeps unused permits up to its capacity: {@link io.limiter.algorithm.TokenBucket}. */
        TOKEN_BUCKET,

        /** Rejects what would overflow its capacity, which is {@link #capacity()}: {@link io.limiter.algorithm.LeakyBucket#meter}. */
        LEAKY_BUCKET,

        /** Its calls go one by one at even intervals, and wait for that: {@link io.limiter.algorithm.LeakyBucket#queue}. */
        LEAKY_QUEUE
    }

    /** The kind of bucket. A leaky one has {@link #rate()}, {@link #per()}, {@link #timeout()} and, required, {@link #capacity()}. */
    Kind kind() default Kind.TOKEN_BUCKET;

    /**
     * Permits in a second, or in the time of {@link #per()}. From one permit in 1,000 days to 1,000,000,000 per second. There is no
     * default: it must be set here or in configuration.
     */
    double rate() default Double.NaN;

    /** The duration that {@link #rate()} is for, from 1 ms: {@code rate = 1, per = "1m"} is one a minute. Default: a second. */
    String per() default "";

    /**
     * The capacity: how many unused permits are kept, from 1 to 1,000,000,000,000. Default: those of {@link #burst()}, and without one the number in
     * {@link #rate()}, at least 1: {@code rate = 100, per = "1m"} keeps 100. Of a leaky bucket how many permits it holds, and of a
     * leaky queue how many calls wait at most, from 1 on: there is no default, and it must be set here or in
     * configuration.
     */
    long capacity() default -1;

    /**
     * The capacity in seconds of the rate, instead of {@link #capacity()}: for how long unused permits are kept, more than 0 and at
     * most 86,400,000. The bucket must hold at least one permit, unless {@link #timeout()} is long enough to wait for the rest.
     */
    double burst() default Double.NaN;

    /**
     * How many seconds a call waits for its permits at most; 0 rejects at once. Default: 0, and in a leaky queue as long as the queue
     * allows.
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
     * Several are a path of keys, as {@code limiter.on(tenant).on(user)} is in code: <code>key = {"claim:tenant", "#{user()}"}</code>. Each
     * user of each tenant has permits of its own, and limits with the same first key are in one slot of a Redis Cluster.
     *
     * <p>Operators of the Spring Expression Language work, {@code size()}, {@code length()} and {@code isEmpty()} of
     * collections, maps and texts, and {@code trim()}, {@code strip()} and {@code toLowerCase()} of texts; types, beans,
     * constructors, assignments and calls of other methods do not. What callers send is text: <code>#{number(param('n')) * 2}</code> is a
     * number. An expression with a null or blank value rejects the call with a
     * {@link io.limiter.spring.key.MissingLimitKeyException}, rather than let all such calls share a limit, and so does a fact of a
     * request where there is none: it needs a servlet request in the calling thread, or in WebFlux a method that returns a publisher.
     */
    String[] key() default {};

    /**
     * The plan of a call, a text like {@link #key()}: <code>#{user.plan}</code>. It chooses among
     * {@code limiter.limits.<name>.plans}; if its value is null, blank or no plan there, the limit's own definition applies. Not with
     * {@link LimitType#METHOD}, where all callers share the permits. Default: that of a
     * {@link io.limiter.spring.key.PlanResolver} bean, if there is one.
     */
    String plan() default "";

    /** The kind of key where no {@link #key()} is given. */
    LimitType limitType() default LimitType.METHOD;

    /**
     * How many permits a call takes: a number, {@code "5"}, or an expression over its arguments and its request,
     * <code>#{items.size()}</code>, <code>#{request.pages * 2}</code>. It can use what {@link #key()} can. Default: 1.
     *
     * <p>A call that costs 0 skips the limit; one that costs more than the limit can ever grant is rejected as any other. A
     * fraction is rounded up. A cost that is negative, null or no number up to 2<sup>53</sup> - 1 rejects the call with an
     * {@link io.limiter.spring.key.InvalidLimitArgumentException}. A number that the limit can never grant prevents startup.
     */
    String cost() default "";

    /**
     * The calls to which the limit applies, as an expression over their arguments and their request: <code>#{items.size() > 100}</code>. It can
     * use what {@link #key()} can, and must be true or false, or else rejects the call with an
     * {@link io.limiter.spring.key.InvalidLimitArgumentException}. Where it is false, the call has neither cost nor key.
     * Default: all.
     */
    String condition() default "";

    /**
     * Which calls stay charged once their outcome is known; the others get exactly their permits back. Permits are taken before
     * the call, so that calls at the same time cannot exceed the limit: meanwhile, others see them as taken.
     *
     * <ul>
     *   <li>{@code always}, the default;
     *   <li>{@code failure}: those that fail: the method throws, its future fails or its publisher ends with an error;
     *   <li>{@code success}: those that do not;
     *   <li>HTTP statuses, such as {@code 401,403} or {@code 4xx}: those whose request is answered with one of them, and not with
     *       a rejection by a limit. A call outside of a request stays charged, and so does one whose request gets no answer.
     *       In WebFlux only methods that return publishers can have statuses; on others they prevent startup;
     *   <li>an expression over {@code result}, {@code exception} and the arguments, which is true or false and can use what
     *       {@link #key()} can: <code>#{result.status == 'DENIED' or exception != null}</code>. The result is the value of a
     *       future or a {@code Mono}, and the last one of a {@code Flux}; one of the two is null. Where the expression reads a
     *       property of a null, the call stays charged; <code>#{result?.status}</code> does not.
     * </ul>
     *
     * A call that is cancelled stays charged, because what it has done is unknown. So does one whose permits cannot be
     * returned, which is logged.
     */
    String chargeOn() default "";

    /**
     * How many permits a call is charged for once its result is known, as an expression over {@code result} and the arguments
     * that makes a number of at least 0: <code>#{result.usage.total}</code>. What was taken beyond that is returned. What
     * is missing is charged whether available or not, so that later calls wait or are rejected until the debt is paid, which is
     * at most an hour's worth, or the {@link #timeout()} if that is longer. {@link #cost()} is the estimate. The result is as of {@link #chargeOn()}.
     *
     * <p>A call that fails, is cancelled, or whose process dies stays charged for its estimate, unless {@link #chargeOn()} says
     * otherwise; so does one whose expression has no such value, which is logged. A call that costs 0 skips the limit, and
     * settles nothing. Default: the estimate.
     */
    String settle() default "";

    /**
     * How many permits the call leaves to other limits of its {@link #name()}, for example those of callers who must not wait for a
     * background job: a number, {@code "20"}, or a share of the capacity, {@code "20%"}. The call is granted if as many are there as
     * it takes and leaves. Default: none.
     */
    String leave() default "";

    /**
     * The message of a rejection, which goes to the caller: a text, or over HTTP the code of a message in braces, as in
     * <code>{sms.often}</code>. <code>{0}</code> stands for the seconds until the call may be tried again; where that does
     * not help, such a text is not used. Default: one with the retry-after.
     */
    String message() default "";

    /**
     * The limiter's name. Methods that give one name, and one {@link #prefix()}, share its permits, in this application
     * and in every other on the same Redis; they must agree on kind, rate and capacity. Default: the bean's class, the method
     * and its parameter types.
     */
    String name() default "";

    /**
     * The failure policy while Redis is unavailable: {@code deny}, {@code allow}, {@code throw}, {@code owner}, {@code local}, or with
     * the share of the limit that an instance decides under, {@code local(0.2)}; see {@link io.limiter.FailurePolicy}. Default:
     * {@code limiter.on-failure}.
     */
    String onFailure() default "";

    /**
     * How many seconds the state of an unused token bucket is kept at least, from 0.001. It is kept longer where forgetting it
     * sooner would hand out permits. Default: 60.
     */
    double expire() default Double.NaN;

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
        RateLimit[] value();
    }
}
