package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.Decision;
import io.limiter.LimiterBackendException;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.check.RejectionLog;
import io.limiter.testing.TestRedis;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Failure policies of limited methods while Redis is unavailable: nothing listens at its address. */
class FailurePoliciesTest {

    static class Limited {

        @CountLimit(name = "policy-default", limit = 2, per = "1h")
        public void byDefault() {}

        @CountLimit(name = "policy-deny", limit = 2, per = "1h", onFailure = "deny")
        public void failsClosed() {}

        @CountLimit(name = "policy-allow", limit = 2, per = "1h", onFailure = "allow")
        public void allowed() {}

        @CountLimit(name = "policy-throw", limit = 2, per = "1h", onFailure = "throw")
        public void thrown() {}

        @CountLimit(name = "policy-share", limit = 4, per = "1h", onFailure = "local(0.5)")
        public void shared() {}

        @CountLimit(name = "policy-configured", limit = 2, per = "1h", onFailure = "allow")
        public void configured() {}

        @CountLimit(limit = 1, period = 1, name = "policy-tried", onFailure = "throw")
        public String tried() {
            return "done";
        }

        @RateLimit(name = "policy-rate", rate = 1, onFailure = "throw")
        public CompletableFuture<String> triedAsync() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @Test
    void each_limit_has_its_own_failure_policy() {
        Contexts.plain()
                .withConfiguration(Contexts.redis())
                .withBean(Limited.class)
                .withPropertyValues(
                        "spring.data.redis.port=" + TestRedis.closedPort(),
                        "limiter.on-failure=local",
                        "limiter.limits.policy-configured.on-failure=deny",
                        "limiter.limits.policy-tried.enforce=false",
                        "limiter.limits.policy-rate.enforce=false")
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    rejectedAfter(2, limited::byDefault, Decision.Source.LOCAL);
                    rejectedAfter(0, limited::failsClosed, Decision.Source.POLICY);
                    rejectedAfter(2, limited::shared, Decision.Source.LOCAL);
                    rejectedAfter(0, limited::configured, Decision.Source.POLICY);
                    for (int i = 0; i < 5; i++) {
                        limited.allowed();
                    }
                    assertThatExceptionOfType(LimiterBackendException.class).isThrownBy(limited::thrown);
                    try (LogLines log = new LogLines(RejectionLog.class)) {
                        assertThat(limited.tried()).isEqualTo("done");
                        assertThat(limited.triedAsync().join()).isEqualTo("done");
                        assertThat(log.all())
                                .hasSize(2)
                                .allMatch(line -> line.contains("would have rejected") && line.contains("no decision"));
                    }
                });
    }

    private static void rejectedAfter(int granted, Runnable call, Decision.Source source) {
        for (int i = 0; i < granted; i++) {
            call.run();
        }
        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.decision().source()).isEqualTo(source));
    }
}
