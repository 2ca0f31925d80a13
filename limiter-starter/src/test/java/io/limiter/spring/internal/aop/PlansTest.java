package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Annotated limits whose callers have plans. */
class PlansTest {

    private static final String[] PLANS = {
        "limiter.limits.export.plans.pro.limit=4",
        "limiter.limits.search.plans.pro.rate=50",
        "limiter.limits.search.plans.slow.rate=1",
        "limiter.limits.search.plans.slow.capacity=1",
        "limiter.limits.report.plans.pro.limit=2",
        "limiter.limits.answered.plans.pro.limit=2",
    };

    private static final String[] STAFF = {
        "limiter.limits.export.plans.staff.unlimited=true",
        "limiter.limits.report.plans.staff.unlimited=true",
        "limiter.limits.whole.limit=1",
        "limiter.limits.whole.per=1h",
        "limiter.limits.whole.plans.staff.unlimited=true",
        "limiter.limits.everyone.plans.staff.unlimited=true",
    };

    record User(String id, @Nullable String plan) {

        User with(String newPlan) {
            return new User(id, newPlan);
        }

        /** Fails as an application's own code may. */
        public String getBroken() {
            throw new IllegalStateException("no\nplan");
        }
    }

    static class Api {

        @CountLimit(name = "export", limit = 2, per = "1h", key = "#{user.id}", plan = "#{user.plan}")
        public void export(User user) {}

        @RateLimit(name = "search", rate = 5, capacity = 5, key = "#{user.id}", plan = "#{user.plan}")
        public CompletableFuture<String> search(User user) {
            return CompletableFuture.completedFuture("done");
        }

        @ConcurrentLimit(name = "report", limit = 1, key = "#{user.id}", plan = "#{user.plan}")
        public void report(User user, Runnable work) {
            work.run();
        }
    }

    static class Everyone {

        @CountLimit(name = "everyone", limit = 1, per = "1h", plan = "#{plan}")
        public void call(String plan) {}
    }

    static class Broken {

        @CountLimit(name = "export", limit = 2, per = "1h", key = "#{user.id}", plan = "#{user.broken}")
        public void export(User user) {}
    }

    static class WithoutPlan {

        @CountLimit(name = "export", limit = 2, per = "1h", key = "#{user}")
        public void export(String user) {}

        @CountLimit(name = "shared", limit = 2, per = "1h")
        public void shared() {}
    }

    private static ApplicationContextRunner runner() {
        return Contexts.local().withPropertyValues(PLANS);
    }

    private static void run(Consumer<Api> test) {
        runner().withBean(Api.class).run(context -> test.accept(context.getBean(Api.class)));
    }

    private static User user(@Nullable String plan) {
        return new User(UUID.randomUUID().toString(), plan);
    }

    private static int granted(Runnable call) {
        int granted = 0;
        for (int i = 0; i < 8; i++) {
            try {
                call.run();
                granted++;
            } catch (RateLimitExceededException e) {
                assertThat(e.decision().isGranted()).isFalse();
            }
        }
        return granted;
    }

    @Test
    void a_call_is_limited_under_the_parameters_of_its_plan() {
        run(api -> {
            User pro = user("pro");
            assertThat(granted(() -> api.export(pro))).isEqualTo(4);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> api.export(pro))
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(4));
            Runnable two = () -> api.report(pro, () -> api.report(pro, () -> {}));
            assertThatCode(two::run).doesNotThrowAnyException();
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> api.report(pro, two));
        });
    }

    @Test
    void an_unlimited_plan_leaves_the_limit_out_and_is_counted() {
        var runner = runner().withPropertyValues(STAFF).withBean(Api.class).withBean(Everyone.class);
        runner.run(context -> {
            Api api = context.getBean(Api.class);
            User staff = user("staff");
            assertThat(granted(() -> api.export(staff))).isEqualTo(8);
            assertThat(granted(() -> api.export(staff.with(null))))
                    .as("the permits of the limit are there")
                    .isEqualTo(2);
            assertThat(granted(() -> api.export(staff))).isEqualTo(8);
            api.report(staff, () -> api.report(staff, () -> {}));
            Everyone shared = context.getBean(Everyone.class);
            assertThat(granted(() -> shared.call("none"))).isEqualTo(1);
            assertThat(granted(() -> shared.call("staff")))
                    .as("also where callers share the permits")
                    .isEqualTo(8);
            assertThat(context.getBean(LimiterFactory.class).statistics().totals())
                    .filteredOn(totals -> totals.name().equals("export.staff"))
                    .singleElement()
                    .satisfies(totals -> assertThat(totals.granted()).isEqualTo(16));
            Limiter byName = context.getBean(LimiterFactory.class)
                    .with(LimiterOptions.NONE.withPlan("staff"))
                    .limiter("whole");
            assertThat(byName.tryAcquire(2)).as("asked for by its name").isTrue();
        });
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {" ", "gold"})
    void a_call_without_a_known_plan_is_limited_under_the_limits_own_parameters(@Nullable String plan) {
        run(api -> {
            User user = user(plan);
            assertThat(granted(() -> api.export(user))).isEqualTo(2);
        });
    }

    @Test
    void a_caller_who_changes_plan_keeps_what_was_used() {
        run(api -> {
            User user = user(null);
            assertThat(granted(() -> api.export(user))).isEqualTo(2);
            assertThat(granted(() -> api.export(user.with("pro")))).isEqualTo(2);
            assertThat(granted(() -> api.export(user))).isZero();
        });
    }

    @Test
    void a_plan_inherits_what_it_does_not_set() {
        runner().withBean(Api.class)
                .withPropertyValues("limiter.limits.search.timeout=2s")
                .run(context -> {
                    List<LimiterTotals> totals =
                            context.getBean(LimiterFactory.class).statistics().totals();
                    assertThat(totals)
                            .extracting(LimiterTotals::name)
                            .containsExactlyInAnyOrder(
                                    "report",
                                    "report.pro",
                                    "export",
                                    "export.pro",
                                    "search",
                                    "search.pro",
                                    "search.slow");
                    assertThat(limit(totals, "search.pro"))
                            .isEqualTo(TokenBucket.perSecond(50).withCapacity(5));
                    assertThat(limit(totals, "search.slow"))
                            .isEqualTo(TokenBucket.perSecond(1).withCapacity(1));
                    assertThat(limit(totals, "export.pro")).isEqualTo(FixedWindow.of(4, Duration.ofHours(1)));
                });
    }

    private static Object limit(List<LimiterTotals> totals, String name) {
        return totals.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow()
                .limit()
                .orElseThrow();
    }

    @Test
    void an_unknown_plan_is_logged_once_and_few_of_them_are() {
        try (LogLines log = new LogLines("io.limiter.spring.internal.check.PlanFinder")) {
            run(api -> {
                for (int i = 0; i < 3; i++) {
                    api.search(user("gold\nINFO forged"));
                }
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("WARN The limit 'search' has no plan 'gold")
                        .doesNotContain("\n")
                        .endsWith("so its own definition applies to such calls. Its plans are [pro, slow].");
                for (int i = 0; i < 1000; i++) {
                    api.search(user(i + " made up".repeat(i)));
                }
                assertThat(log.all())
                        .hasSize(10)
                        .allSatisfy(line -> assertThat(line).hasSizeLessThan(250));
                assertThat(log.all().get(9)).endsWith("No further unknown plans are logged.");
            });
        }
    }

    @Test
    void a_plan_that_cannot_be_found_is_logged_and_the_limits_own_parameters_apply() {
        try (LogLines log = new LogLines("io.limiter.spring.internal.check.PlanFinder")) {
            runner().withBean(Broken.class).run(context -> {
                User user = user(null);
                assertThat(granted(() -> context.getBean(Broken.class).export(user)))
                        .isEqualTo(2);
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("WARN The plan of a call could not be found, and 0 before it")
                        .contains("the definition of the limit 'export' itself applies")
                        .doesNotContain("\n");
            });
        }
    }

    @Test
    void a_resolver_finds_the_plans_of_calls_whose_annotation_names_none() {
        List<PlanRequest> requests = new CopyOnWriteArrayList<>();
        PlanResolver resolver = request -> {
            requests.add(request);
            if (request.key().startsWith("fails")) {
                throw new IllegalStateException("no database");
            }
            return request.key().startsWith("pro") ? "pro" : null;
        };
        try (LogLines log = new LogLines("io.limiter.spring.internal.check.PlanFinder")) {
            runner().withBean(WithoutPlan.class)
                    .withBean(PlanResolver.class, () -> resolver)
                    .run(context -> {
                        WithoutPlan api = context.getBean(WithoutPlan.class);
                        String id = UUID.randomUUID().toString();
                        assertThat(granted(() -> api.export("pro" + id))).isEqualTo(4);
                        assertThat(granted(() -> api.export("free" + id))).isEqualTo(2);
                        assertThat(log.all()).isEmpty();
                        assertThat(granted(() -> api.export("fails" + id))).isEqualTo(2);
                        assertThat(log.all()).singleElement(as(STRING)).contains("no database");
                        assertThat(requests).first().satisfies(request -> {
                            assertThat(request.limit()).isEqualTo("export");
                            assertThat(request.key()).isEqualTo("pro" + id);
                            assertThat(request.method().getName()).isEqualTo("export");
                            assertThat(request.arguments()).containsExactly("pro" + id);
                            assertThat(request.request()).isNull();
                        });
                        requests.clear();
                        api.shared();
                        assertThat(requests).as("a limit without plans").isEmpty();
                    });
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    export.plans.pro.limit=0     | limiter.limits.export.plans.pro.limit must be between 1 and 9007199254740991, was 0
                    export.plans.pro.rate=5      | with limiter.limits.export.plans.pro.*: rate has no effect on kind fixed-window
                    export.plans.pro.zone=UTC    | limiter.limits.export.plans.pro.zone
                    export.plans.pro.kind=fixed-window | limiter.limits.export.plans.pro.kind
                    export.plans.pro.enforce=false | limiter.limits.export.plans.pro.enforce
                    search.plans.pro.capacity=many | limiter.limits.search.plans.pro.capacity
                    search.plans.slow.burst=1s   | limiter.limits.search.plans.slow.*: capacity 1 (permits) and burst
                    search.plans.pro.rate=NaN    | limiter.limits.search.plans.pro.rate must be between
                    search.warm-up=10s           | limiter.limits.search.plans.slow.*: capacity has no effect with the warm-up PT10S of the limit
                    search.unlimited=true        | limiter.limits.search.unlimited has no effect outside a plan
                    search.plans.pro.unlimited=true | limiter.limits.search.plans.pro.unlimited=true leaves the limit out for the plan, so rate would have no effect
                    everyone.plans.pro.limit=3   | would give callers different limits, but with limitType METHOD they share the permits
                    report.plans.pro.limit=1001  | with limiter.limits.report.plans.pro.*:
                    """)
    void an_invalid_plan_fails_at_startup_and_is_named(String bad, String message) {
        runner().withBean(Api.class)
                .withBean(Everyone.class)
                .withPropertyValues("limiter.limits." + bad)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
    }

    static class OfHeader {

        @CountLimit(name = "export", limit = 2, per = "1h", key = "#{user.id}", plan = "header:X-Plan")
        public void export(User user) {}
    }

    @Test
    void an_unlimited_plan_that_callers_choose_fails_at_startup() {
        Contexts.web()
                .withBean(OfHeader.class)
                .withPropertyValues("limiter.limits.export.plans.staff.unlimited=true")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.limits.export.plans.staff.unlimited=true would leave the limit out for any"
                                + " caller, because the plan of a call is read from header(...)"));
    }

    @Test
    void plans_that_nothing_chooses_fail_at_startup() {
        runner().withBean(WithoutPlan.class)
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("limiter.limits.export.plans would have no effect: set the plan of the annotation"));
    }

    @Test
    void two_resolvers_fail_at_startup() {
        runner().withBean(WithoutPlan.class)
                .withBean("one", PlanResolver.class, () -> request -> "pro")
                .withBean("two", PlanResolver.class, () -> request -> "pro")
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains(PlanResolver.class.getName())
                        .contains("one,two"));
    }

    static class NamedAsPlan {

        @CountLimit(name = "export.pro", limit = 9, per = "1m")
        public void export() {}
    }

    @Test
    void a_limit_that_has_the_name_of_a_plan_fails_at_startup() {
        runner().withBean(Api.class)
                .withBean(NamedAsPlan.class)
                .run(context -> assertThat(messages(context.getStartupFailure()))
                        .contains("'export.pro'", "give the limiter or its plan another name"));
    }

    static class Shared {

        @RateLimit(rate = 1, name = "all", plan = "#{plan}")
        public void call(String plan) {}
    }

    static class Constant {

        @RateLimit(rate = 1, name = "all", limitType = LimitType.CUSTOM, key = "#{user}", plan = "pro")
        public void call(String user) {}
    }

    @Test
    void a_plan_that_cannot_work_fails_at_startup() {
        invalid(
                Shared.class,
                "plan would give callers different limits, but with limitType METHOD they share the permits");
        invalid(Constant.class, "plan 'pro' is the same for all calls");
    }

    private static void invalid(Class<?> api, String message) {
        Contexts.local()
                .withBean(api)
                .run(context ->
                        assertThat(messages(context.getStartupFailure())).contains(message));
    }

    private static String messages(@Nullable Throwable failure) {
        assertThat(failure).isNotNull();
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        return messages.toString();
    }
}
