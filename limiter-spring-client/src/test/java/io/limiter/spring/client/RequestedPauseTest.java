package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

/** The pauses that responses request by their headers. */
class RequestedPauseTest {

    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");

    private static Duration of(String... headers) {
        HttpHeaders all = new HttpHeaders();
        for (String header : headers) {
            int colon = header.indexOf(':');
            all.add(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        return RequestedPause.of(all, NOW);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Retry-After: 30                            | PT30S
            Retry-After: 0                             | PT0S
            Retry-After: Thu, 26 Nov 2026 10:00:40 GMT | PT40S
            Retry-After: Thursday, 26-Nov-26 10:00:40 GMT | PT40S
            Retry-After: Thu Nov 26 10:00:40 2026      | PT40S
            Retry-After: Thu, 26 Nov 2026 09:59:00 GMT | PT0S
            RateLimit: "day";r=0;t=20                  | PT20S
            RateLimit: "day"; r=0 ; t=20               | PT20S
            RateLimit: "day";r=1;t=20                  | PT0S
            RateLimit: day;r=0;t=20                    | PT20S
            RateLimit: "a,b;r=5";r=0;t=20              | PT20S
            RateLimit: "x;t=1";r=0;t=20                | PT20S
            RateLimit: "a\\";r=5;t=1";r=0;t=20         | PT20S
            RateLimit: "a";r=0;pk=:cj0xO3Q9MQ==:;t=20  | PT20S
            RateLimit: "a";pk="r=1,r=2";r=0;t=20       | PT20S
            RateLimit: "a";r=5;r=0;t=1;t=20            | PT20S
            RateLimit: "a";r=0;t=20,                   | PT20S
            RateLimit: "second";r=0;t=1, "day";r=0;t=90, "month";r=5;t=900 | PT1M30S
            """)
    void a_header_requests_a_pause(String header, Duration pause) {
        assertThat(of(header)).isEqualTo(pause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Retry-After: soon
            Retry-After: -5
            Retry-After: 1.5
            Retry-After: ٣٠
            Retry-After:
            Retry-After: Thu, 99 Nov 2026 10:00:40 GMT
            RateLimit: 0
            RateLimit: "day";r=0
            RateLimit: "day";r=0;t=later
            RateLimit: ;;;,,,=r=0;t
            RateLimit: "day
            RateLimit: "day;r=0;t=5
            RateLimit: "day";r=0;t=-5
            RateLimit: "day";r=-1;t=5
            RateLimit: "day";r=0.0;t=5
            RateLimit: "day";r;t=5
            RateLimit: "day";r=?0;t=5
            Retry-After: 30, 60
            Retry-After: 0x1e
            Retry-After: +30
            """)
    void a_header_that_cannot_be_read_requests_none(String header) {
        assertThat(of(header)).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Retry-After: 999999999999999999999999999999
            Retry-After: 999999999999999
            Retry-After: Fri, 31 Dec 9999 23:59:59 GMT
            RateLimit: "day";r=0;t=999999999999999
            """)
    void no_pause_is_longer_than_can_be_counted(String header) {
        assertThat(of(header)).isEqualTo(RequestedPause.LONGEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RateLimit", "Retry-After", "RateLimit-Policy", "Date"})
    void no_header_however_malformed_is_an_error(String header) {
        Random random = new Random(11);
        String alphabet = "\"\\;,=:?@ \t-rtqw019aé\u0000";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder value = new StringBuilder();
            random.ints(random.nextInt(30), 0, alphabet.length()).forEach(each -> value.append(alphabet.charAt(each)));
            Duration pause =
                    of("RateLimit: \"day\";r=0", "Retry-After: Thu, 26 Nov 2026 10:00:40 GMT", header + ":" + value);
            if (pause.isNegative() || pause.compareTo(RequestedPause.LONGEST) > 0) {
                fail("a pause of %s from %s", pause, value);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"30, 20, PT30S", "30, 40, PT40S"})
    void of_two_headers_the_longer_pause_counts(int retryAfter, int reset, Duration pause) {
        assertThat(of("Retry-After: " + retryAfter, "RateLimit: \"day\";r=0;t=" + reset))
                .isEqualTo(pause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            RateLimit-Policy: "day";q=100;w=60, "other";q=5;w=600 | PT1M
            RateLimit-Policy: "other";q=5;w=600                   | PT0S
            RateLimit-Policy: "a;b,c";q=1;w=5, "day";q=1;w=60     | PT1M
            """)
    void without_a_reset_the_window_of_the_policy_counts(String policy, Duration pause) {
        assertThat(of(policy, "RateLimit: \"day\";r=0")).isEqualTo(pause);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Thu, 26 Nov 2026 11:59:00 GMT | PT1M
            yesterday                     | PT2H
            """)
    void a_date_is_by_the_clock_of_the_third_party(String sent, Duration pause) {
        assertThat(of("Retry-After: Thu, 26 Nov 2026 12:00:00 GMT", "Date: " + sent))
                .isEqualTo(pause);
    }
}
