package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.TestRedis;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Applications on one Redis whose limits have the same names. */
class NamespacesTest {

    private final String id = UUID.randomUUID().toString();

    static class Limited {

        @CountLimit(name = "login", limit = 1, period = 3600, key = "#{key}")
        public void login(String key) {}

        @RateLimit(name = "pay", rate = 1, per = "1h", key = "#{key}")
        public void pay(String key) {}
    }

    private ApplicationContextRunner redis(String... properties) {
        return Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withBean(Limited.class)
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m")
                .withPropertyValues(properties);
    }

    private boolean passes(ApplicationContext context) {
        return granted(() -> context.getBean(Limited.class).login(id));
    }

    private boolean pays(ApplicationContext context) {
        return granted(() -> context.getBean(Limited.class).pay(id));
    }

    private static boolean granted(Runnable call) {
        try {
            call.run();
            return true;
        } catch (RateLimitExceededException e) {
            return false;
        }
    }

    @Test
    void two_services_share_a_limit_of_one_name_only_if_they_say_so() {
        redis("spring.application.name=shop-" + id).run(shop -> {
            assertThat(passes(shop)).isTrue();
            redis("spring.application.name=bank-" + id)
                    .run(bank -> assertThat(passes(bank)).isTrue());
            redis("spring.application.name=shop-" + id)
                    .run(other -> assertThat(passes(other)).isFalse());
            redis("spring.application.name=bank-" + id, "limiter.namespace=shop-" + id)
                    .run(sharing -> assertThat(passes(sharing)).isFalse());
            LimiterFactory limiters = shop.getBean(LimiterFactory.class);
            assertThat(limiters.with(LimiterOptions.NONE.withNamespace("shop-" + id))
                            .build("login", FixedWindow.of(1, Duration.ofHours(1)))
                            .tryAcquire(id))
                    .isFalse();
        });
    }

    @Test
    void a_limit_is_shared_in_a_namespace_of_its_own_and_nothing_else_is() {
        String shared = "limiter.limits.login.namespace=shared-" + id;
        redis("spring.application.name=shop-" + id, shared).run(shop -> {
            assertThat(passes(shop)).isTrue();
            assertThat(pays(shop)).isTrue();
            assertThat(pays(shop)).isFalse();
            ban(shop);
            redis("spring.application.name=bank-" + id, shared).run(bank -> {
                assertThat(passes(bank)).isFalse();
                assertThat(pays(bank)).as("of its own").isTrue();
                LiveLimits live = bank.getBean(LiveLimits.class);
                assertThat(live.list()).as("live limits are of one service").isEmpty();
                assertThat(live.keys("login")).isEmpty();
            });
            assertThat(shop.getBean(LiveLimits.class).keys("login")).hasSize(1);
        });
        redis("spring.application.name=bank-" + id)
                .run(bank -> assertThat(passes(bank)).isTrue());
    }

    private static void ban(ApplicationContext context) {
        context.getBean(LiveLimits.class)
                .put("login", LiveKey.of("eve"), LiveSettings.BANNED, ChangeNote.of("ann", "scrapes"), 0);
    }

    @Test
    void so_is_a_limit_of_a_rule() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.limits.day.limit=5",
                        "limiter.http.api.limits.day.per=1d",
                        "limiter.http.api.limits.day.namespace=partners",
                        "limiter.http.api.limits.second.rate=5")
                .run(context -> assertThat(context.getBean(LimiterFactory.class).statistics().totals().stream()
                                .collect(Collectors.toMap(LimiterTotals::name, LimiterTotals::namespace)))
                        .containsOnly(entry("api/day", "partners"), entry("api/second", "")));
    }

    @ParameterizedTest
    @CsvSource({"spring.application.name=shop", "limiter.namespace=shop", "limiter.namespace="})
    void an_application_with_a_namespace_logs_nothing(String property) {
        try (LogLines log = new LogLines(LimiterLifecycle.class)) {
            redis(property).run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void an_application_without_a_name_says_once_that_it_shares_its_limits() {
        try (LogLines log = new LogLines(LimiterLifecycle.class)) {
            redis().run(context -> {
                assertThat(context).hasNotFailed();
                context.stop();
                context.start();
            });
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("WARN The limits have no namespace, so they share permits, live limits and reports with"
                            + " all applications on this Redis that have none: set limiter.namespace");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter.limits.login.namespace", "limiter.namespace"})
    void a_namespace_that_is_too_long_fails_at_startup(String property) {
        redis(property + "=" + "n".repeat(101))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(property)
                        .hasStackTraceContaining("must have at most 100 characters"));
    }
}
