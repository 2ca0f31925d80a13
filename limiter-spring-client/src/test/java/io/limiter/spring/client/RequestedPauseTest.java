package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.limiter.testing.Steps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.http.HttpHeaders;

/** The pauses that responses request by their headers. */
class RequestedPauseTest {

    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00Z");

    private static final RequestedPause DEFAULTS = requestedPause();

    private static RequestedPause requestedPause() {
        Map<String, String> properties = Map.of("maps.limits.second.rate", "1");
        ClientSettings settings = new Binder(new MapConfigurationPropertySource(properties))
                .bind("maps", ClientSettings.class)
                .get();
        return new RequestedPause(settings.pauseStatuses(), settings.pauseHeaders());
    }

    private static Duration of(String... headers) {
        return of(429, headers);
    }

    private static Duration of(int status, String... headers) {
        HttpHeaders all = new HttpHeaders();
        for (String header : headers) {
            int colon = header.indexOf(':');
            all.add(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        return DEFAULTS.of(status, all, NOW);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Retry-After: 30                            | PT30S
            Retry-After: 0                             | PT0S
            Retry-After: 299.997                       | PT4M59.997S
            Retry-After: 2.0                           | PT2S
            Retry-After: 0.0001                        | PT0.001S
            Retry-After: 1m30s                         | PT1M30S
            Retry-After: 2026-11-26T10:00:40Z          | PT40S
            Retry-After: 2026-11-26T12:00:40.5+02:00   | PT40.5S
            retry-after-ms: 1500                       | PT1.5S
            Retry-After-Ms: 0.2                        | PT0.001S
            RateLimit: limit=5, remaining=0, reset=30  | PT30S
            RateLimit: limit=5, remaining=1, reset=30  | PT0S
            RateLimit-Reset: 30                        | PT30S
            X-RateLimit-Reset: 30                      | PT30S
            X-RateLimit-Reset: 1795687230              | PT30S
            X-RateLimit-Reset: 1795687230.123          | PT30.123S
            X-RateLimit-Reset: 1795687230123           | PT30.123S
            X-RateLimit-Reset: 1795687100              | PT0S
            X-RateLimit-Reset-After: 0.25              | PT0.25S
            x-rate-limit-reset: 1795687230             | PT30S
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
            Retry-After: 1.5.0
            Retry-After: .5
            Retry-After: 1e9
            Retry-After: -1.5
            Retry-After: 30 s
            Retry-After-Ms: soon
            X-RateLimit-Reset: later
            RateLimit: limit=5, remaining=0
            RateLimit: limit=5, remaining=none, reset=30
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
    @ValueSource(
            strings = {"RateLimit", "Retry-After", "RateLimit-Policy", "Date", "Retry-After-Ms", "X-RateLimit-Reset"})
    void no_header_however_malformed_is_an_error(String header) {
        Random random = new Random(11);
        String alphabet = "\"\\;,=:?@ \t-rtqwmsh.019aé\u0000";
        for (int i = 0; i < Steps.of(1_000); i++) {
            StringBuilder value = new StringBuilder();
            random.ints(random.nextInt(30), 0, alphabet.length()).forEach(each -> value.append(alphabet.charAt(each)));
            Duration pause =
                    of("RateLimit: \"day\";r=0", "Retry-After: Thu, 26 Nov 2026 10:00:40 GMT", header + ":" + value);
            if (pause.isNegative() || pause.compareTo(RequestedPause.LONGEST) > 0) {
                fail("a pause of %s from %s", pause, value);
            }
        }
    }

    /** Where the status does not say that a limit was exceeded, the header of what remains has to. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            403 | Retry-After: 30       |                             | PT30S
            403 | X-RateLimit-Reset: 30 | X-RateLimit-Remaining: 0    | PT30S
            403 | X-RateLimit-Reset: 30 | X-RateLimit-Remaining: 4999 | PT0S
            403 | X-RateLimit-Reset: 30 |                             | PT0S
            429 | X-RateLimit-Reset: 30 | X-RateLimit-Remaining: 3    | PT0S
            429 | X-RateLimit-Reset: 30 | X-RateLimit-Remaining: 0.0  | PT30S
            429 | X-RateLimit-Reset: 30 | x-ratelimit-remaining: none | PT30S
            429 | X-RateLimit-Reset-After: 30 | X-RateLimit-Remaining: 2 | PT0S
            429 | X-RateLimit-Reset-After: 30 | X-RateLimit-Remaining: 0 | PT30S
            429 | RateLimit-Reset: 30   | RateLimit-Remaining: 0      | PT30S
            429 | RateLimit-Reset: 30   | RateLimit-Remaining: 1      | PT0S
            503 | Retry-After: 30       |                             | PT30S
            503 | X-RateLimit-Reset: 30 |                             | PT0S
            529 | Retry-After: 30       |                             | PT30S
            200 | X-RateLimit-Reset: 30 | X-RateLimit-Remaining: 0    | PT0S
            401 | Retry-After: 30       |                             | PT0S
            500 | Retry-After: 30       |                             | PT0S
            """)
    void a_reset_requests_a_pause_where_nothing_remains(int status, String header, String other, Duration pause) {
        assertThat(other == null ? of(status, header) : of(status, header, other))
                .isEqualTo(pause);
    }

    @Test
    void a_moment_is_by_the_clock_of_the_third_party() {
        assertThat(of("X-RateLimit-Reset: 1795690800", "Date: Thu, 26 Nov 2026 10:59:00 GMT"))
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void other_statuses_and_headers_can_be_set() {
        RequestedPause own = new RequestedPause(Set.of(420), List.of("X-Quota-Reset"));
        HttpHeaders headers = new HttpHeaders();
        headers.add("X-Quota-Reset", "6m0s");
        headers.add("X-Quota-Remaining", "0");
        headers.add("Retry-After", "900");
        assertThat(own.of(420, headers, NOW)).isEqualTo(Duration.ofMinutes(6));
        assertThat(own.of(429, headers, NOW)).isZero();
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
