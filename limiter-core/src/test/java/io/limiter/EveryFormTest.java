package io.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.reflect.TypeToken;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What exists blocking exists asynchronously, and what takes a limiter's own permits also takes those of a key. */
class EveryFormTest {

    /** Methods that make no call to a backend. */
    private static final Set<String> WITHOUT_CALL =
            Set.of("name", "keys", "limit", "on", "async", "getRate", "setRate", "limiters", "and");

    /** Methods that take permits. */
    private static final Set<String> TAKING = Set.of("tryAcquire", "tryAcquireUpTo", "acquire", "decide", "reserve");

    static List<Arguments> blockingAndAsync() {
        return List.of(
                Arguments.of(Limiter.class, Limiter.Async.class),
                Arguments.of(RateLimiter.class, RateLimiter.Async.class),
                Arguments.of(ConcurrencyLimiter.class, ConcurrencyLimiter.Async.class),
                Arguments.of(LimitSet.class, LimitSet.Async.class));
    }

    @ParameterizedTest
    @MethodSource("blockingAndAsync")
    void every_blocking_method_exists_asynchronously_and_no_other(Class<?> blocking, Class<?> async) {
        Set<String> expected = signatures(
                blocking,
                method -> !WITHOUT_CALL.contains(method.getName()) && !hasTimeUnit(method),
                EveryFormTest::future);
        Set<String> actual = signatures(async, method -> !method.getName().equals("on"), EveryFormTest::returned);
        assertThat(actual).isEqualTo(expected);
    }

    /** For one permit; all others are reached through {@code on(key)}. */
    @Test
    void only_the_usual_calls_take_a_key() {
        assertThat(formsByKey(Limiter.class))
                .containsExactly("decide(String)", "tryAcquire(String long TimeUnit)", "tryAcquire(String)");
        assertThat(formsByKey(Limiter.Async.class)).containsExactly("decide(String)", "tryAcquire(String)");
        assertThat(formsByKey(RateLimiter.class))
                .containsExactly(
                        "acquire(String)", "decide(String)", "tryAcquire(String long TimeUnit)", "tryAcquire(String)");
        assertThat(formsByKey(RateLimiter.Async.class))
                .containsExactly("acquire(String)", "decide(String)", "tryAcquire(String)");
        assertThat(formsByKey(ConcurrencyLimiter.class)).containsExactly("acquire(String)", "tryAcquire(String)");
        assertThat(formsByKey(ConcurrencyLimiter.Async.class)).containsExactly("acquire(String)", "tryAcquire(String)");
    }

    private static List<String> formsByKey(Class<?> limiter) {
        Predicate<Method> byKey = method -> TAKING.contains(method.getName()) && isByKey(method);
        return signatures(limiter, byKey, EveryFormTest::returned).stream()
                .map(each -> each.substring(0, each.indexOf(':')))
                .sorted()
                .toList();
    }

    @Test
    void leases_and_reservations_end_asynchronously_too() throws ReflectiveOperationException {
        assertThat(future(Lease.class.getMethod("close"))).isEqualTo(returned(Lease.class.getMethod("closeAsync")));
        assertThat(future(Reservation.class.getMethod("cancel")))
                .isEqualTo(returned(Reservation.class.getMethod("cancelAsync")));
        assertThat(future(Reservation.class.getMethod("settle", long.class)))
                .isEqualTo(returned(Reservation.class.getMethod("settleAsync", long.class)));
        assertThat(future(SetReservation.class.getMethod("cancel")))
                .isEqualTo(returned(SetReservation.class.getMethod("cancelAsync")));
        assertThat(future(SetReservation.class.getMethod("settle", long[].class)))
                .isEqualTo(returned(SetReservation.class.getMethod("settleAsync", long[].class)));
    }

    /** These are for code that was written for Guava's limiter, or for the annotations' original, which have no futures. */
    static boolean hasTimeUnit(Method method) {
        return List.of(method.getParameterTypes()).contains(TimeUnit.class);
    }

    static boolean isByKey(Method method) {
        return method.getParameterCount() > 0 && method.getParameterTypes()[0] == String.class;
    }

    static List<Method> methodsThatTake(Class<?> type) {
        return methods(type).filter(method -> TAKING.contains(method.getName())).toList();
    }

    private static Set<String> signatures(Class<?> type, Predicate<Method> which, Function<Method, String> result) {
        return methods(type)
                .filter(which)
                .map(method -> method.getName()
                        + Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(" ", "(", ")"))
                        + ": " + result.apply(method))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Method> methods(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !method.isBridge() && !Modifier.isStatic(method.getModifiers()));
    }

    private static String returned(Method method) {
        return method.getGenericReturnType().getTypeName();
    }

    /** A future of what the method returns. */
    private static String future(Method method) {
        return "java.util.concurrent.CompletableFuture<"
                + TypeToken.of(method.getGenericReturnType()).wrap() + ">";
    }
}
