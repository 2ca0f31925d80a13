package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.check.InternalLimitExceededException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits whose rejections are not the caller's fault, {@code internal}. */
class InternalLimitsTest {

    static class Api {

        @CountLimit(name = "inner", limit = 1, per = "1h")
        public void inner() {}

        @CountLimit(name = "outer", limit = 1, per = "1h")
        public void outer() {}
    }

    @ParameterizedTest
    @CsvSource({
        "unused=x, false, false",
        "limiter.limits.inner.internal=false, false, false",
        "limiter.limits.inner.internal=true, true, false"
    })
    void a_limit_is_internal_by_its_configuration(String setting, boolean inner, boolean outer) {
        Contexts.local().withBean(Api.class).withPropertyValues(setting).run(context -> {
            Api api = context.getBean(Api.class);
            api.inner();
            api.outer();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(api::inner)
                    .satisfies(e -> assertThat(e instanceof InternalLimitExceededException)
                            .isEqualTo(inner));
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(api::outer)
                    .satisfies(e -> assertThat(e instanceof InternalLimitExceededException)
                            .isEqualTo(outer));
        });
    }

    @Test
    void rules_of_requests_cannot_be_internal() {
        Contexts.web()
                .withConfiguration(Contexts.mvc())
                .withPropertyValues(
                        "limiter.http.api.path=/**",
                        "limiter.http.api.limits.one.rate=5",
                        "limiter.http.api.limits.one.internal=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("limiter.http.api.limits.one.internal has no effect"));
    }
}
