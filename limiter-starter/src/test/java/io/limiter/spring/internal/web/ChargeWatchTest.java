package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.LogLines;
import org.junit.jupiter.api.Test;

class ChargeWatchTest {

    private static final String PROPERTY = "limiter.http.login.charge-on=401";

    @Test
    void a_rule_that_has_charged_none_of_a_hundred_requests_says_so_once() {
        ChargeWatch watch = new ChargeWatch(PROPERTY, status -> status == 401);
        try (LogLines lines = new LogLines(ChargeWatch.class)) {
            for (int i = 0; i < 300; i++) {
                assertThat(watch.test(i == 7 ? 200 : 302)).isFalse();
                // Rejections are no responses of the application.
                assertThat(watch.test(-1)).isFalse();
                assertThat(lines.all()).hasSize(i < 99 ? 0 : 1);
            }
            assertThat(lines.all().get(0))
                    .startsWith("WARN " + PROPERTY + " has charged none of its first 100 requests")
                    .contains("{200=1, 302=99}");
        }
    }

    @Test
    void a_rule_that_charges_is_not_watched_any_more() {
        ChargeWatch watch = new ChargeWatch(PROPERTY, status -> status == 401);
        try (LogLines lines = new LogLines(ChargeWatch.class)) {
            for (int i = 0; i < 300; i++) {
                assertThat(watch.test(i == 99 ? 401 : 302)).isEqualTo(i == 99);
            }
            assertThat(lines.all()).isEmpty();
        }
    }
}
