package io.limiter.spring.internal.web;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.step.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class QuotaTest {

    private static final Decision GRANTED = decision(true, 5, 3, 0, 0, 11_000_001);
    private static final Quota SOON = quota(decision(false, 9, 1, 0, 2_000_000, 0));
    private static final Quota LATE = quota(decision(false, 7, 2, 0, 9_000_000, 0));

    static Stream<Arguments> policies() {
        return Stream.of(
                Arguments.of(FixedWindow.of(5, Duration.ofMinutes(1)), "\"x\";q=5;w=60"),
                Arguments.of(FixedWindow.of(5, Duration.ofMillis(1)), "\"x\";q=5;w=1"),
                Arguments.of(FixedWindow.of(5, Duration.ofMillis(1001)), "\"x\";q=5;w=2"),
                Arguments.of(SlidingLog.of(5, Duration.ofHours(1)), "\"x\";q=5;w=3600"),
                Arguments.of(SlidingCounter.of(5, Duration.ofDays(1)), "\"x\";q=5;w=86400"),
                Arguments.of(TokenBucket.of(5, 1), "\"x\";q=5;w=1"),
                Arguments.of(TokenBucket.of(50, 0.1), "\"x\";q=5;w=1"),
                Arguments.of(TokenBucket.of(2, 2.5), "\"x\";q=5;w=3"),
                Arguments.of(TokenBucket.perSecond(1).withWarmUp(WarmUp.of(Duration.ofSeconds(7))), "\"x\";q=5;w=7"),
                Arguments.of(LeakyBucket.meter(0.5, 5), "\"x\";q=5;w=10"),
                Arguments.of(ConcurrencyLimit.of(5), "\"x\";q=5;qu=\"concurrent-requests\""));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void a_policy_has_capacity_and_window(AnyLimit limit, String member) {
        assertThat(Quota.of("x", limit, GRANTED).policyMember()).isEqualTo(member);
    }

    static Stream<Arguments> buckets() {
        return Stream.of(
                Arguments.of(TokenBucket.perSecond(11 / 60.0).withCapacity(11), "\"x\";q=11;w=60"),
                Arguments.of(TokenBucket.per(1, Duration.ofSeconds(49)), "\"x\";q=1;w=49"),
                Arguments.of(TokenBucket.perSecond(1).withCapacity(7), "\"x\";q=7;w=7"),
                Arguments.of(TokenBucket.perSecond(10).withCapacity(601), "\"x\";q=601;w=61"),
                Arguments.of(TokenBucket.perSecond(1e6).withCapacity(1_000_001), "\"x\";q=1000001;w=2"),
                Arguments.of(TokenBucket.guava(0.1), "\"x\";q=1;w=10"),
                Arguments.of(TokenBucket.perSecond(1e9), "\"x\";q=1000000000;w=1"));
    }

    @ParameterizedTest
    @MethodSource("buckets")
    void a_window_is_rounded_up_from_microseconds(TokenBucket bucket, String member) {
        assertThat(Quota.of("x", bucket, null).policyMember()).isEqualTo(member);
    }

    @Test
    void a_granted_fixed_window_has_remaining_and_its_end() {
        assertThat(quota(GRANTED).limitMember()).isEqualTo("\"x\";r=3;t=12");
        assertThat(quota(decision(true, 5, 5, 0, 0, 0)).limitMember()).isEqualTo("\"x\";r=5;t=0");
        assertThat(quota(decision(true, 5, 0, 0, 0, Verdict.NEVER_MICROS)).limitMember())
                .isEqualTo("\"x\";r=0");
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1000000, 1", "1000001, 2", "59000001, 60"})
    void a_rejection_has_retry_after(long retryMicros, long seconds) {
        Decision rejected = decision(false, 5, 0, retryMicros, retryMicros, 500_000_000);
        assertThat(quota(rejected).limitMember()).isEqualTo("\"x\";r=0;t=" + seconds);
        assertThat(rejected.retryAfterSeconds()).as("Retry-After").hasValue(seconds);
    }

    @Test
    void the_next_permit_of_a_bucket_that_leaves_some_to_others_is_one_interval_away() {
        TokenBucket bucket = TokenBucket.per(10, Duration.ofHours(1));
        try (LocalLimiterFactory limiters = new LocalLimiterFactory()) {
            RateLimiter limiter = limiters.with(LimiterOptions.NONE.withLeave(Share.parse("20%")))
                    .build("x", bucket);
            Quota first = Quota.of("x", bucket, limiter.decide(3));
            assertThat(first.policyMember()).isEqualTo("\"x\";q=8;w=3600");
            assertThat(first.limitMember()).isEqualTo("\"x\";r=5;t=1800");
            assertThat(Quota.of("x", bucket, limiter.decide(5)).limitMember()).isEqualTo("\"x\";r=0;t=360");
        }
    }

    @Test
    void a_rejection_for_ever_has_no_effective_window() {
        Decision rejected = decision(false, 5, 2, 0, Verdict.NEVER_MICROS, 500_000_000);
        assertThat(quota(rejected).limitMember()).isEqualTo("\"x\";r=2");
    }

    @Test
    void concurrency_limits_have_no_effective_window() {
        ConcurrencyLimit limit = ConcurrencyLimit.of(5);
        assertThat(Quota.of("x", limit, null).policyMember()).isEqualTo("\"x\";q=5;qu=\"concurrent-requests\"");
        assertThat(Quota.of("x", limit, null).limitMember()).isNull();
        assertThat(Quota.of("x", limit, GRANTED).limitMember()).isEqualTo("\"x\";r=3");
    }

    @Test
    void remaining_is_unknown_if_the_failure_policy_granted() {
        assertThat(quota(GRANTED.withSource(Decision.Source.POLICY)).limitMember())
                .isNull();
        Decision rejected = decision(false, 5, 4, 0, 2_000_000, 0, Decision.Source.POLICY);
        assertThat(quota(rejected).limitMember()).isEqualTo("\"x\";r=0;t=2");
    }

    @Test
    void no_window_ends_after_retry_after() {
        assertThat(quota(GRANTED).withoutWindowAfter(11).limitMember()).isEqualTo("\"x\";r=3");
        assertThat(quota(GRANTED).withoutWindowAfter(12).limitMember()).isEqualTo("\"x\";r=3;t=12");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    login     | "login"
                    a"b       | "a\\"b"
                    a\\b      | "a\\\\b"
                    a b;c=d,e | "a b;c=d,e"
                    查        | "%E6%9F%A5"
                    """)
    void names_are_strings_of_structured_fields(String name, String field) {
        assertThat(Quota.fieldString(name)).isEqualTo(field);
        assertThat(Quota.fieldString("a\r\nSet-Cookie: b\u007f")).isEqualTo("\"a%0D%0ASet-Cookie: b%7F\"");
    }

    @Test
    void integers_are_in_the_range_of_structured_fields() {
        Decision huge = decision(true, Long.MAX_VALUE, Long.MAX_VALUE, 0, 0, Long.MAX_VALUE - 1);
        assertThat(quota(huge).policyMember()).isEqualTo("\"x\";q=999999999999999;w=60");
        assertThat(quota(huge).limitMember()).isEqualTo("\"x\";r=999999999999999;t=9223372036855");
    }

    private static Map<String, String> xRateLimit(List<String> rejecting, Quota... quotas) {
        return HeaderSet.X_RATELIMIT.fields(List.of(quotas), rejecting);
    }

    @Test
    void x_ratelimit_headers_show_the_limit_with_the_fewest_permits_remaining() {
        Quota tight = quota(decision(true, 9, 1, 0, 0, 4_000_000));
        assertThat(xRateLimit(List.of(), quota(GRANTED), tight))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("X-RateLimit-Limit", "9", "X-RateLimit-Remaining", "1", "X-RateLimit-Reset", "4"));
    }

    @Test
    void x_ratelimit_headers_of_a_rejection_show_the_limit_that_rejects_for_longest() {
        assertThat(xRateLimit(List.of(), quota(GRANTED), SOON, LATE))
                .containsEntry("X-RateLimit-Limit", "7")
                .containsEntry("X-RateLimit-Reset", "9");
        Quota never = quota(decision(false, 6, 3, 0, Verdict.NEVER_MICROS, 0));
        assertThat(xRateLimit(List.of(), LATE, never))
                .containsEntry("X-RateLimit-Limit", "6")
                .containsEntry("X-RateLimit-Reset", null);
    }

    @Test
    void x_ratelimit_headers_show_the_limit_whose_rejection_the_response_is_for() {
        Quota other = Quota.of("other", FixedWindow.of(5, Duration.ofMinutes(1)), GRANTED);
        assertThat(xRateLimit(List.of("other"), LATE, other))
                .containsEntry("X-RateLimit-Limit", Long.toString(other.capacity()));
    }

    @Test
    void without_a_header_set_or_a_quota_there_are_no_headers() {
        assertThat(HeaderSet.NONE.fields(List.of(LATE), List.of())).isEmpty();
        assertThat(HeaderSet.BOTH.fields(List.of(), List.of())).isEmpty();
    }

    @Test
    void the_page_has_all_headers_and_parameters_and_no_others() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "http.md"));
        List<Quota> quotas = List.of(quota(GRANTED), Quota.of("x", ConcurrencyLimit.of(5), GRANTED));
        Map<String, String> fields = HeaderSet.BOTH.fields(quotas, List.of());
        Set<String> headers = new TreeSet<>(fields.keySet());
        headers.add("Retry-After");
        assertThat(inFirstColumn(page, "header")).isEqualTo(headers);
        Set<String> parameters = new TreeSet<>();
        Pattern.compile(";(\\w+)=")
                .matcher(fields.get("RateLimit-Policy") + fields.get("RateLimit"))
                .results()
                .forEach(match -> parameters.add(match.group(1)));
        // The page documents it with w.
        assertThat(page).contains("`qu=\"concurrent-requests\"`");
        parameters.remove("qu");
        assertThat(inFirstColumn(page, "parameter")).isEqualTo(parameters);
    }

    /** What stands as code in the first column of the table that begins with this word. */
    private static Set<String> inFirstColumn(String page, String word) {
        Set<String> found = new TreeSet<>();
        String table = page.substring(page.indexOf("| " + word + " |"));
        table.lines()
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .forEach(line -> Pattern.compile("`([^`]+)`")
                        .matcher(line.split("\\|")[1])
                        .results()
                        .forEach(match -> found.add(match.group(1))));
        return found;
    }

    private static Quota quota(Decision decision) {
        return Quota.of("x", FixedWindow.of(5, Duration.ofMinutes(1)), decision);
    }
}
