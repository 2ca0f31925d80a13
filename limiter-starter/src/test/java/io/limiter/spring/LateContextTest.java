package io.limiter.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.TestRedis;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * What limited methods know of their request after they have waited for a permit: in the method, behind the publisher that they
 * return, and where that is subscribed to. Each time MDC, locale, user, trace, and Reactor's context.
 */
class LateContextTest {

    private static final String HERE = Locale.getDefault().getCountry();
    private static final String NOTHING = "[-, " + HERE + ", -, -, -]";

    @Test
    void calls_on_mvc_have_the_context_of_their_request() throws Exception {
        String all = "[7, CA, bob, trace, -]";
        assertThat(LateContextApplication.servlet(settings())).isEqualTo(expected(all, all));
    }

    @Test
    void calls_on_webflux_have_the_context_that_reactor_passes_on() throws Exception {
        assertThat(LateContextApplication.propagating(settings()))
                .isEqualTo(expected("[7, " + HERE + ", -, trace, -]", "[7, " + HERE + ", -, trace, 7]"));
    }

    @Test
    void publishers_on_webflux_have_the_context_of_reactor() throws Exception {
        assertThat(LateContextApplication.reactive(settings())).isEqualTo(withReactorsContext());
    }

    private static String withReactorsContext() {
        return expected(NOTHING, "[-, " + HERE + ", -, -, 7]");
    }

    /**
     * What all four calls answer.
     *
     * @param called what the method knows, and the subscriber
     * @param subscribed what the publisher knows
     */
    private static String expected(String called, String subscribed) {
        return String.join(
                " ", called + subscribed + called, called + subscribed + called, called + called, called + subscribed);
    }

    private static String[] settings() {
        return new String[] {
            "--spring.data.redis.url=" + TestRedis.shared().uri(),
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--limiter.on-failure=throw",
            "--limiter.failure.decision-timeout=2m"
        };
    }
}
