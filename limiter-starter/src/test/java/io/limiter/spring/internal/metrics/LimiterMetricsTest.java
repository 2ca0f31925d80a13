package io.limiter.spring.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.Share;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.metrics.LimiterWaitConvention;
import io.limiter.testing.Eventually;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class LimiterMetricsTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final MeterRegistry registry = new SimpleMeterRegistry();

    static class Limited {

        @CountLimit(name = "login", limit = 1, per = "1h", condition = "#{#limited}")
        public String login(boolean limited) {
            return "in";
        }
    }

    static class Unconditional {

        @CountLimit(name = "always", limit = 1, per = "1h")
        public void always() {}

        @CountLimit(name = "costly", limit = 1, per = "1h", cost = "#{#cost}")
        public void costly(int cost) {}
    }

    @Test
    void what_became_of_requests_is_counted_once_by_limit_outcome_and_source() {
        Contexts.local().withBean(Limited.class).run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            Limited limited = context.getBean(Limited.class);
            assertThat(limited.login(true)).isEqualTo("in");
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.login(true));
            }
            assertThat(limited.login(false)).isEqualTo("in");
            assertThat(count("login", "granted", "local")).isEqualTo(1);
            assertThat(count("login", "rejected", "local")).isEqualTo(2);
            assertThat(count("login", "skipped", "none")).isEqualTo(1);
            assertThat(count("login", "error", "local")).isZero();
        });
    }

    @Test
    void requests_that_a_rule_does_not_apply_to_are_counted() {
        Contexts.web()
                .withPropertyValues(
                        "limiter.http.api.path=/**",
                        "limiter.http.api.condition=#{header('X-Partner') == null}",
                        "limiter.http.api.limits.hour.limit=5",
                        "limiter.http.api.limits.hour.per=1h")
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    assertThat(count("api", "skipped", "none")).isZero();
                    for (String partner : new String[] {"ann", null, "bob"}) {
                        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
                        if (partner != null) {
                            request.addHeader("X-Partner", partner);
                        }
                        context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                                .getFilter()
                                .doFilter(request, new MockHttpServletResponse(), new MockFilterChain());
                    }
                    assertThat(count("api", "skipped", "none")).isEqualTo(2);
                    assertThat(count("api", "granted", "local")).isEqualTo(1);
                });
    }

    @Test
    void requests_whose_responses_do_not_say_their_cost_are_counted() {
        Contexts.web()
                .withPropertyValues(
                        "limiter.http.tokens.path=/**",
                        "limiter.http.tokens.settle=response-header:X-Usage-Tokens",
                        "limiter.http.tokens.limits.minute.limit=50",
                        "limiter.http.tokens.limits.minute.per=1m",
                        "limiter.http.tokens.limits.hour.limit=500",
                        "limiter.http.tokens.limits.hour.per=1h")
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    assertThat(unsettled("tokens/minute")).isZero();
                    for (String tokens : new String[] {"3", "none", "-1", "4"}) {
                        Filter rules = context.getBean("limiterHttpFilter", FilterRegistrationBean.class)
                                .getFilter();
                        context.getBean("limiterAnswerFilter", FilterRegistrationBean.class)
                                .getFilter()
                                .doFilter(
                                        new MockHttpServletRequest("GET", "/"),
                                        new MockHttpServletResponse(),
                                        (request, response) -> rules.doFilter(
                                                request,
                                                response,
                                                (asked, answered) -> ((HttpServletResponse) answered)
                                                        .setHeader("X-Usage-Tokens", tokens)));
                    }
                    assertThat(unsettled("tokens/minute")).isEqualTo(2);
                    assertThat(unsettled("tokens/hour")).isEqualTo(2);
                });
    }

    private double unsettled(String limit) {
        return registry.get(LimiterMeters.UNSETTLED)
                .tag(LimiterMeters.LIMIT, limit)
                .functionCounter()
                .count();
    }

    @Test
    void limits_that_are_built_later_have_meters_too_and_two_prefixes_share_them() {
        Contexts.local().run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            LimiterFactory factory = context.getBean(LimiterFactory.class);
            for (String prefix : new String[] {"a:", "b:"}) {
                Limiter limiter =
                        factory.with(LimiterOptions.NONE.withPrefix(prefix)).build("later", FixedWindow.of(1, DAY));
                limiter.tryAcquire("alice");
                limiter.tryAcquire("alice");
            }
            assertThat(count("later", "granted", "local")).isEqualTo(2);
            assertThat(count("later", "rejected", "local")).isEqualTo(2);
        });
    }

    @Test
    void what_is_never_counted_has_no_meter() {
        MeteredLimit limit = new MeteredLimit("k", () -> null);
        limit.register(registry, false);
        assertThat(registry.getMeters()).as("and those of bans and warnings").hasSize(15);
        limit.registerSkips(registry);
        assertThat(registry.getMeters()).hasSize(16);
        Contexts.local().withBean(Unconditional.class).run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            Unconditional methods = context.getBean(Unconditional.class);
            methods.always();
            methods.costly(0);
            assertThat(registry.find(LimiterMeters.DECISIONS)
                            .tag(LimiterMeters.OUTCOME, "skipped")
                            .meters())
                    .extracting(meter -> meter.getId().getTag(LimiterMeters.LIMIT))
                    .containsExactlyInAnyOrder("k", "costly");
        });
    }

    @Test
    void a_limit_that_was_built_before_its_method_has_meters_of_calls_too() {
        Contexts.local()
                .withBean(Limited.class, Limited::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    context.getBean(LimiterFactory.class).build("login", FixedWindow.of(1, DAY));
                    assertThat(registry.find(LimiterMeters.DECISIONS)
                                    .tag(LimiterMeters.OUTCOME, "skipped")
                                    .meters())
                            .isEmpty();
                    context.getBean(Limited.class).login(false);
                    assertThat(count("login", "skipped", "none")).isEqualTo(1);
                });
    }

    @Test
    void no_tag_has_a_key_of_a_caller() {
        Contexts.local().run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            LimiterFactory factory = context.getBean(LimiterFactory.class);
            Limiter limiter = factory.with(LimiterOptions.NONE.withWarnAt(Share.permits(1)))
                    .build("k", FixedWindow.of(1, DAY));
            limiter.tryAcquire("alice@example.com");
            limiter.tryAcquire("alice@example.com");
            factory.build("places", ConcurrencyLimit.of(1)).tryAcquire("alice@example.com");
            Set<String> values = registry.getMeters().stream()
                    .map(Meter::getId)
                    .flatMap(id -> id.getTags().stream())
                    .map(Tag::getValue)
                    .collect(Collectors.toSet());
            assertThat(values)
                    .containsExactlyInAnyOrder(
                            "k",
                            "places",
                            "granted",
                            "rejected",
                            "error",
                            "local",
                            "override",
                            "answered",
                            "failed",
                            "published",
                            "dropped");
        });
    }

    @Test
    void what_is_held_is_measured_when_it_is_read() {
        Contexts.local().run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            ConcurrencyLimiter places = context.getBean(LimiterFactory.class).build("places", ConcurrencyLimit.of(2));
            try (var lease = places.tryAcquire().orElseThrow()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(registry.get(LimiterMeters.LEASES).gauge().value()).isEqualTo(1);
            }
            assertThat(registry.get(LimiterMeters.LEASES).gauge().value()).isZero();
            assertThat(registry.get(LimiterMeters.QUEUE).gauge().value()).isZero();
            assertThat(registry.get(LimiterMeters.REJECTION_CACHE).gauge().value())
                    .isZero();
        });
    }

    @Test
    void waits_are_timed_without_an_observation_handler() {
        Contexts.local().run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            waitFor(context.getBean(LimiterFactory.class));
            // The caller goes on before the time is recorded.
            Eventually.that(() -> assertThat(registry.get(LimiterMeters.WAIT)
                            .tag(LimiterMeters.LIMIT, "slow")
                            .timer()
                            .count())
                    .isEqualTo(2));
        });
    }

    @Test
    void waits_are_observed_as_a_part_of_what_the_caller_does() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        Contexts.local().withBean(ObservationRegistry.class, () -> observations).run(context -> {
            context.getBean(LimiterMetrics.class).bindTo(registry);
            Observation request = Observation.start("request", observations);
            try (Observation.Scope scope = request.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(request);
                waitFor(context.getBean(LimiterFactory.class));
            }
            request.stop();
            Eventually.that(() -> TestObservationRegistryAssert.assertThat(observations)
                    .hasNumberOfObservationsWithNameEqualTo(LimiterMeters.WAIT, 2)
                    .forAllObservationsWithNameEqualTo(
                            LimiterMeters.WAIT,
                            wait -> wait.hasLowCardinalityKeyValue(LimiterMeters.LIMIT, "slow")
                                    .hasParentObservationEqualTo(request)));
            assertThat(registry.find(LimiterMeters.WAIT).timer()).isNull();
        });
    }

    @Test
    void two_registries_of_observations_fail_no_decision() {
        Contexts.local()
                .withBean("one", ObservationRegistry.class, ObservationRegistry::create)
                .withBean("two", ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    waitFor(context.getBean(LimiterFactory.class));
                    Eventually.that(() -> assertThat(
                                    registry.get(LimiterMeters.WAIT).timer().count())
                            .isEqualTo(2));
                });
    }

    @Test
    void beans_are_looked_up_once() {
        AtomicInteger created = new AtomicInteger();
        Contexts.local()
                .withBean(
                        ObservationRegistry.class,
                        () -> {
                            created.incrementAndGet();
                            return ObservationRegistry.create();
                        },
                        definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    LimiterMetrics metrics = context.getBean(LimiterMetrics.class);
                    metrics.mayWait();
                    metrics.mayWait();
                    assertThat(created).hasValue(1);
                });
    }

    @Test
    void fifty_limits_are_600_series_of_decisions_50_of_bans_and_100_of_warnings_whatever_keys_callers_invent() {
        Contexts.local().run(context -> {
            LimiterFactory factory = context.getBean(LimiterFactory.class);
            for (int i = 0; i < 50; i++) {
                Limiter limiter = factory.with(LimiterOptions.NONE.withWarnAt(Share.permits(1)))
                        .build("limit" + i, FixedWindow.of(1, DAY));
                limiter.tryAcquire("invented " + i);
                limiter.tryAcquire("invented too " + i);
            }
            MeterRegistry overRedis = new SimpleMeterRegistry();
            factory.statistics()
                    .totals()
                    .forEach(totals -> new MeteredLimit(totals.name(), () -> null).register(overRedis, false));
            assertThat(overRedis.find(LimiterMeters.DECISIONS).meters()).hasSize(600);
            assertThat(overRedis.find(LimiterMeters.BANS).meters()).hasSize(50);
            assertThat(overRedis.find(LimiterMeters.WARNINGS).meters()).hasSize(100);
        });
    }

    @Test
    void limits_beyond_the_maximum_are_summed_as_other() {
        Contexts.local()
                .withPropertyValues("limiter.metrics.max-limits=1")
                .withBean(Limited.class)
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    LimiterFactory factory = context.getBean(LimiterFactory.class);
                    factory.build("second", FixedWindow.of(1, DAY)).tryAcquire();
                    waitFor(factory);
                    context.getBean(Limited.class).login(true);
                    assertThat(count("login", "granted", "local")).isEqualTo(1);
                    assertThat(count("other", "granted", "local")).isEqualTo(4);
                    Eventually.that(() -> assertThat(registry.get(LimiterMeters.WAIT)
                                    .timer()
                                    .getId()
                                    .getTag(LimiterMeters.LIMIT))
                            .isEqualTo("other"));
                });
    }

    @Test
    void calls_of_limits_beyond_the_maximum_are_summed_as_other() {
        Contexts.local()
                .withPropertyValues("limiter.metrics.max-limits=0")
                .withBean(Limited.class)
                .run(context -> {
                    context.getBean(LimiterMetrics.class).bindTo(registry);
                    Limited limited = context.getBean(Limited.class);
                    limited.login(true);
                    limited.login(false);
                    assertThat(count("other", "skipped", "none")).isEqualTo(1);
                });
    }

    @Test
    void a_convention_of_the_application_names_waits() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        Contexts.local()
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(LimiterWaitConvention.class, () -> new LimiterWaitConvention() {
                    @Override
                    public String getName() {
                        return "app.wait";
                    }
                })
                .run(context -> {
                    waitFor(context.getBean(LimiterFactory.class));
                    Eventually.that(() -> TestObservationRegistryAssert.assertThat(observations)
                            .hasNumberOfObservationsWithNameEqualTo("app.wait", 2));
                });
    }

    @Test
    void without_micrometer_all_else_works() {
        Contexts.local()
                .withClassLoader(new FilteredClassLoader("io.micrometer.core"))
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean("limiterMetrics");
                    Limiter limiter = context.getBean(LimiterFactory.class).build("k", FixedWindow.of(1, DAY));
                    assertThat(limiter.tryAcquire()).isTrue();
                    assertThat(limiter.tryAcquire()).isFalse();
                });
    }

    /** Twice, half a second each. */
    private static void waitFor(LimiterFactory factory) {
        RateLimiter slow = factory.build("slow", 100, 0.01, 60);
        slow.decide(1, Duration.ofSeconds(30));
        slow.decide(50, Duration.ofSeconds(30));
        slow.async().decide(50, Duration.ofSeconds(30)).join();
    }

    private double count(String limit, String outcome, String source) {
        FunctionCounter counter = registry.get(LimiterMeters.DECISIONS)
                .tags(LimiterMeters.LIMIT, limit, LimiterMeters.OUTCOME, outcome, LimiterMeters.SOURCE, source)
                .functionCounter();
        return counter.count();
    }
}
