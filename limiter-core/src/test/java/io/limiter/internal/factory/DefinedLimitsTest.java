package io.limiter.internal.factory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.FailurePolicy;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Limits that code finds by their name. */
class DefinedLimitsTest {

    @Test
    void a_limit_that_is_defined_by_its_name_has_its_kind_and_its_options() {
        FixedWindow window = FixedWindow.of(5, Duration.ofHours(1));
        LimiterFactory factory = LocalLimiterFactory.builder()
                .define("api", TokenBucket.perSecond(5), LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
                .define("api", TokenBucket.perSecond(50), LimiterOptions.NONE.withPlan("gold"))
                .define("orders", window, LimiterOptions.NONE.withBan(Ban.after(1)))
                .define("exports", ConcurrencyLimit.of(2), LimiterOptions.NONE)
                .build();
        RateLimiter api = factory.rateLimiter("api");
        assertThat(api.limit()).isEqualTo(TokenBucket.perSecond(5));
        assertThat(factory.rateLimiter("api")).isSameAs(api);
        assertThat(factory.limiter("api")).isSameAs(api);
        assertThat(factory.build("api", TokenBucket.perSecond(5))).isNotSameAs(api);
        assertThat(factory.build("api", TokenBucket.perSecond(9)).getRate()).isEqualTo(9);
        assertThat(factory.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
                        .build("api", TokenBucket.perSecond(5)))
                .isSameAs(api);
        assertThat(factory.with(LimiterOptions.NONE.withPlan("gold")).rateLimiter("api"))
                .extracting(RateLimiter::name, RateLimiter::getRate)
                .containsExactly("api.gold", 50.0);
        assertThat(factory.with(LimiterOptions.NONE.withBan(Ban.after(1))).build("orders", window))
                .isSameAs(factory.limiter("orders"));
        assertThat(factory.concurrencyLimiter("exports").limit()).isEqualTo(ConcurrencyLimit.of(2));
        assertThat(factory.with(LimiterOptions.NONE.withPrefix("p:")).rateLimiter("api"))
                .isSameAs(factory.with(LimiterOptions.NONE.withPrefix("p:").withFailurePolicy(FailurePolicy.DENY))
                        .build("api", TokenBucket.perSecond(5)));
    }

    @Test
    void a_name_that_stands_for_nothing_or_another_kind_is_an_error_with_the_remedy() {
        LocalLimiterFactory.Builder builder = LocalLimiterFactory.builder()
                .define("search", TokenBucket.perSecond(5), LimiterOptions.NONE)
                .define("orders", FixedWindow.of(5, Duration.ofHours(1)), LimiterOptions.NONE)
                .define("exports", ConcurrencyLimit.of(2), LimiterOptions.NONE)
                .define("planned", TokenBucket.perSecond(5), LimiterOptions.NONE.withPlan("gold"));
        LimiterFactory factory = builder.build();
        assertFails(
                () -> factory.rateLimiter("serach"),
                "there is no limit 'serach', the nearest names are [search, orders, exports]: define it with the builder of"
                        + " the factory");
        assertFails(
                () -> new LocalLimiterFactory().limiter("any"),
                "there is no limit 'any', and none of another name: define it with the builder of the factory");
        assertFails(() -> factory.rateLimiter("orders"), "limit 'orders' is a FixedWindow: call limiter(\"orders\")");
        assertFails(
                () -> factory.rateLimiter("exports"),
                "limit 'exports' is a ConcurrencyLimit: call concurrencyLimiter(\"exports\")");
        assertFails(
                () -> factory.limiter("exports"),
                "limit 'exports' is a ConcurrencyLimit: call concurrencyLimiter(\"exports\")");
        assertFails(
                () -> factory.concurrencyLimiter("search"),
                "limit 'search' is a TokenBucket: call rateLimiter(\"search\")");
        assertFails(
                () -> factory.rateLimiter("planned"),
                "limit 'planned' is defined for its plans [gold] only: define the limit itself, too");
        assertFails(
                () -> factory.with(LimiterOptions.NONE.withPlan("pro")).rateLimiter("planned"),
                "limit 'planned' has no plan 'pro', its plans are [gold]: define that plan, or use one of these");
        assertFails(
                () -> builder.define("search", TokenBucket.perSecond(1), LimiterOptions.NONE),
                "limit 'search' is defined already, as " + TokenBucket.perSecond(5) + ": define each name once");
    }

    private static void assertFails(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }
}
