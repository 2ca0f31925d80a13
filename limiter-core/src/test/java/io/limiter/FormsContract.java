package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * All forms of a method decide alike: blocking or asynchronous, by key or on the view of the key, with a timeout of either type.
 * Each is called three times, with 2 permits and a timeout of 1 s where it takes them. Expected are {@code G} for granted, with
 * the seconds until the permits may be used, {@code R} for rejected, with the retry-after, and how long the calls waited.
 */
abstract class FormsContract extends LimiterContract {

    private static final Map<Class<?>, Object> ARGUMENTS =
            Map.of(long.class, 2L, Duration.class, Duration.ofSeconds(1), TimeUnit.class, TimeUnit.SECONDS);

    @Test
    void forms_of_a_rate_limiter_decide_alike() throws ReflectiveOperationException {
        check(
                RateLimiter.class,
                RateLimiter.Async.class,
                limiters().build("k", 1, 2, 60),
                "tryAcquire(): G, G, R; 0 s",
                "tryAcquire(long): G, R, R; 0 s",
                "tryAcquire(Duration): G, G, G; 1 s",
                "tryAcquire(long, Duration): G, R, R; 0 s",
                "tryAcquireUpTo(long): 2, 0, 0; 0 s",
                "acquire(): G, G, G 1; 1 s",
                "acquire(long): G, G 2, G 2; 4 s",
                "decide(): G, G, R 1; 0 s",
                "decide(long): G, R 2, R 2; 0 s",
                "decide(long, Duration): G, R 1, R 1; 0 s",
                "reserve(long): G, R 2, R 2; 0 s",
                "reserve(long, Duration): G, R 1, R 1; 0 s");
    }

    @Test
    void forms_of_a_limiter_that_counts_decide_alike() throws ReflectiveOperationException {
        check(
                Limiter.class,
                Limiter.Async.class,
                limiters().build("k", FixedWindow.of(2, Duration.ofSeconds(1))),
                "tryAcquire(): G, G, R; 0 s",
                "tryAcquire(long): G, R, R; 0 s",
                "tryAcquire(Duration): G, G, G; 1 s",
                "tryAcquire(long, Duration): G, G, G; 2 s",
                "tryAcquireUpTo(long): 2, 0, 0; 0 s",
                "decide(): G, G, R 1; 0 s",
                "decide(long): G, R 1, R 1; 0 s",
                "decide(long, Duration): G, G, G; 2 s",
                "reserve(long): G, R 1, R 1; 0 s");
    }

    @Test
    void forms_of_a_concurrency_limiter_decide_alike() throws ReflectiveOperationException {
        check(
                ConcurrencyLimiter.class,
                ConcurrencyLimiter.Async.class,
                limiters().build("k", ConcurrencyLimit.of(2)),
                "tryAcquire(): G, G, R; 0 s",
                "tryAcquire(Duration): G, G, R; 1 s",
                "tryAcquire(long, Duration): G, R, R; 2 s",
                "acquire(): G, G, R; 0 s",
                "acquire(Duration): G, G, R; 1 s",
                "acquire(long, Duration): G, R, R; 2 s");
    }

    private <L> void check(Class<L> blocking, Class<?> async, L limiter, String... expected)
            throws ReflectiveOperationException {
        Method on = blocking.getMethod("on", String.class);
        long start = clock().micros();
        Map<String, List<String>> calledByOutcome = new TreeMap<>();
        for (Object base : List.of(limiter, on.invoke(limiter, "view"))) {
            for (Class<?> type : List.of(blocking, async)) {
                for (Method method : EveryFormTest.methodsThatTake(type)) {
                    clock().set(start);
                    String key = method + " of " + type.getSimpleName();
                    Object target = EveryFormTest.isByKey(method) ? base : on.invoke(base, key);
                    String outcome = form(method) + ": "
                            + callThreeTimes(
                                    type == async ? blocking.getMethod("async").invoke(target) : target, method, key);
                    calledByOutcome
                            .computeIfAbsent(outcome, none -> new ArrayList<>())
                            .add(key);
                }
            }
            Decision untouched = (Decision) blocking.getMethod("peek").invoke(base);
            assertThat(untouched.remaining()).as("permits of %s itself", base).isEqualTo(2);
        }
        assertThat(calledByOutcome.keySet()).as(calledByOutcome.toString()).containsExactlyInAnyOrder(expected);
    }

    private String callThreeTimes(Object target, Method method, String key) throws ReflectiveOperationException {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == String.class ? key : ARGUMENTS.get(type))
                .toArray();
        if (EveryFormTest.hasTimeUnit(method)) {
            arguments[arguments.length - 2] = 1L;
        }
        long start = clock().micros();
        List<String> results = new ArrayList<>();
        for (long i = 0; i < 3; i++) {
            try {
                Object result = method.invoke(target, arguments);
                results.add(text(result instanceof CompletableFuture<?> future ? future.join() : result));
            } catch (InvocationTargetException | CompletionException e) {
                assertThat(e).hasCauseInstanceOf(RateLimitExceededException.class);
                results.add("R");
            }
        }
        return String.join(", ", results) + "; " + (clock().micros() - start) / 1_000_000 + " s";
    }

    private static String text(Object result) {
        if (result instanceof Reservation reservation) {
            return text(reservation.decision());
        }
        if (result instanceof Decision decision) {
            return decision.isGranted()
                    ? "G" + seconds(decision.timeToWait())
                    : "R" + seconds(decision.retryAfter().orElseThrow());
        }
        if (result instanceof Duration waited) {
            return "G" + seconds(waited);
        }
        if (result instanceof Long taken) {
            return taken.toString();
        }
        boolean rejected = result.equals(false) || result.equals(Optional.empty());
        return rejected ? "R" : "G";
    }

    private static String seconds(Duration duration) {
        return duration.isZero() ? "" : " " + duration.toSeconds();
    }

    /** The method without its key, and with any timeout as a {@code Duration}. */
    private static String form(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .filter(type -> type != String.class)
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"))
                .replace("long, TimeUnit", "Duration");
    }
}
