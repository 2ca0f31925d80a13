package com.google.common.util.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a limiter's users, second by second: the same with Guava's limiter and with ours. */
class GuavaEventsTest {

    private static final TokenBucket FIVE_A_SECOND = TokenBucket.guava(5);
    private static final Duration FOUR_SECONDS = Duration.ofSeconds(4);

    /** Guava cuts the costs of a warm-up, which are seldom whole, to whole microseconds: each of three parts. */
    private static final long CUT_MICROS = 3;

    private static final TokenBucket WARM_UP = TokenBucket.guava(2, FOUR_SECONDS);

    @Test
    void acquire() {
        check(FIVE_A_SECOND, limiter -> limiter.acquireTimes(3), "R0.00, R0.20, R0.20");
    }

    @Test
    void acquireAfterAShortPause() {
        check(
                FIVE_A_SECOND,
                limiter -> {
                    limiter.acquireTimes(1);
                    limiter.sleep(0.2);
                    limiter.acquireTimes(2);
                },
                "R0.00, U0.20, R0.00, R0.20");
    }

    @Test
    void acquireAfterALongerPause() {
        check(
                FIVE_A_SECOND,
                limiter -> {
                    limiter.acquireTimes(1);
                    limiter.sleep(0.4);
                    limiter.acquireTimes(3);
                },
                "R0.00, U0.40, R0.00, R0.00, R0.20");
    }

    @Test
    void acquireManyPermits() {
        check(
                FIVE_A_SECOND,
                limiter -> {
                    limiter.acquireTimes(1);
                    limiter.acquire(1, 3, 1, 1);
                },
                "R0.00, R0.20, R0.20, R0.60, R0.20");
    }

    @Test
    void aBurstIsWhatOneSecondStores() {
        check(
                FIVE_A_SECOND,
                limiter -> {
                    limiter.acquire(1);
                    limiter.sleep(10);
                    limiter.acquire(1, 1, 3, 1, 1);
                    limiter.sleep(3);
                    limiter.acquire(6, 1);
                },
                "R0.00, U10.00, R0.00, R0.00, R0.00, R0.00, R0.20, U3.00, R0.00, R0.20");
    }

    @Test
    void tryAcquireWithoutPatience() {
        check(FIVE_A_SECOND, limiter -> {
            limiter.ask(1, 0);
            limiter.ask(1, 0);
            limiter.ask(1, 0.199999);
            limiter.sleep(0.199999);
            limiter.ask(1, 0);
            limiter.sleep(0.000001);
            limiter.ask(1, 0);
        });
    }

    @Test
    void tryAcquireWithPatience() {
        check(FIVE_A_SECOND, limiter -> {
            limiter.ask(5, 0);
            limiter.ask(1, 0.5);
            limiter.ask(1, 1);
            limiter.ask(100, 0.2);
            limiter.ask(1, 19.999999);
            limiter.ask(1, 20);
        });
    }

    @Test
    void theRateChangesWithTheNextPayment() {
        check(
                TokenBucket.guava(1),
                limiter -> {
                    limiter.acquire(1, 1);
                    limiter.setRate(2);
                    limiter.acquire(1, 2, 4, 8, 1);
                },
                "R0.00, R1.00, R1.00, R0.50, R1.00, R2.00, R4.00");
    }

    @Test
    void theRateChangesWithPermitsStored() {
        check(FIVE_A_SECOND, limiter -> {
            limiter.acquire(1);
            limiter.sleep(0.7);
            limiter.setRate(20);
            limiter.acquireTimes(20);
            limiter.sleep(30);
            limiter.setRate(0.5);
            limiter.acquireTimes(5);
        });
    }

    @Test
    void warmingUpAndCoolingDown() {
        check(
                WARM_UP,
                limiter -> {
                    limiter.acquireTimes(8);
                    limiter.sleep(0.5);
                    limiter.sleep(4);
                    limiter.acquireTimes(8);
                    limiter.sleep(0.5);
                    limiter.sleep(2);
                    limiter.acquireTimes(8);
                },
                "R0.00, R1.38, R1.13, R0.88, R0.63, R0.50, R0.50, R0.50, U0.50, U4.00, "
                        + "R0.00, R1.38, R1.13, R0.88, R0.63, R0.50, R0.50, R0.50, U0.50, U2.00, "
                        + "R0.00, R0.50, R0.50, R0.50, R0.50, R0.50, R0.50, R0.50");
    }

    @Test
    void warmingUpWithAColdFactorOfTen() {
        check(TokenBucket.perSecond(5).withWarmUp(new WarmUp(FOUR_SECONDS, 10)), limiter -> {
            limiter.acquireTimes(10);
            limiter.sleep(0.5);
            limiter.sleep(4);
            limiter.acquireTimes(10);
            limiter.sleep(0.5);
            limiter.sleep(2);
            limiter.acquireTimes(10);
        });
    }

    @Test
    void aRateChangesWhileWarmingUp() {
        check(WARM_UP, limiter -> {
            limiter.acquireTimes(8);
            limiter.sleep(4.5);
            limiter.acquireTimes(3);
            limiter.setRate(4);
            limiter.acquireTimes(6);
            limiter.sleep(4.25);
            limiter.acquireTimes(11);
        });
    }

    @Test
    void aRateChangesWhileWarmingUpWithAColdFactorOfTen() {
        check(TokenBucket.perSecond(5).withWarmUp(new WarmUp(FOUR_SECONDS, 10)), limiter -> {
            limiter.acquireTimes(8);
            limiter.sleep(4.2);
            limiter.acquireTimes(3);
            limiter.setRate(10);
            limiter.acquireTimes(7);
            limiter.sleep(4.1);
            limiter.acquireTimes(11);
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.5, 2, 3, 5, 10})
    void fromAnIdleStartAWarmUpTakesItsPeriod(double coldFactor) {
        check(TokenBucket.perSecond(10).withWarmUp(new WarmUp(Duration.ofSeconds(2), coldFactor)), limiter -> {
            limiter.acquire(1);
            limiter.sleep(1000);
            limiter.acquireTimes(30);
            limiter.sleep(0.55);
            limiter.acquireTimes(5);
        });
    }

    private static void check(TokenBucket bucket, Consumer<EventRecorder> script, String sleeps) {
        check(bucket, script);
        EventRecorder ours = EventRecorder.ours(bucket);
        script.accept(ours);
        assertThat(ours.sleeps()).isEqualTo(sleeps);
    }

    private static void check(TokenBucket bucket, Consumer<EventRecorder> script) {
        EventRecorder guava = EventRecorder.guava(bucket);
        EventRecorder ours = EventRecorder.ours(bucket);
        script.accept(guava);
        script.accept(ours);
        long tolerance = bucket.warmUp() == null ? 0 : CUT_MICROS;
        assertThat(ours.events())
                .usingElementComparator((event, other) -> event.isAlmost(other, tolerance) ? 0 : 1)
                .containsExactlyElementsOf(guava.events());
    }
}
