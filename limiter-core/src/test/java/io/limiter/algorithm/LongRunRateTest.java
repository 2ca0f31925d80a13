package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.limiter.testing.Timeline;
import io.limiter.testing.TraceLine;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Over a long time, the granted rate is the configured one for every kind of caller. */
class LongRunRateTest {

    private static final Duration LONG = Duration.ofDays(1000);
    private static final int CALLS = 60_000;

    static double[] rates() {
        return new double[] {0.001, 0.01, 0.1, 1 / 3.0, 1, 3, 7, 10, 99.9, 1000, 12_345.678, 100_000, 700_000, 1_000_000
        };
    }

    @ParameterizedTest
    @MethodSource("rates")
    void callerWaitsOneCallerAtATime(double rate) {
        Admissions admissions = new Admissions(ownCost(rate, 5));
        admissions.acquireAndWait(1);
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void callerWaitsManyCallersAtOnce(double rate) {
        Admissions admissions = new Admissions(ownCost(rate, 5));
        admissions.acquireAllAtOnce();
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void callerWaitsOneCallerThatRetriesAtRetryAfter(double rate) {
        Admissions admissions = new Admissions(ownCost(rate, 2));
        admissions.retryAtRetryAfter();
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void callerWaitsPolled(double rate) {
        for (double intervals : new double[] {0.7, 0.999, 1.3, 29.7}) {
            Poll poll = Poll.every(intervals, rate);
            Admissions admissions = new Admissions(ownCost(rate, poll.roomyBurst(rate)));
            admissions.poll(poll, 0);
            admissions.checkRate();
        }
    }

    /** A bucket of one permit cannot store what accrues until the next poll; a timeout makes up for it. */
    @ParameterizedTest
    @MethodSource("rates")
    void callerWaitsASinglePermitPolledWithATimeout(double rate) {
        Poll poll = Poll.every(0.999, rate);
        if (poll.permits() == 1) {
            Admissions admissions = new Admissions(ownCost(rate, 1));
            admissions.poll(poll, (long) Math.ceil(1e6 / rate));
            admissions.checkRate();
        }
    }

    @ParameterizedTest
    @MethodSource("rates")
    void nextCallerWaitsOneCallerAtATime(double rate) {
        Admissions admissions = new Admissions(TokenBucket.guava(rate).withMaxWait(LONG));
        admissions.acquireAndWait(1);
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void nextCallerWaitsManyCallersAtOnce(double rate) {
        Admissions admissions = new Admissions(TokenBucket.guava(rate).withMaxWait(LONG));
        admissions.acquireAllAtOnce();
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void nextCallerWaitsOneCallerThatRetriesAtRetryAfter(double rate) {
        Admissions admissions = new Admissions(TokenBucket.guava(rate).withMaxWait(LONG));
        admissions.retryAtRetryAfter();
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void nextCallerWaitsPolled(double rate) {
        for (double intervals : new double[] {0.7, 0.999, 1.3, 29.7}) {
            Poll poll = Poll.every(intervals, rate);
            Admissions admissions =
                    new Admissions(ownCost(rate, poll.roomyBurst(rate)).withWhoWaits(WhoWaits.NEXT_CALLER));
            admissions.poll(poll, 0);
            admissions.checkRate();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 3, 99.9, 1000, 700_000})
    void guavasOwnBurstOfOneSecondPolled(double rate) {
        Poll poll = new Poll(999_000, (int) Math.ceil(rate));
        Admissions admissions = new Admissions(TokenBucket.guava(rate).withMaxWait(LONG));
        admissions.poll(poll, 0);
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void warmedUpOneCallerAtATime(double rate) {
        Admissions admissions = new Admissions(warmUp(rate));
        admissions.acquireAndWait(1);
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void warmedUpManyCallersAtOnce(double rate) {
        Admissions admissions = new Admissions(warmUp(rate));
        admissions.acquireAllAtOnce();
        admissions.checkRate();
    }

    @ParameterizedTest
    @MethodSource("rates")
    void warmedUpOneCallerThatRetriesAtRetryAfter(double rate) {
        Admissions admissions = new Admissions(warmUp(rate));
        admissions.retryAtRetryAfter();
        admissions.checkRate();
    }

    /** With a timeout: without a queue, each pause cools the bucket down, and the stored permits cost time. */
    @ParameterizedTest
    @MethodSource("rates")
    void warmedUpPolledWithATimeout(double rate) {
        for (double intervals : new double[] {0.7, 0.999, 1.3}) {
            Poll poll = Poll.every(intervals, rate);
            Admissions admissions = new Admissions(warmUp(rate));
            admissions.poll(poll, 3 * poll.periodMicros() + (long) (3e6 / rate));
            admissions.checkRate();
        }
    }

    private static TokenBucket ownCost(double rate, double burstPermits) {
        return TokenBucket.of(rate, burstPermits / rate).withMaxWait(LONG);
    }

    private static TokenBucket warmUp(double rate) {
        Duration period = Duration.of((long) (20e6 / rate), ChronoUnit.MICROS);
        return TokenBucket.guava(rate, period).withMaxWait(LONG);
    }

    /** A caller at even times, with a demand above the rate. */
    private record Poll(long periodMicros, int permits) {

        static Poll every(double intervals, double rate) {
            long period = Math.round(Math.max(intervals * 1e6 / rate, 10 * intervals));
            return new Poll(period, (int) Math.ceil(rate * period / 1e6 + 1e-9));
        }

        double roomyBurst(double rate) {
            return permits + rate * periodMicros / 1e6 + 1;
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

        void acquireAndWait(int permits) {
            while (calls < CALLS) {
                now += ask(permits, limit.maxWaitMicros()).waitMicros();
            }
        }

        void retryAtRetryAfter() {
            while (calls < CALLS) {
                now += ask(1, 0).retryAfterMicros();
            }
        }

        void acquireAllAtOnce() {
            while (calls < CALLS) {
                for (int i = 0; i < 100; i++) {
                    ask(1 + i % 3, limit.maxWaitMicros());
                }
                now += (lastDue - now) / 2;
            }
        }

        void poll(Poll poll, long timeoutMicros) {
            while (calls < CALLS) {
                ask(poll.permits, timeoutMicros);
                now += poll.periodMicros;
            }
        }

        private Decision ask(int permits, long timeoutMicros) {
            Decision decision = bucket.ask(now, permits, timeoutMicros);
            calls++;
            if (decision.granted()) {
                admit(permits, now + decision.waitMicros());
            }
            return decision;
        }

        private void admit(int permits, long due) {
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
