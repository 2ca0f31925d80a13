package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.InvalidLimitArgumentException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;

/** Costs and conditions of calls. */
class CostAndConditionTest {

    static class Shop {

        @RateLimit(rate = 0.001, burst = 10_000, cost = "#{#items.size()}")
        public void order(@Nullable List<String> items) {}

        @CountLimit(limit = 10, per = "1h", cost = "#{amount}")
        public void count(@Nullable Object amount) {}

        @CountLimit(limit = 10, per = "1h", cost = "#{text.length() + map.size() * 2}")
        public void combined(String text, Map<String, String> map) {}

        @CountLimit(
                limit = 1,
                per = "1h",
                condition = "#{amount > 100 and !items.isEmpty()}",
                limitType = LimitType.CUSTOM,
                key = "#{who}")
        public void large(String who, int amount, @Nullable List<String> items) {}

        @CountLimit(limit = 1, per = "1h", condition = "#{flag}")
        public void flagged(@Nullable Boolean flag) {}

        @CountLimit(limit = 5, per = "1h", cost = "#{amount}", condition = "#{amount > 9}")
        public void onlyLarge(int amount) {}

        @CountLimit(limit = 10, per = "1h", cost = "#{amount}")
        @CountLimit(limit = 9, per = "1m", cost = "#{amount * 2}", condition = "#{amount != 3}")
        public void twoLimits(int amount) {}

        @CountLimit(limit = 10, per = "1h", cost = "#{amount}")
        public CompletableFuture<String> later(int amount) {
            return CompletableFuture.completedFuture("done");
        }

        @CountLimit(limit = 10, per = "1h", cost = "#{amount}", limitType = LimitType.CUSTOM, key = "#{who}")
        public CompletableFuture<String> laterFor(String who, int amount) {
            return CompletableFuture.completedFuture("done");
        }
    }

    static List<Object> unusable() {
        return List.of(
                -1, -1L, -0.5, Double.NaN, Float.POSITIVE_INFINITY, 1L << 53, BigInteger.TWO.pow(200), "3", true);
    }

    @Test
    void a_call_takes_what_its_arguments_cost() {
        run(shop -> {
            shop.order(items(7));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.order(items(4)))
                    .satisfies(e -> assertThat(e.decision().remaining()).isEqualTo(3));
            shop.order(items(3));
        });
    }

    @Test
    void a_call_that_costs_nothing_passes() {
        run(shop -> {
            shop.order(items(10));
            shop.order(items(0));
        });
    }

    @Test
    void a_cost_above_capacity_is_always_rejected() {
        run(shop -> {
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.order(items(11)))
                    .satisfies(e -> assertThat(e.decision().retryAfter()).isEmpty());
            shop.order(items(10));
        });
    }

    @Test
    void a_cost_is_any_whole_number() {
        run(shop -> {
            shop.count(1);
            shop.count(1L);
            shop.count((short) 1);
            shop.count(1.0);
            shop.count(new BigDecimal("1.00"));
            shop.count(BigInteger.ONE);
            shop.count(4);
            shop.count(0);
            shop.count(0L);
            shop.count(0.0);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> shop.count(1));
        });
    }

    @Test
    void the_largest_cost_is_a_cost() {
        run(shop -> assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(() -> shop.count((1L << 53) - 1))
                .satisfies(e -> assertThat(e.decision().retryAfter()).isEmpty()));
    }

    @Test
    void each_of_several_limits_has_a_cost_and_a_condition_of_its_own() {
        run(shop -> {
            shop.twoLimits(4);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.twoLimits(1))
                    .satisfies(e -> assertThat(e.decision().remaining()).isEqualTo(1));
            shop.twoLimits(3);
            shop.twoLimits(3);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.twoLimits(3))
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(10));
        });
    }

    @Test
    void a_method_that_returns_a_future_takes_its_cost_too() {
        run(shop -> {
            assertThat(shop.later(7)).isCompletedWithValue("done");
            assertThat(shop.later(4)).isCompletedExceptionally();
            assertThat(shop.later(3)).isCompletedWithValue("done");
            assertThat(shop.laterFor("bob", 7)).isCompletedWithValue("done");
            assertThat(shop.laterFor("bob", 4)).isCompletedExceptionally();
            assertThat(shop.laterFor("eve", 10)).isCompletedWithValue("done");
        });
    }

    @ParameterizedTest
    @CsvSource({"2.5, 3", "0.1, 1", "1e-300, 1", "7.0, 7"})
    void a_fraction_is_rounded_up(double amount, int cost) {
        run(shop -> {
            shop.count(amount);
            shop.count(10 - cost);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> shop.count(0.01));
        });
    }

    @ParameterizedTest
    @NullSource
    @MethodSource("unusable")
    void another_cost_is_an_error_that_names_it_and_takes_nothing(@Nullable Object amount) {
        run(shop -> {
            assertThatExceptionOfType(InvalidLimitArgumentException.class)
                    .isThrownBy(() -> shop.count(amount))
                    .withMessageContaining("the limit cost '#{amount}' of " + Shop.class.getName() + ".count(")
                    .withMessageContaining("must be a number from 0 to 9007199254740991, was " + amount);
            shop.count(10);
        });
    }

    @Test
    void sizes_of_texts_and_maps_can_be_combined() {
        run(shop -> {
            shop.combined("four", Map.of("a", "b", "c", "d"));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.combined("xxx", Map.of()))
                    .satisfies(e -> assertThat(e.decision().remaining()).isEqualTo(2));
        });
    }

    @Test
    void a_null_on_the_way_is_an_error() {
        run(shop -> assertThatExceptionOfType(InvalidLimitArgumentException.class)
                .isThrownBy(() -> shop.order(null))
                .withMessageContaining("has no value"));
        run(shop -> assertThatExceptionOfType(InvalidLimitArgumentException.class)
                .isThrownBy(() -> shop.large("bob", 101, null))
                .withMessageContaining("has no value"));
    }

    @Test
    void a_limit_applies_where_its_condition_is_true() {
        run(shop -> {
            shop.large("bob", 101, items(1));
            shop.large("bob", 100, items(1));
            shop.large("bob", 101, items(0));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> shop.large("bob", 101, items(1)));
            // Where it does not apply, there need not be a key.
            shop.large(" ", 1, items(1));
        });
    }

    @Test
    void a_call_to_which_it_does_not_apply_costs_nothing() {
        run(shop -> {
            shop.onlyLarge(9);
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> shop.onlyLarge(10));
        });
    }

    @Test
    void a_condition_that_is_neither_true_nor_false_is_an_error() {
        run(shop -> {
            shop.flagged(false);
            shop.flagged(true);
            assertThatExceptionOfType(InvalidLimitArgumentException.class)
                    .isThrownBy(() -> shop.flagged(null))
                    .withMessageContaining("must be true or false, was null");
        });
    }

    private static List<String> items(int size) {
        return Collections.nCopies(size, "x");
    }

    private static void run(Consumer<Shop> test) {
        Contexts.local().withBean(Shop.class).run(context -> test.accept(context.getBean(Shop.class)));
    }
}
