package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Limits that code asks for by the names that they have in {@code limiter.limits}. */
class LimitsOfCodeTest {

    private static final String[] LIMITS = {
        "limiter.limits.quotes.rate=1",
        "limiter.limits.quotes.per=1m",
        "limiter.limits.quotes.on-failure=deny",
        "limiter.limits.quotes.plans.pro.rate=2",
        "limiter.limits.orders.limit=2",
        "limiter.limits.orders.per=1h",
        "limiter.limits.orders.ban.after=3",
        "limiter.limits.strict.kind=sliding-log",
        "limiter.limits.strict.limit=2",
        "limiter.limits.strict.per=1m",
        "limiter.limits.exports.kind=concurrent",
        "limiter.limits.exports.limit=2",
        "limiter.limits.imports.limit=3",
        "limiter.limits.hot.rate=50000",
        "limiter.limits.hot.prefetch-time=200ms",
        "limiter.limits.shared.rate=1",
        "limiter.limits.shared.namespace=partners",
        "limiter.limits.shadow.rate=1",
        "limiter.limits.shadow.enforce=false",
        "limiter.limits.broken.capacity=3"
    };

    private final ApplicationContextRunner redis = Contexts.plain()
            .withConfiguration(Contexts.redis())
            .withPropertyValues(LIMITS)
            .withPropertyValues(
                    "spring.data.redis.url=" + TestRedis.shared().uri(),
                    "limiter.on-failure=throw",
                    "limiter.failure.decision-timeout=2m");
    private final ApplicationContextRunner local = Contexts.local().withPropertyValues(LIMITS);

    @Test
    void they_are_of_their_kind_and_have_all_of_their_settings() {
        String namespace = "code-" + UUID.randomUUID();
        redis.withPropertyValues("limiter.namespace=" + namespace).run(context -> {
            RedisRateLimiterFactory factory = context.getBean(RedisRateLimiterFactory.class);
            RedisRateLimiter quotes = factory.rateLimiter("quotes");
            assertThat(quotes.limit()).isEqualTo(TokenBucket.per(1, Duration.ofMinutes(1)));
            assertThat(quotes.redisKey()).isEqualTo(namespace + ":rateLimit:{quotes}");
            assertThat(quotes.tryAcquire()).isTrue();
            assertThat(quotes.tryAcquire()).isFalse();
            assertThat(totals(factory, "quotes").failurePolicy()).hasValue(FailurePolicy.DENY);
            RateLimiter pro = factory.with(LimiterOptions.NONE.withPlan("pro")).rateLimiter("quotes");
            assertThat(pro.name()).isEqualTo("quotes.pro");
            assertThat(pro.limit().permitsPerSecond()).isEqualTo(2 / 60.0);

            Limiter orders = factory.limiter("orders");
            assertThat(orders.limit()).isEqualTo(FixedWindow.of(2, Duration.ofHours(1)));
            assertThat(totals(factory, "orders").ban()).hasValue(Ban.after(3));
            assertThat(factory.limiter("strict").limit()).isEqualTo(SlidingLog.of(2, Duration.ofMinutes(1)));

            ConcurrencyLimiter exports = factory.concurrencyLimiter("exports");
            assertThat(exports.limit()).isEqualTo(ConcurrencyLimit.of(2));
            assertThat(factory.concurrencyLimiter("imports").limit().limit()).isEqualTo(3);

            assertThat(factory.rateLimiter("hot").tryAcquire()).isTrue();
            assertThat(totals(factory, "hot").prefetch()).hasValue(Prefetch.of(Duration.ofMillis(200)));
            assertThat(factory.rateLimiter("shared").redisKey()).isEqualTo("partners:rateLimit:{shared}");
        });
    }

    private static LimiterTotals totals(LimiterFactory factory, String name) {
        return factory.statistics().totals().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void configuration_never_changes_what_code_builds_but_replaces_what_it_defines() {
        TokenBucket own = TokenBucket.perSecond(9);
        local.withBean(
                        LimiterFactory.class,
                        () -> LocalLimiterFactory.builder()
                                .define("quotes", own, LimiterOptions.NONE)
                                .define("mine", own, LimiterOptions.NONE)
                                .build())
                .run(context -> {
                    LimiterFactory factory = context.getBean(LimiterFactory.class);
                    assertThat(factory.build("quotes", own).limit()).isEqualTo(own);
                    assertThat(factory.rateLimiter("quotes").limit())
                            .isEqualTo(TokenBucket.per(1, Duration.ofMinutes(1)));
                    assertThat(factory.rateLimiter("mine").limit()).isEqualTo(own);
                });
    }

    @Test
    void what_cannot_be_is_an_error_that_names_the_remedy() {
        local.run(context -> {
            LimiterFactory factory = context.getBean(LimiterFactory.class);
            assertFails(
                    () -> factory.rateLimiter("qoutes"),
                    "there is no limit 'qoutes', the nearest names are [quotes, hot, orders]: set limiter.limits.qoutes.*,"
                            + " or define it with the builder of the factory");
            assertFails(
                    () -> factory.rateLimiter("orders"), "limit 'orders' is a FixedWindow: call limiter(\"orders\")");
            assertFails(
                    () -> factory.limiter("exports"),
                    "limit 'exports' is a ConcurrencyLimit: call concurrencyLimiter(\"exports\")");
            assertFails(
                    () -> factory.concurrencyLimiter("quotes"),
                    "limit 'quotes' is a TokenBucket: call rateLimiter(\"quotes\")");
            assertFails(
                    () -> factory.with(LimiterOptions.NONE.withPlan("por")).rateLimiter("quotes"),
                    "limiter.limits.quotes.plans must have the plan 'por', has [pro]");
            assertFails(
                    () -> factory.rateLimiter("shadow"),
                    "limiter.limits.shadow.enforce must not be false for a limiter that code asks for by its name, because a"
                            + " limiter has no shadow mode: remove it, or let an annotation or a rule limit the calls");
            assertFails(
                    () -> factory.limiter("broken"),
                    "with limiter.limits.broken.*: capacity has no effect on kind fixed-window, which has anchor, limit,"
                            + " per, timeout, zone");
        });
    }

    private static void assertFails(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    @Test
    void they_are_there_when_limits_are_switched_off() {
        Contexts.plain()
                .withPropertyValues(LIMITS)
                .withPropertyValues("limiter.enabled=false")
                .run(context -> {
                    RedisRateLimiter quotes =
                            context.getBean(RedisRateLimiterFactory.class).rateLimiter("quotes");
                    assertThat(quotes.tryAcquire(1000)).isTrue();
                    LimiterFactory factory = context.getBean(LimiterFactory.class);
                    assertThat(factory.limiter("orders").tryAcquire(1000)).isTrue();
                    assertThat(factory.concurrencyLimiter("exports").tryAcquire())
                            .isPresent();
                    assertThatIllegalArgumentException().isThrownBy(() -> factory.rateLimiter("qoutes"));
                });
    }
}
