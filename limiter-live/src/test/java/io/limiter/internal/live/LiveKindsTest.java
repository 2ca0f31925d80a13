package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.reports;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a live limit may change of each kind of limit. */
class LiveKindsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    static Stream<Arguments> kinds() {
        Duration hour = Duration.ofHours(1);
        return Stream.of(
                Arguments.of(
                        FixedWindow.of(5, MINUTE),
                        LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(2).withPeriod(hour),
                        FixedWindow.of(2, hour)),
                Arguments.of(
                        SlidingLog.of(5, MINUTE),
                        LiveSettings.of(LimitKind.SLIDING_LOG).withLimit(2),
                        SlidingLog.of(2, MINUTE)),
                Arguments.of(
                        SlidingCounter.of(5, MINUTE),
                        LiveSettings.of(LimitKind.SLIDING_COUNTER).withPeriod(hour),
                        SlidingCounter.of(5, hour)),
                Arguments.of(
                        LeakyBucket.meter(5, 7),
                        LiveSettings.of(LimitKind.LEAKY_BUCKET).withCapacity(3),
                        LeakyBucket.meter(5, 3)),
                Arguments.of(
                        LeakyBucket.queue(5, 7),
                        LiveSettings.of(LimitKind.LEAKY_QUEUE).withRate(10),
                        LeakyBucket.queue(10, 7)),
                Arguments.of(
                        TokenBucket.perSecond(5),
                        LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(10).withBurst(Duration.ofSeconds(3)),
                        TokenBucket.of(10, 3)));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void all_kinds_change_and_stay_what_they_are(Limit built, LiveSettings settings, Limit changed) {
        LiveInstance factory = FLEET.instance();
        Limiter limiter = factory.build("k", built);
        put(factory, "k", settings);
        assertThat(limiter.limit()).isEqualTo(changed);
    }

    @Test
    void decisions_are_made_under_the_changed_limit() {
        LiveInstance factory = FLEET.instance();
        Limiter limiter = factory.build("k", FixedWindow.of(5, MINUTE));
        put(factory, "k", LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(2));
        assertThat(limiter.tryAcquire("key")).isTrue();
        assertThat(limiter.tryAcquire("key")).isTrue();
        assertThat(limiter.tryAcquire("key")).isFalse();
    }

    @Test
    void leases_are_granted_under_the_changed_limit() {
        LiveInstance factory = FLEET.instance();
        ConcurrencyLimiter limiter = factory.build("k", ConcurrencyLimit.of(5).withLeaseTime(MINUTE));
        put(factory, "k", LiveSettings.of(LimitKind.CONCURRENT).withLimit(1));
        assertThat(limiter.limit()).isEqualTo(ConcurrencyLimit.of(1).withLeaseTime(MINUTE));
        try (Lease lease = limiter.on("key").acquire(1, Duration.ZERO)) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(limiter.on("key").tryAcquire(1, Duration.ZERO)).isEmpty();
        }
    }

    static Stream<Arguments> unfit() {
        return Stream.of(
                unfit(
                        "search",
                        () -> TEN.withRate(1e10),
                        "the live limit of 'search'",
                        "rate (permits per second) must be between 1.1574074074074074E-8 and 1.0E9, was 1.0E10"),
                unfit(
                        "search",
                        () -> TEN.withRate(0.5),
                        "capacity must be at least 1 permit (at 0.5/s a burst of 2.0 s)"),
                unfit(
                        "search",
                        () -> LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(1),
                        "a kind cannot be changed live",
                        "use kind token-bucket"),
                unfit(
                        "search",
                        () -> TEN.withLimit(1),
                        "limit 1 has no effect on kind token-bucket, which has rate, capacity, burst"),
                unfit("search", () -> LiveSettings.NONE, "sets nothing"),
                unfit("unknown", () -> TEN.withRate(-1), "was -1.0"),
                unfit(
                        "unknown",
                        () -> LiveSettings.of(LimitKind.TOKEN_BUCKET).withBurst(Duration.ofDays(200_000)),
                        "burst"),
                unfit("unknown", () -> LiveSettings.of(LimitKind.CONCURRENT).withLimit(0), "was 0"),
                unfit("search", () -> TEN.withCapacity(Double.NaN), "capacity (permits) must be at least 1, was NaN"),
                unfit("search", () -> TEN.withCapacity(0.9), "capacity (permits) must be at least 1, was 0.9"),
                unfit("search", () -> TEN.withCapacity(Double.POSITIVE_INFINITY), "capacity (permits)"),
                unfit("unknown", () -> TEN.withCapacity(Double.NaN), "capacity (permits) must be at least 1, was NaN"),
                unfit("unknown", () -> TEN.withCapacity(-1), "capacity (permits) must be at least 1, was -1.0"),
                unfit("unknown", () -> TEN.withCapacity(Double.POSITIVE_INFINITY), "capacity (permits)"),
                unfit("n".repeat(201), () -> TEN, "name must have 1 to 200 characters, had 201"),
                unfit(" ", () -> TEN, "name must have 1 to 200 characters, had none"));
    }

    private static Arguments unfit(String name, Supplier<LiveSettings> settings, String... message) {
        return Arguments.of(name, settings, message);
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("unfit")
    void settings_that_do_not_fit_are_rejected_and_the_old_ones_stay(
            String name, Supplier<LiveSettings> settings, String[] message) {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.of(100, 1));
        LiveLimit old = put(factory, "search", TEN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, name, settings.get()))
                .satisfies(e -> assertThat(e.getMessage()).contains(message));
        assertThat(live(factory).list()).containsExactly(old);
        assertThat(limiter.getRate()).isEqualTo(10);
        assertThat(live(factory).history()).hasSize(1);
    }

    @Test
    void a_kind_selects_among_limiters_of_one_name() {
        LiveInstance factory = FLEET.instance();
        RateLimiter bucket = factory.build("pay", TokenBucket.perSecond(100));
        Limiter window = factory.build("pay", FixedWindow.of(9, Duration.ofHours(1)));
        put(factory, "pay", TEN);
        assertThat(bucket.getRate()).isEqualTo(10);
        assertThat(window.limit()).isEqualTo(FixedWindow.of(9, Duration.ofHours(1)));
    }

    @Test
    void parameters_without_a_kind_keep_how_many_calls_wait() {
        LiveInstance factory = FLEET.instance();
        RateLimiter queue = factory.build("queue", LeakyBucket.queue(5, 7));
        put(factory, "queue", LiveSettings.NONE.withRate(10.0));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(10, 7));
        live(factory).put("queue", LiveSettings.NONE.withCapacity(3), NOTE, 1);
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(5, 3));
    }

    @Test
    void parameters_without_a_kind_change_what_the_limit_was_defined_as() {
        LiveInstance factory = FLEET.instance();
        TokenBucket patient = TokenBucket.perSecond(5).withCapacity(1).withMaxWait(Duration.ofSeconds(2));
        RateLimiter bucket = factory.build("bucket", patient);
        RateLimiter queue = factory.build("queue", LeakyBucket.queue(1, 3600));
        RateLimiter meter = factory.build("meter", LeakyBucket.meter(5, 7));
        for (String name : List.of("bucket", "queue", "meter")) {
            put(factory, name, LiveSettings.NONE.withRate(10));
        }
        assertThat(bucket.limit()).isEqualTo(patient.withRate(10));
        assertThat(bucket.limit().maxWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(10, 3600));
        assertThat(meter.limit()).isEqualTo(LeakyBucket.meter(10, 7));
        put(factory, "queue", LiveSettings.of(LimitKind.LEAKY_QUEUE).withCapacity(50));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(1, 50));

        reports(factory);
        factory.pollLiveLimits();
        assertThat(reports(factory).get(0).limits())
                .extracting(report -> report.name() + " " + report.settings().kind() + " "
                        + report.settings().capacity())
                .containsExactlyInAnyOrder(
                        "bucket token-bucket 1.0", "queue leaky-queue 50.0", "meter leaky-bucket 7.0");
    }

    @ParameterizedTest
    @CsvSource({"bucket, LEAKY_QUEUE", "bucket, LEAKY_BUCKET", "meter, TOKEN_BUCKET"})
    void a_kind_is_what_the_limit_was_defined_as_whatever_its_parameters(String name, LimitKind other) {
        LiveInstance factory = FLEET.instance();
        factory.build("bucket", TokenBucket.perSecond(5).withCapacity(1).withMaxWait(Duration.ofSeconds(2)));
        factory.build("meter", LeakyBucket.meter(5, 7));
        LiveSettings settings = LiveSettings.of(other);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(
                        factory,
                        name,
                        other == LimitKind.TOKEN_BUCKET ? settings.withCapacity(3) : settings.withLimit(3)))
                .withMessageContaining("use kind " + (name.equals("bucket") ? "token-bucket" : "leaky-bucket"));
    }

    @Test
    void calls_wait_for_every_kind_so_each_can_have_a_live_timeout() {
        LiveInstance factory = FLEET.instance();
        Limiter window = factory.build("calls", FixedWindow.of(5, Duration.ofMinutes(1)));
        LiveSettings settings = LiveSettings.NONE.withTimeout(Duration.ofSeconds(5));
        put(factory, "calls", settings);
        assertThat(live(factory).get("calls").orElseThrow().settings()).isEqualTo(settings);
        assertThat(window.limit()).isEqualTo(FixedWindow.of(5, Duration.ofMinutes(1)));
    }
}
