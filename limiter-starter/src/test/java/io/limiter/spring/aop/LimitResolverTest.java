package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.LimitResolver;
import io.limiter.spring.key.LimitedCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limits that a resolver chooses for each call. */
class LimitResolverTest {

    private static final Duration HOUR = Duration.ofHours(1);

    static class Plans implements LimitResolver {

        private final Map<String, Limit<?>> byTenant = new ConcurrentHashMap<>();
        private final List<LimitedCall> calls = new CopyOnWriteArrayList<>();

        @Override
        public @Nullable Limit<?> resolve(LimitedCall call) {
            calls.add(call);
            if ("broken".equals(call.key())) {
                throw new IllegalArgumentException("no such tenant");
            }
            return byTenant.get(String.valueOf(call.key()));
        }
    }

    static class Api {

        @CountLimit(
                name = "api",
                limit = 2,
                per = "1h",
                limitType = LimitType.CUSTOM,
                key = "#{tenant}",
                resolver = "plans")
        public void call(String tenant, @Nullable Integer amount) {}

        @CountLimit(name = "all", limit = 9, per = "1m")
        @CountLimit(
                name = "each",
                limit = 2,
                per = "1h",
                limitType = LimitType.CUSTOM,
                key = "#{tenant}",
                resolver = "plans")
        public void callUnderTwo(String tenant) {}
    }

    @Test
    void the_resolver_chooses_the_limit_of_each_call() {
        run((api, plans) -> {
            plans.byTenant.put("gold", FixedWindow.of(4, HOUR));
            calls(api, "gold", 4);
            calls(api, "basic", 2);
        });
    }

    @Test
    void one_of_several_limits_can_be_resolved() {
        run((api, plans) -> {
            plans.byTenant.put("gold", FixedWindow.of(4, HOUR));
            for (int i = 0; i < 4; i++) {
                api.callUnderTwo("gold");
            }
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> api.callUnderTwo("gold"))
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(4));
        });
    }

    @Test
    void what_is_resolved_has_the_name_and_the_prefix_of_what_is_declared() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        FixedWindow resolved = FixedWindow.of(5, HOUR);
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Api.class)
                .withBean("plans", LimitResolver.class, () -> call -> resolved)
                .run(context -> {
                    context.getBean(Api.class).call("acme", 1);
                    assertThat(factory.built())
                            .last()
                            .isEqualTo(new RecordingLimiterFactory.Built("countLimit:", "api", resolved));
                });
    }

    @Test
    void a_tenant_that_changes_its_plan_keeps_what_it_took() {
        run((api, plans) -> {
            calls(api, "acme", 2);
            plans.byTenant.put("acme", FixedWindow.of(5, HOUR));
            calls(api, "acme", 3);
            plans.byTenant.remove("acme");
            calls(api, "acme", 0);
        });
    }

    @Test
    void the_resolver_receives_the_call() {
        run((api, plans) -> {
            api.call("acme", 7);
            LimitedCall call = plans.calls.get(0);
            assertThat(call.method().getName()).isEqualTo("call");
            assertThat(call.arguments()).containsExactly("acme", 7);
            assertThat(call.name()).isEqualTo("api");
            assertThat(call.declared()).isEqualTo(FixedWindow.of(2, HOUR));
            assertThat(call.key()).isEqualTo("acme");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .as("the call's arguments are not the resolver's to change")
                    .isThrownBy(() -> call.arguments().set(1, 8));
            api.call("acme", null);
            assertThat(plans.calls.get(1).arguments()).containsExactly("acme", null);
        });
    }

    @Test
    void exceptions_of_a_resolver_go_to_the_caller() {
        run((api, plans) -> assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> api.call("broken", 1))
                .withMessage("no such tenant"));
    }

    @Test
    void a_limit_of_another_kind_is_an_error() {
        run((api, plans) -> {
            plans.byTenant.put("acme", io.limiter.algorithm.TokenBucket.of(1, 1));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> api.call("acme", 1))
                    .withMessageContaining("resolver 'plans' must return a FixedWindow, as the one declared, or null");
        });
    }

    @Test
    void a_rejection_has_the_resolved_limit() {
        run((api, plans) -> {
            plans.byTenant.put("acme", FixedWindow.of(1, HOUR));
            api.call("acme", 1);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> api.call("acme", 1))
                    .extracting(RateLimitExceededException::decision)
                    .extracting(Decision::limit)
                    .isEqualTo(1L);
        });
    }

    private static void calls(Api api, String tenant, int granted) {
        for (int i = 0; i < granted; i++) {
            api.call(tenant, i);
        }
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> api.call(tenant, granted));
    }

    private static void run(BiConsumer<Api, Plans> test) {
        Contexts.local()
                .withBean(Api.class)
                .withBean("plans", Plans.class)
                .run(context -> test.accept(context.getBean(Api.class), context.getBean(Plans.class)));
    }
}
