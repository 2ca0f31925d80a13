package io.limiter.docs;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A tour of annotations: what callers write most often, each with what it does. */
class AnnotationsTourTest {

    private final TestClock clock = new TestClock();

    private static void rejects(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    static class Service {

        /** One call in a minute, for all callers. */
        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void report() {}

        /** A hundred in a minute, all of which can come at the same time. */
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
}
