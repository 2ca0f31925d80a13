package io.limiter.docs;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.Prefetch;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import jakarta.servlet.Filter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import reactor.core.publisher.Mono;

/** What callers write most often, from annotations over code to tests, each with what it does. */
class TourTest {

    private final TestClock clock = new TestClock();

    private static void rejects(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    // ------------------------------------------------------------------------------------------------------
    // Annotations

    static class Service {

        /** One call in a minute, for all callers. */
        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void report() {}

        /** A hundred in a minute, of which all can come at once. */
        @RateLimit(rate = 100, per = "1m")
        public void search() {}

        /** Stores up to five unused permits. */
        @RateLimit(rate = 1, capacity = 5)
        public void burst() {}

        /** Waits for its turn instead of being rejected. */
        @RateLimit(rate = 1000, capacity = 1, timeout = 60)
        public void paced() {}

        /** Each phone has permits of its own. */
        @RateLimit(key = "#{phone}", rate = 1, per = "1m")
        public void code(String phone) {}

        /** So has each value of a map. */
        @CountLimit(key = "#{params.phone}", limit = 1, period = 60, limitType = LimitType.CUSTOM)
        public void code(Map<String, String> params) {}

        /** Each user of each tenant. */
        @RateLimit(
                key = {"#{tenant}", "#{user.id}"},
                rate = 1,
                per = "1m")
        public void export(String tenant, User user) {}

        /** A quota that starts at midnight. */
        @CountLimit(limit = 2, per = "day", zone = "Europe/Berlin")
        public void daily() {}

        /** At most three in any minute. */
        @CountLimit(limit = 3, per = "1m", kind = CountLimit.Kind.SLIDING_LOG)
        public void anyMinute() {}

        /** Costs a permit for each item, and nothing without one. */
        @RateLimit(key = "#{user}", rate = 1, capacity = 10, cost = "#{items.size()}")
        public void order(String user, List<String> items) {}

        /** Only for calls that write. */
        @RateLimit(key = "all:#{user}", rate = 1, per = "1m", condition = "#{write}")
        public void touch(String user, boolean write) {}

        /** Only failures count. */
        @CountLimit(key = "#{user}", limit = 2, per = "15m", chargeOn = "failure")
        public void login(String user, boolean succeeds) {
            if (!succeeds) {
                throw new IllegalStateException("wrong password");
            }
        }

        /** Takes an estimate, and is settled with what the call has used. */
        @RateLimit(key = "#{user}", rate = 1, per = "1h", capacity = 100, cost = "50", settle = "#{result}")
        public int tokens(String user, int used) {
            return used;
        }

        /** Two limits, all or nothing. */
        @RateLimit(rate = 10, key = "#{user}")
        @CountLimit(limit = 2, per = "day", key = "#{user}")
        public void both(String user) {}

        /** Callers of a plan have other parameters, which configuration says. */
        @RateLimit(name = "planned", key = "#{user}", rate = 1, per = "1m", plan = "#{plan}")
        public void planned(String user, String plan) {}

        /** At most one at a time. */
        @ConcurrentLimit(limit = 1, lease = 30)
        public void alone(Runnable work) {
            work.run();
        }

        /** Rejects while Redis is unavailable, whatever the application's policy is. */
        @CountLimit(name = "payments", limit = 1, per = "1h", onFailure = "deny", message = "One payment an hour")
        public void pay() {}

        /** A publisher takes its permit when it is subscribed to. */
        @RateLimit(rate = 1, per = "1m")
        public Mono<String> reactive() {
            return Mono.just("done");
        }

        /** A future is completed exceptionally if it is rejected. */
        @RateLimit(rate = 1, per = "1m")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("done");
        }
    }

    public record User(String id) {}

    private void withService(Consumer<Service> test, String... properties) {
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> new TestLimiterFactory(clock))
                .withBean(Service.class)
                .withPropertyValues(properties)
                .run(context -> test.accept(context.getBean(Service.class)));
    }

    @Test
    void annotations_limit_a_rate() {
        withService(service -> {
            service.report();
            rejects(service::report);
            clock.advance(Duration.ofMinutes(1));
            service.report();
            for (int i = 0; i < 100; i++) {
                service.search();
            }
            rejects(service::search);
            for (int i = 0; i < 5; i++) {
                service.burst();
            }
            rejects(service::burst);
            service.paced();
            service.paced();
        });
    }

    @Test
    void annotations_have_keys() {
        withService(service -> {
            service.code("0171");
            rejects(() -> service.code("0171"));
            service.code("0172");
            service.code(Map.of("phone", "0171"));
            rejects(() -> service.code(Map.of("phone", "0171")));
            service.export("acme", new User("ann"));
            rejects(() -> service.export("acme", new User("ann")));
            service.export("other", new User("ann"));
        });
    }

    @Test
    void annotations_count_in_a_period() {
        withService(service -> {
            service.daily();
            service.daily();
            rejects(service::daily);
            clock.advance(Duration.ofDays(1));
            service.daily();
            for (int i = 0; i < 3; i++) {
                service.anyMinute();
            }
            rejects(service::anyMinute);
        });
    }

    @Test
    void calls_have_a_cost_or_none() {
        withService(service -> {
            service.order("ann", List.of("a", "b", "c", "d", "e", "f"));
            rejects(() -> service.order("ann", List.of("a", "b", "c", "d", "e")));
            service.order("ann", List.of());
            service.touch("ann", true);
            service.touch("ann", false);
            rejects(() -> service.touch("ann", true));
            for (int i = 0; i < 2; i++) {
                service.login("ann", true);
                assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> service.login("ann", false));
            }
            rejects(() -> service.login("ann", true));
            assertThat(service.tokens("ann", 90)).isEqualTo(90);
            rejects(() -> service.tokens("ann", 90));
        });
    }

    @Test
    void a_method_has_several_limits_plans_or_leases() {
        withService(
                service -> {
                    service.both("ann");
                    service.both("ann");
                    rejects(() -> service.both("ann"));
                    service.planned("ann", "free");
                    rejects(() -> service.planned("ann", "free"));
                    service.planned("ben", "pro");
                    service.planned("ben", "pro");
                    service.alone(() -> rejects(() -> service.alone(() -> {})));
                    service.alone(() -> {});
                    service.pay();
                    rejects(service::pay);
                },
                "limiter.limits.planned.plans.pro.rate=2");
    }

    @Test
    void methods_that_return_later_are_limited_too() {
        withService(service -> {
            Mono<String> reactive = service.reactive();
            assertThat(reactive.block()).isEqualTo("done");
            rejects(reactive::block);
            assertThat(service.later().join()).isEqualTo("done");
            assertThat(service.later()).isCompletedExceptionally();
        });
    }

    // ---------------------------------------------------------------------------------------------------------
    // Requests

    @RestController
    static class Endpoints {

        @GetMapping("/by-ip")
        @RateLimit(rate = 1, per = "1m", limitType = LimitType.IP)
        public String byIp() {
            return "done";
        }

        @GetMapping("/by-user")
        @RateLimit(rate = 1, per = "1m", limitType = LimitType.USER)
        public String byUser() {
            return "done";
        }

        @GetMapping("/by-key")
        @RateLimit(key = "header:X-Api-Key", rate = 1, per = "1m")
        public String byApiKey() {
            return "done";
        }

        @GetMapping("/by-tenant")
        @RateLimit(key = "#{header('X-Tenant') ?: ip()}", rate = 1, per = "1m")
        public String byTenant() {
            return "done";
        }

        @GetMapping("/pages")
        @RateLimit(key = "#{ip()}", rate = 1, capacity = 10, cost = "#{number(param('pages'))}")
        public String pages(@RequestParam String pages) {
            return pages;
        }
    }

    @EnableWebMvc
    static class Web {}

    private void withRequests(RequestTest test, String... properties) {
        Contexts.web()
                .withBean(LimiterFactory.class, () -> new TestLimiterFactory(clock))
                .withUserConfiguration(Web.class)
                .withBean(Endpoints.class)
                .withPropertyValues(properties)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Filter[] filters = context.getBeanProvider(FilterRegistrationBean.class)
                            .orderedStream()
                            .filter(FilterRegistrationBean::isEnabled)
                            .map(registration -> registration.getFilter())
                            .toArray(Filter[]::new);
                    test.run(MockMvcBuilders.webAppContextSetup(context.getSourceApplicationContext())
                            .addFilters(filters)
                            .build());
                });
    }

    private interface RequestTest {
        void run(MockMvc mvc) throws Exception;
    }

    private static int status(MockMvc mvc, MockHttpServletRequestBuilder request) throws Exception {
        return mvc.perform(request).andReturn().getResponse().getStatus();
    }

    @Test
    void annotations_have_facts_of_a_request() {
        withRequests(mvc -> {
            assertThat(status(mvc, get("/by-ip"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-ip"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-user").principal(() -> "ann"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-user").principal(() -> "ann"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-user").principal(() -> "ben"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-key").header("X-Api-Key", "a"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-key").header("X-Api-Key", "a"))).isEqualTo(429);
            assertThat(status(mvc, get("/by-key"))).isEqualTo(400);
            assertThat(status(mvc, get("/by-tenant").header("X-Tenant", "acme")))
                    .isEqualTo(200);
            assertThat(status(mvc, get("/by-tenant"))).isEqualTo(200);
            assertThat(status(mvc, get("/by-tenant"))).isEqualTo(429);
            assertThat(status(mvc, get("/pages?pages=8"))).isEqualTo(200);
            assertThat(status(mvc, get("/pages?pages=8"))).isEqualTo(429);
            assertThat(status(mvc, get("/pages?pages=many"))).isEqualTo(400);
        });
    }

    @Test
    void rules_limit_requests_without_code() {
        withRequests(
                mvc -> {
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "a")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "a")))
                            .isEqualTo(429);
                    assertThat(status(mvc, get("/pages?pages=1").header("X-Api-Key", "b")))
                            .isEqualTo(200);
                },
                "limiter.http.api.path=/pages",
                "limiter.http.api.key=header:X-Api-Key",
                "limiter.http.api.limits.second.rate=10",
                "limiter.http.api.limits.day.limit=1",
                "limiter.http.api.limits.day.per=day");
    }

    @Test
    void a_rule_has_a_path_of_keys_a_cost_and_a_condition() {
        withRequests(
                mvc -> {
                    String request = "/pages?pages=1&tenant=";
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ann")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ann")))
                            .isEqualTo(429);
                    assertThat(status(mvc, get(request + "acme").header("X-User", "ben")))
                            .isEqualTo(200);
                    assertThat(status(mvc, get("/pages?pages=1"))).isEqualTo(200);
                },
                "limiter.http.api.path=/pages",
                "limiter.http.api.key=param:tenant,header:X-User",
                "limiter.http.api.condition=#{param('tenant') != null}",
                "limiter.http.api.cost=#{method() == 'GET' ? 5 : 1}",
                "limiter.http.api.limits.one.rate=1",
                "limiter.http.api.limits.one.capacity=5");
    }

    // -------------------------------------------------------------------------------------------------------------
    // Code

    private final TestLimiterFactory limiters = new TestLimiterFactory(clock);

    @Test
    void a_limiter_is_tried() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        assertThat(search.tryAcquire()).isTrue();
        assertThat(search.tryAcquire(4)).isTrue();
        assertThat(search.tryAcquire()).isFalse();
        assertThat(search.tryAcquire("ann")).isTrue();
        assertThat(search.on("acme").on("ann").tryAcquire(5)).isTrue();
        assertThat(search.tryAcquire("ann", 1, TimeUnit.SECONDS)).isTrue();
    }

    /** With a context of Spring or a builder, {@code factory} is over Redis. */
    @Test
    void the_first_program() {
        Contexts.local().run(context -> {
            RedisRateLimiterFactory factory = context.getBean(RedisRateLimiterFactory.class);
            RedisRateLimiter limiter = factory.build("rate2", 1.0 / 5, 5, 60);
            assertThat(limiter.tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire("0171", 0, TimeUnit.SECONDS)).isTrue();
            assertThat(limiter.tryAcquire("0171", 0, TimeUnit.SECONDS)).isFalse();
        });
    }

    @Test
    void a_limiter_waits() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        search.acquire(5);
        assertThat(search.acquire()).isEqualTo(Duration.ofMillis(200));
        assertThat(search.tryAcquire(Duration.ofSeconds(1))).isTrue();
        assertThat(search.tryAcquire(5, Duration.ofMillis(1))).isFalse();
    }

    @Test
    void a_decision_says_more() {
        Limiter logins = limiters.build("logins", FixedWindow.of(3, Duration.ofMinutes(15)));
        Decision decision = logins.decide("ann");
        assertThat(decision.isGranted()).isTrue();
        assertThat(decision.remaining()).isEqualTo(2);
        assertThat(logins.on("ann").peek(3).isGranted()).isFalse();
        assertThat(logins.on("ann").decide(3).retryAfter()).hasValue(Duration.ofMinutes(15));
        assertThat(logins.on("ann").decide(4).isNever()).isTrue();
    }

    @Test
    void permits_are_reserved_and_settled_or_returned() {
        Limiter tokens = limiters.build("tokens", FixedWindow.of(1_000, Duration.ofHours(1)));
        Reservation reservation = tokens.on("ann").reserve(800);
        assertThat(reservation.isGranted()).isTrue();
        reservation.settle(300);
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(700);
        tokens.on("ann").charge(100);
        tokens.on("ann").refund(50);
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(650);
        tokens.on("ann").reset();
        assertThat(tokens.on("ann").peek().remaining()).isEqualTo(1_000);
    }

    @Test
    void permits_are_reserved_ahead() {
        RateLimiter paced = limiters.build("paced", LeakyBucket.queue(10, 50));
        paced.acquire();
        Reservation turn = paced.reserve(1, Duration.ofSeconds(5));
        assertThat(turn.decision().timeToWait()).isEqualTo(Duration.ofMillis(100));
        turn.cancel();
    }

    @Test
    void several_limits_are_all_or_nothing() {
        RateLimiter second = limiters.build("second", TokenBucket.perSecond(10));
        Limiter day =
                limiters.build("day", FixedWindow.of(12, Duration.ofDays(1)).withZone(ZoneId.of("UTC")));
        LimitSet both = LimitSet.of(second.on("ann")).and(day.on("ann"), 5);
        assertThat(both.tryAcquire()).isTrue();
        assertThat(both.tryAcquire()).isTrue();
        SetDecision decision = both.decide();
        assertThat(decision.isGranted()).isFalse();
        assertThat(second.on("ann").peek().remaining()).isEqualTo(8);
    }

    @Test
    void a_lease_is_held() {
        ConcurrencyLimiter exports = limiters.build("exports", ConcurrencyLimit.of(1));
        try (Lease lease = exports.on("ann").acquire()) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(exports.tryAcquire("ann")).isEmpty();
        }
        Optional<Lease> next = exports.tryAcquire("ann");
        assertThat(next).isPresent();
    }

    @Test
    void futures_block_no_thread() {
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5));
        CompletableFuture<Boolean> granted = search.on("ann").async().tryAcquire();
        assertThat(granted.join()).isTrue();
        assertThat(search.on("ann").async().decide(3).join().remaining()).isEqualTo(1);
    }

    @Test
    void each_kind_of_limit_has_a_name() {
        assertThat(limiters.build("log", SlidingLog.of(2, Duration.ofMinutes(1))))
                .grants(2)
                .thenRejects();
        assertThat(limiters.build("counter", SlidingCounter.of(2, Duration.ofMinutes(1))))
                .grants(2)
                .thenRejects();
        assertThat(limiters.build("meter", LeakyBucket.meter(1, 2))).grants(2).thenRejects();
        assertThat(limiters.build(
                        "sized", TokenBucket.per(6, Duration.ofMinutes(1)).withCapacity(2)))
                .grants(2)
                .thenRejects();
        RateLimiter guava = limiters.build("guava", TokenBucket.guava(5));
        guava.setRate(10);
        assertThat(guava.getRate()).isEqualTo(10);
    }

    @Test
    void options_are_one_value() {
        LimiterOptions options = LimiterOptions.NONE
                .withPrefix("shop:")
                .withFailurePolicy(FailurePolicy.DENY)
                .withPrefetch(Prefetch.of(Duration.ofMillis(100)));
        assertThat(limiters.with(options)
                        .build("hot", TokenBucket.perSecond(50_000))
                        .tryAcquire())
                .isTrue();
        Limiter banning = limiters.with(LimiterOptions.NONE.withBan(Ban.after(2)))
                .build("codes", FixedWindow.of(1, Duration.ofMinutes(1)));
        assertThat(banning.tryAcquire("ann")).isTrue();
    }

    @Test
    void configuration_defines_limits_of_code() {
        Contexts.local()
                .withPropertyValues(
                        "limiter.limits.quotes.rate=50",
                        "limiter.limits.orders.limit=1000",
                        "limiter.limits.orders.per=1d",
                        "limiter.limits.exports.kind=concurrent",
                        "limiter.limits.exports.limit=2")
                .run(context -> {
                    LimiterFactory configured = context.getBean(LimiterFactory.class);
                    assertThat(configured.rateLimiter("quotes").limit()).isEqualTo(TokenBucket.perSecond(50));
                    assertThat(configured.limiter("orders").limit().capacity()).isEqualTo(1_000);
                    assertThat(configured.concurrencyLimiter("exports").limit().limit())
                            .isEqualTo(2);
                });
    }

    // ------------------------------------------------------------------------------------------------------------
    // Tests

    @Test
    void a_test_moves_the_clock_and_asks_what_is_granted() {
        Limiter search = limiters.build("search", FixedWindow.of(5, Duration.ofSeconds(12)));
        assertThat(search).on("ann").grants(5).thenRejectsFor(12, TimeUnit.SECONDS);
        clock.advance(Duration.ofSeconds(12));
        assertThat(search).on("ann").grants(5).thenRejects();
    }

    @Test
    void a_test_makes_the_decisions_that_it_needs() {
        Decision rejected = Decision.rejected(10, 0, Duration.ofSeconds(3));
        assertThat(rejected.isGranted()).isFalse();
        assertThat(rejected.retryAfter()).hasValue(Duration.ofSeconds(3));
        assertThat(Decision.granted(10, 9, Duration.ZERO).isGranted()).isTrue();
    }
}
