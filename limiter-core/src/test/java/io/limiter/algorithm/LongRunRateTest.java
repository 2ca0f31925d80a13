package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.Verdict;
import io.limiter.testing.Steps;
import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Over a long time, the granted rate is the refill rate for every kind of bucket and of caller. */
class LongRunRateTest {

    private static final Duration LONG = Duration.ofDays(1000);
    private static final long ANY_TIMEOUT = Ranges.micros(LONG);
    private static final int CALLS = Steps.of(30_000);

    private enum Kind {
        CALLER_WAITS,
        NEXT_CALLER_WAITS,
        WARM_UP;

        TokenBucket bucket(double rate) {
            return switch (this) {
                case CALLER_WAITS -> bucketOf(5, rate);
                case NEXT_CALLER_WAITS -> TokenBucket.guava(rate).withMaxWait(LONG);
                case WARM_UP ->
                    TokenBucket.guava(rate, Duration.of((long) (20e6 / rate), ChronoUnit.MICROS))
                            .withMaxWait(LONG);
            };
        }
    }

    private static TokenBucket bucketOf(double capacity, double rate) {
        return TokenBucket.of(rate, capacity / rate).withMaxWait(LONG);
    }

    static DoubleStream rates() {
        return DoubleStream.of(
                0.001, 0.01, 0.1, 1 / 3.0, 1, 3, 7, 10, 99.9, 1000, 12_345.678, 100_000, 700_000, 1_000_000);
    }

    static Stream<Arguments> kindsAndRates() {
        return Arrays.stream(Kind.values()).flatMap(kind -> rates().mapToObj(rate -> Arguments.of(kind, rate)));
    }

    @ParameterizedTest
    @MethodSource("kindsAndRates")
    void one_caller_at_a_time(Kind kind, double rate) {
        check(
                kind.bucket(rate),
                caller -> caller.pause(caller.take(1, ANY_TIMEOUT).waitMicros()));
    }

    @ParameterizedTest
    @MethodSource("kindsAndRates")
    void many_callers_at_once(Kind kind, double rate) {
        check(kind.bucket(rate), callers -> {
            for (int i = 0; i < 100; i++) {
                callers.take(1 + i % 3, ANY_TIMEOUT);
            }
            callers.pause((callers.lastDue - callers.now) / 2);
        });
    }

    @ParameterizedTest
    @MethodSource("kindsAndRates")
    void a_caller_that_retries_at_retry_after(Kind kind, double rate) {
        check(kind.bucket(rate), caller -> caller.pause(caller.take(1, 0).retryAfterMicros()));
    }

    @ParameterizedTest
    @MethodSource("rates")
    void a_caller_that_polls(double rate) {
        for (WhoWaits whoWaits : WhoWaits.values()) {
            for (double intervals : new double[] {0.7, 0.999, 1.3, 29.7}) {
                Poll poll = Poll.every(intervals, rate);
                TokenBucket roomy = bucketOf(poll.permits + rate * poll.periodMicros / 1e6 + 1, rate);
                check(roomy.withWhoWaits(whoWaits), caller -> caller.poll(poll, 0));
            }
        }
    }

    /** A bucket of one permit cannot store what is refilled until the next poll; a timeout makes up for it. */
    @ParameterizedTest
    @MethodSource("rates")
    void a_caller_that_polls_a_single_permit_with_a_timeout(double rate) {
        Poll poll = Poll.every(0.999, rate);
        if (poll.permits == 1) {
            check(bucketOf(1, rate), caller -> caller.poll(poll, (long) Math.ceil(1e6 / rate)));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 3, 99.9, 1000, 700_000})
    void a_caller_that_polls_guavas_burst_of_one_second(double rate) {
        Poll poll = new Poll(999_000, (int) Math.ceil(rate));
        check(Kind.NEXT_CALLER_WAITS.bucket(rate), caller -> caller.poll(poll, 0));
    }

    /** With a timeout: without a queue, each pause cools the bucket down, and the stored permits cost time. */
    @ParameterizedTest
    @MethodSource("rates")
    void a_caller_that_polls_a_warm_up_with_a_timeout(double rate) {
        for (double intervals : new double[] {0.7, 0.999, 1.3}) {
            Poll poll = Poll.every(intervals, rate);
            check(Kind.WARM_UP.bucket(rate), caller -> caller.poll(poll, 3 * poll.periodMicros + (long) (3e6 / rate)));
        }
    }

    private static void check(TokenBucket bucket, Consumer<Admissions> callers) {
        Admissions admissions = new Admissions(bucket);
        while (admissions.calls < CALLS) {
            callers.accept(admissions);
        }
        admissions.checkRate();
    }

    /** A caller at even times, with a demand above the rate. */
    private record Poll(long periodMicros, long permits) {

        static Poll every(double intervals, double rate) {
            long period = Math.round(Math.max(intervals * 1e6 / rate, 10 * intervals));
            return new Poll(period, (int) Math.ceil(rate * period / 1e6 + 1e-9));
        }
    }

    /** Counts permits when they come due. */
    private static final class Admissions {

        private static final long START = TraceLine.EPOCH_MICROS;

        private final TokenBucket limit;
        private final Timeline<RedisPermits> bucket;
        private long now = START;
        private int calls;
        private double admitted;
        private double admittedBeforeMeasuring;
        private long measuredFrom;
        private long lastDue;

        Admissions(TokenBucket limit) {
            this.limit = limit;
            this.bucket = new Timeline<>(limit);
        }

        void poll(Poll poll, long timeoutMicros) {
            take(poll.permits, timeoutMicros);
            pause(poll.periodMicros);
        }

        void pause(long micros) {
            now += micros;
        }

        Verdict take(long permits, long timeoutMicros) {
            Verdict decision = bucket.take(now, permits, timeoutMicros);
            calls++;
            if (decision.isGranted()) {
                admit(permits, now + decision.waitMicros());
            }
            return decision;
        }

        private void admit(long permits, long due) {
            admitted += permits;
            lastDue = due;
            if (limit.whoWaits() == WhoWaits.CALLER) {
                checkNeverTooMany();
            }
            if (measuredFrom == 0 && calls > CALLS / 10) {
                measuredFrom = due;
                admittedBeforeMeasuring = admitted;
            }
        }

        private void checkNeverTooMany() {
            double most = limit.maxPermits() + limit.permitsPerSecond() * (lastDue - START) / 1e6;
            if (admitted > most + 1e-9 + 1e-14 * most) {
                assertThat(admitted).as("permits due by " + lastDue).isLessThanOrEqualTo(most);
            }
        }

        void checkRate() {
            double rate = (admitted - admittedBeforeMeasuring) * 1e6 / (lastDue - measuredFrom);
            assertThat(rate).isCloseTo(limit.permitsPerSecond(), withinPercentage(0.01));
        }
    }
}
