package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Rates and capacities of annotations, alone and with configuration. */
class ConfiguredRatesTest {

    static class Limited {

        @RateLimit(name = "minute", key = "#{who}", rate = 1, per = "1m")
        public void minute(String who) {}

        @RateLimit(name = "guava", key = "#{who}", rate = 1.0 / 60, burst = 60)
        public void guava(String who) {}

        @RateLimit(name = "hundred", rate = 600, per = "1m")
        public void hundred() {}

        @RateLimit(name = "day", rate = 100, per = "1d")
        public void day() {}

        @RateLimit(name = "slow", rate = 1.0 / 60)
        public void slow() {}

        @RateLimit(name = "second", rate = 10, per = "1m", burst = 60.0)
        public void second() {}

        @RateLimit(name = "patient", rate = 0.5, timeout = 10)
        public void patient() {}

        @RateLimit(name = "queue", kind = RateLimit.Kind.LEAKY_QUEUE, rate = 1.0 / 60, capacity = 5, timeout = 0)
        public void queue() {}

        @RateLimit(name = "capacity", rate = 3, per = "7s", capacity = 100)
        public void capacity() {}

        @RateLimit(name = "burst", rate = 10, burst = 6)
        public void burst() {}

        @CountLimit(limit = 1, period = 1, name = "count", key = "#{who}")
        public void count(String who) {}

        @ConcurrentLimit(limit = 1, name = "held", key = "#{who}")
        public void held(String who, Runnable work) {
            work.run();
        }
    }

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();

    @Test
    void a_rate_is_per_second_or_per_the_given_period() {
        run(limited -> {
            assertThat(bucket("minute").permitsPerSecond())
                    .isEqualTo(bucket("guava").permitsPerSecond())
                    .isEqualTo(1.0 / 60);
            assertThat(bucket("minute").capacity()).as("at least one permit").isOne();
            assertThat(bucket("guava").burstSeconds()).isEqualTo(60);
            assertThat(bucket("hundred").permitsPerSecond()).isEqualTo(10);
            assertThat(bucket("hundred").capacity()).isEqualTo(600);
        });
    }

    @Test
    void a_bucket_holds_as_many_permits_as_the_number_in_its_rate_and_at_least_one() {
        run(
                limited -> {
                    assertThat(bucket("hundred").capacity()).isEqualTo(600);
                    for (int i = 0; i < 100; i++) {
                        limited.day();
                    }
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::day);
                    limited.slow();
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::slow);
                    assertThat(bucket("slow")).isEqualTo(TokenBucket.perSecond(1.0 / 60));
                    assertThat(bucket("patient").capacity()).isOne();
                    assertThat(bucket("minute")).isEqualTo(TokenBucket.per(100, Duration.ofMinutes(1)));
                    assertThat(bucket("count")).isEqualTo(TokenBucket.perSecond(1.0 / 60));
                },
                "limiter.limits.minute.rate=100",
                "limiter.limits.count.kind=token-bucket",
                "limiter.limits.count.rate=" + 1.0 / 60);
    }

    @Test
    void an_explicit_burst_or_timeout_is_the_callers() {
        run(limited -> {
            assertThat(bucket("second").capacity()).isEqualTo(10);
            assertThat(bucket("second").burstSeconds()).isEqualTo(60);
            limited.queue();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .as("a timeout of 0 does not wait in a queue")
                    .isThrownBy(limited::queue);
        });
    }

    @Test
    void a_capacity_is_in_permits() {
        run(limited -> {
            assertThat(bucket("capacity").capacity()).isEqualTo(100);
            assertThat(bucket("capacity").permitsPerSecond()).isEqualTo(3.0 / 7);
            for (int i = 0; i < 100; i++) {
                limited.capacity();
            }
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(limited::capacity);
        });
    }

    @Test
    void a_key_implies_custom() {
        run(limited -> {
            limited.minute("a");
            limited.minute("b");
            assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> limited.minute("a"));
            limited.count("a");
            limited.count("b");
            limited.held("a", () -> {
                limited.held("b", () -> {});
                assertThatExceptionOfType(RateLimitExceededException.class)
                        .isThrownBy(() -> limited.held("a", () -> {}));
            });
        });
    }

    @Test
    void configuration_overrides_each_by_itself() {
        run(
                limited -> {
                    assertThat(bucket("minute").permitsPerSecond())
                            .as("per is the annotation's")
                            .isEqualTo(5.0 / 60);
                    assertThat(bucket("guava").permitsPerSecond()).isEqualTo(1.0 / 3600);
                    assertThat(bucket("guava").capacity()).isEqualTo(2);
                    assertThat(bucket("capacity").burstSeconds()).isEqualTo(14);
                    assertThat(bucket("burst").capacity()).isEqualTo(7);
                },
                "limiter.limits.minute.rate=5",
                "limiter.limits.guava.rate=1",
                "limiter.limits.guava.per=1h",
                "limiter.limits.guava.capacity=2",
                "limiter.limits.capacity.burst=14",
                "limiter.limits.burst.capacity=7");
    }

    private TokenBucket bucket(String name) {
        return factory.built().stream()
                .filter(built -> built.name().equals(name))
                .map(built -> (TokenBucket) built.limit())
                .findFirst()
                .orElseThrow();
    }

    private void run(Consumer<Limited> test, String... settings) {
        Contexts.plain()
                .withPropertyValues(settings)
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Limited.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    test.accept(context.getBean(Limited.class));
                });
    }
}
