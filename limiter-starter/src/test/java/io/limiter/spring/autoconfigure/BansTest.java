package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.KeyBannedEvent;
import io.limiter.LimiterFactory;
import io.limiter.LimiterTotals;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.Ban;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/** Limits with {@code ban} in {@code limiter.limits}. */
class BansTest {

    private static final String BAN = "limiter.limits.login.ban.";

    private final ApplicationContextRunner runner =
            Contexts.local().withBean(Api.class).withBean(Events.class);

    static class Api {

        @CountLimit(name = "login", key = "#{user}", limit = 1, per = "1h")
        public String login(String user) {
            return "in";
        }

        @CountLimit(name = "later", key = "#{user}", limit = 1, per = "1h")
        public CompletableFuture<String> later(String user) {
            return CompletableFuture.completedFuture("in");
        }

        @CountLimit(name = "all", limit = 1, per = "1h")
        public void all() {}

        @ConcurrentLimit(name = "held", key = "#{user}", limit = 1)
        public void held(String user) {}
    }

    static class Events {

        private final Queue<KeyBannedEvent> banned = new ConcurrentLinkedQueue<>();

        @EventListener
        void on(KeyBannedEvent event) {
            banned.add(event);
        }
    }

    private static LimiterTotals totals(ApplicationContext context, String name) {
        return context.getBean(LimiterFactory.class).statistics().totals().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Decision rejection(Api api, String user) {
        try {
            api.login(user);
            throw new AssertionError("granted");
        } catch (RateLimitExceededException e) {
            return e.decision();
        }
    }

    @Test
    void calls_of_a_key_that_is_rejected_too_often_are_rejected_while_the_ban_lasts() {
        runner.withPropertyValues(BAN + "after=3", BAN + "within=60", BAN + "for=300", BAN + "at-most=86400")
                .run(context -> {
                    Api api = context.getBean(Api.class);
                    api.login("ann");
                    for (int i = 0; i < 3; i++) {
                        assertThat(rejection(api, "ann").source()).isEqualTo(Decision.Source.BACKEND);
                    }
                    Decision banned = rejection(api, "ann");
                    assertThat(banned.source()).isEqualTo(Decision.Source.OVERRIDE);
                    assertThat(banned.retryAfterSeconds().orElseThrow())
                            .as("of the limit, which ends later")
                            .isGreaterThan(300);
                    assertThat(totals(context, "login").bansInEffect())
                            .singleElement()
                            .satisfies(ban -> assertThat(ban.left().toSeconds()).isBetween(240L, 300L));
                    api.login("bob");
                    assertThat(totals(context, "login").bans()).isEqualTo(1);
                    Queue<KeyBannedEvent> events = context.getBean(Events.class).banned;
                    Eventually.that(() -> assertThat(events)
                            .containsExactly(KeyBannedEvent.of("login", List.of("ann"), Duration.ofSeconds(300))));
                });
    }

    @Test
    void futures_are_banned_as_results() {
        runner.withPropertyValues("limiter.limits.later.ban.after=2").run(context -> {
            Api api = context.getBean(Api.class);
            assertThat(api.later("ann").join()).isEqualTo("in");
            for (int i = 0; i < 3; i++) {
                assertThat(api.later("ann")).isCompletedExceptionally();
            }
            assertThat(totals(context, "later").rejected(Decision.Source.OVERRIDE))
                    .isEqualTo(1);
        });
    }

    @Test
    void by_default_rejections_of_a_minute_ban_for_five_minutes_to_a_day() {
        runner.withPropertyValues(BAN + "after=10")
                .run(context -> assertThat(totals(context, "login").ban()).contains(Ban.after(10)));
        runner.withPropertyValues(BAN + "after=10", BAN + "at-most=2m")
                .run(context -> assertThat(totals(context, "login").ban())
                        .contains(Ban.after(10).withLengths(Duration.ofMinutes(2), Duration.ofMinutes(2))));
        runner.run(context -> assertThat(totals(context, "login").ban()).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "login.ban.within=60 | limiter.limits.login.ban.after must be set, such as limiter.limits.login.ban.after=10",
                "login.ban.after=0 | limiter.limits.login.ban.after must be between 1 and 100, was 0",
                "login.ban.after=101 | limiter.limits.login.ban.after must be between 1 and 100, was 101",
                "login.ban.after=1,login.ban.within=0 | limiter.limits.login.ban.within must be between PT0.001S and PT24000H",
                "login.ban.after=1,login.ban.for=0 | limiter.limits.login.ban.for must be between PT0.001S and PT24H",
                "login.ban.after=1,login.ban.for=25h | limiter.limits.login.ban.for must be at most limiter.limits.login.ban.at-most, which is PT24H, was PT25H: set a shorter one, or a longer",
                "login.ban.after=1,login.ban.at-most=1001d | limiter.limits.login.ban.at-most must be between PT0.001S and PT24000H",
                "login.ban.after=1,login.ban.fro=300 | limiter.limits.login.ban.fro",
                "all.ban.after=1 | limiter.limits.all.ban would ban all callers at once",
                "held.ban.after=1 | ban has no effect on kind concurrent",
                "login.ban.after=1,login.kind=token-bucket,login.rate=1,login.prefetch-time=1s | limiter.limits.login.ban and limiter.limits.login.prefetch-time exclude each other",
            })
    void settings_that_cannot_work_fail_at_startup(String settings, String message) {
        String[] properties = settings.trim().split(",");
        for (int i = 0; i < properties.length; i++) {
            properties[i] = "limiter.limits." + properties[i];
        }
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining(message.trim());
        });
    }

    @Test
    void a_rule_for_all_callers_together_has_no_ban() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.key=all",
                        "limiter.http.api.limits.one.limit=1",
                        "limiter.http.api.limits.one.per=60",
                        "limiter.http.api.limits.one.ban.after=1")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("limiter.http.api.limits.one.ban would ban all callers at once"));
    }
}
