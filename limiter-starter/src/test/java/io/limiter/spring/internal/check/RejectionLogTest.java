package io.limiter.spring.internal.check;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The log lines of rejections. */
class RejectionLogTest {

    static class Limited {

        @CountLimit(name = "login", limit = 1, per = "1h", limitType = LimitType.CUSTOM, key = "#{user}")
        public void login(String user) {}

        @CountLimit(name = "other", limit = 1, per = "1h")
        public void other() {}

        @CountLimit(limit = 1, per = "1h", limitType = LimitType.CUSTOM, key = "#{pages}", cost = "#{pages}")
        public void cost(Object pages) {}

        @ConcurrentLimit(limit = 1, name = "place", limitType = LimitType.CUSTOM, key = "of-#{user.trim()}")
        public void place(String user) {}
    }

    @Test
    void the_first_rejection_of_each_limit_is_logged_without_the_key() {
        Contexts.local().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(RejectionLog.class)) {
                limited.login("alice");
                limited.other();
                for (int i = 0; i < 3; i++) {
                    rejected(() -> limited.login("alice"));
                }
                assertThat(log.all())
                        .singleElement(as(STRING))
                        .startsWith("INFO @CountLimit for " + Limited.class.getName() + ".login(java.lang.String)"
                                + " has rejected a call, and 0 before it since the last such line:"
                                + " limit 1, remaining 0, retry after PT")
                        .doesNotContain("alice");
                rejected(limited::other);
                assertThat(log.all()).hasSize(2);
            }
        });
    }

    @Test
    void a_call_without_a_key_is_logged_with_the_limit_and_the_expression() {
        Contexts.local().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(RejectionLog.class)) {
                limited.login("alice");
                rejected(() -> limited.login("alice"));
                for (int i = 0; i < 3; i++) {
                    withoutKey(() -> limited.login(null));
                    withoutKey(() -> limited.place(null));
                }
                String type = Limited.class.getName();
                assertThat(log.all())
                        .as("each a minute, whatever else is rejected")
                        .hasSize(3)
                        .satisfiesOnlyOnce(line -> assertThat(line)
                                .startsWith("INFO @CountLimit for " + type
                                        + ".login(java.lang.String) has rejected a call,")
                                .endsWith("#{user} in the limit key '#{user}' of " + type
                                        + ".login(java.lang.String) is null"))
                        .satisfiesOnlyOnce(line -> assertThat(line)
                                .startsWith("INFO @ConcurrentLimit for " + type + ".place(java.lang.String)")
                                .contains("#{user.trim()} in the limit key 'of-#{user.trim()}' of " + type));
            }
        });
    }

    @Test
    void input_of_a_caller_starts_no_log_line() {
        Contexts.local().withBean(Limited.class).run(context -> {
            Limited limited = context.getBean(Limited.class);
            try (LogLines log = new LogLines(RejectionLog.class)) {
                assertThatExceptionOfType(InvalidLimitArgumentException.class)
                        .isThrownBy(() -> limited.cost("1\nINFO\u0085all\u2028is\u202ewell"));
                assertThat(log.all()).singleElement(as(STRING)).endsWith("was 1?INFO?all?is?well");
            }
        });
    }

    private static void withoutKey(Runnable call) {
        assertThatExceptionOfType(MissingLimitKeyException.class).isThrownBy(call::run);
    }

    private static void rejected(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    @Test
    void after_a_minute_the_next_is_logged_with_the_count_in_between() {
        Decision rejection = decision(false, 5, 0, 0, 1_500_000, 0);
        AtomicLong nanos = new AtomicLong();
        RejectionLog rejections = new RejectionLog("the limit", true, nanos::get);
        try (LogLines log = new LogLines(RejectionLog.class)) {
            for (int i = 0; i < 5; i++) {
                rejections.rejected(rejection);
            }
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            rejections.rejected(rejection);
            assertThat(log.all())
                    .hasSize(2)
                    .last(as(STRING))
                    .isEqualTo("INFO the limit has rejected a call, and 4 before it since the last such line:"
                            + " limit 5, remaining 0, retry after PT1.5S");
        }
    }
}
