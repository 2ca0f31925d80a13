package io.limiter.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisFixture;
import io.limiter.redis.RedisRateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first lines that were ever written for this library compile unchanged, and do what they say. */
class FirstLinesTest {

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private RedisRateLimiterFactory factory;

    static class Lines {

        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void minute() {}

        @RateLimit(rate = 1.0 / 5, burst = 5.0, expire = 120, timeout = 0)
        public void expiring() {}

        @RateLimit(key = "#{params.phone}", rate = 1.0 / 60, burst = 60, expire = 120, limitType = LimitType.CUSTOM)
        public void bucketOfPhone(Map<String, String> params) {}

        @CountLimit(key = "#{key}", limit = 2, period = 10, limitType = LimitType.CUSTOM)
        public void counted(String key) {}

        @CountLimit(key = "#{params.phone}", limit = 1, period = 60, limitType = LimitType.CUSTOM)
        public void code(Map<String, String> params) {}
    }

    @BeforeEach
    void build() {
        factory = redis.builder().namespace(redis.prefix().replace(":", "")).build();
    }

    @AfterEach
    void close() {
        factory.close();
    }

    private void run(ContextTest test) {
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Lines.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    test.run(context.getBean(Lines.class));
                });
    }

    private interface ContextTest {
        void run(Lines lines);
    }

    private Map<String, AnyLimit> definitions() {
        return factory.statistics().totals().stream()
                .collect(Collectors.toMap(
                        totals -> totals.name().replaceAll(".*Lines\\.(\\w+)\\(.*", "$1"),
                        totals -> totals.limit().orElseThrow()));
    }

    private static void assertRejected(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }

    @Test
    void a_rate_of_one_in_60_seconds_has_one_permit() {
        run(lines -> {
            lines.minute();
            assertRejected(lines::minute);
            redis.clock().advance(Duration.ofSeconds(59));
            assertRejected(lines::minute);
            redis.clock().advance(Duration.ofSeconds(1));
            lines.minute();
            assertThat(definitions()).containsEntry("minute", TokenBucket.of(1.0 / 60, 60));
        });
    }

    @Test
    void expiry_and_timeout_are_seconds() {
        run(lines -> {
            lines.expiring();
            assertRejected(lines::expiring);
            redis.clock().advance(Duration.ofSeconds(5));
            lines.expiring();
            assertThat(definitions())
                    .containsEntry("expiring", TokenBucket.of(1.0 / 5, 5).withExpire(Duration.ofSeconds(120)));
        });
    }

    @Test
    void a_bucket_of_each_phone() {
        run(lines -> {
            lines.bucketOfPhone(Map.of("phone", "0171"));
            assertRejected(() -> lines.bucketOfPhone(Map.of("phone", "0171")));
            lines.bucketOfPhone(Map.of("phone", "0172"));
            redis.clock().advance(Duration.ofSeconds(60));
            lines.bucketOfPhone(Map.of("phone", "0171"));
        });
    }

    @Test
    void two_in_ten_seconds_for_each_key() {
        run(lines -> {
            lines.counted("a");
            lines.counted("a");
            assertRejected(() -> lines.counted("a"));
            lines.counted("b");
            redis.clock().advance(Duration.ofSeconds(10));
            lines.counted("a");
            assertThat(definitions()).containsEntry("counted", FixedWindow.of(2, Duration.ofSeconds(10)));
        });
    }

    @Test
    void one_code_in_60_seconds_to_each_phone() {
        run(lines -> {
            lines.code(Map.of("phone", "0171"));
            redis.clock().advance(Duration.ofSeconds(59));
            assertRejected(() -> lines.code(Map.of("phone", "0171")));
            lines.code(Map.of("phone", "0172"));
            redis.clock().advance(Duration.ofSeconds(1));
            lines.code(Map.of("phone", "0171"));
        });
    }

    /** As it was written first. */
    static class Program {

        final RedisRateLimiter limiter;

        Program(RedisRateLimiterFactory factory) {
            limiter = factory.build("rate2", 1.0 / 5, 5, 60);
        }
    }

    @ParameterizedTest
    @CsvSource({"limiter.type=local, false", "limiter.enabled=false, true"})
    void the_program_starts_without_redis(String mode, boolean unlimited) {
        Contexts.plain().withPropertyValues(mode).withBean(Program.class).run(context -> {
            assertThat(context).hasNotFailed();
            RedisRateLimiter limiter = context.getBean(Program.class).limiter;
            assertThat(limiter.tryAcquire("key", 0, TimeUnit.SECONDS)).isTrue();
            assertThat(limiter.tryAcquire("key", 0, TimeUnit.SECONDS)).isEqualTo(unlimited);
            assertThat(context.getBean(LimiterFactory.class))
                    .isSameAs(context.getBean(RedisRateLimiterFactory.class))
                    .isNotSameAs(factory);
        });
    }

    @Test
    void a_limiter_in_code() {
        String key = "0171";
        RedisRateLimiter limiter = factory.build("rate2", 1.0 / 5, 5, 60);

        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(limiter.tryAcquire(key, 0, TimeUnit.SECONDS)).isTrue();
        assertThat(limiter.tryAcquire(key, 0, TimeUnit.SECONDS)).isFalse();
        redis.clock().advance(Duration.ofSeconds(5));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire(key, 0, TimeUnit.SECONDS)).isTrue();
        assertThat(factory.build("rate2", 1.0 / 5, 5, 60)).isSameAs(limiter);
    }
}
