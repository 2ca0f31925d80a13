package com.google.common.util.concurrent;

import io.limiter.testing.Seed;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

/** Random calls of Guava's own limiter and of ours, with the same answers. */
class GuavaDifferentialTest {

    private static final double[] WHOLE_RATES = {
        1, 2, 4, 5, 8, 10, 20, 50, 64, 100, 125, 400, 1000, 2500, 10_000, 62_500, 100_000, 250_000, 1_000_000
    };
    private static final int LIMITERS = 300;
    private static final int STEPS = 100;

    private final Random random = Seed.random();

    @Test
    void a_bursty_limiter_answers_as_guavas() {
        for (int i = 0; i < LIMITERS; i++) {
            takeSteps(Lockstep.bursty(anyRate()), this::anyRate);
        }
    }

    /** Never realigned: Guava still cuts wherever its own sum of fractions falls just short of a whole number. */
    @Test
    void a_bursty_limiter_of_whole_intervals_answers_as_guavas() {
        for (int i = 0; i < LIMITERS; i++) {
            takeSteps(Lockstep.burstyNeverRealigned(wholeIntervalRate()), this::wholeIntervalRate);
        }
    }

    @Test
    void a_bursty_limiter_called_at_whole_intervals_answers_as_guavas_to_the_microsecond() {
        for (int i = 0; i < LIMITERS; i++) {
            Lockstep limiters = Lockstep.burstyToTheMicrosecond(WHOLE_RATES[random.nextInt(WHOLE_RATES.length)]);
            limiters.tryAcquire(anyPermits(), 0);
            for (int j = 0; j < STEPS; j++) {
                takeStep(limiters, anyPermits() * Math.round(limiters.intervalMicros()));
            }
        }
    }

    @Test
    void a_warming_up_limiter_answers_as_guavas() {
        for (int i = 0; i < LIMITERS; i++) {
            double rate = anyRate();
            Duration period = Duration.of(1 + (long) (random.nextDouble() * 50e6 / rate), ChronoUnit.MICROS);
            takeSteps(Lockstep.warmingUp(rate, period, 1.5 + 8.5 * random.nextDouble()), this::anyRate);
        }
    }

    /** Guava's limiter begins and changes its rate immediately, but ours with the next call, so a call follows immediately. */
    private void takeSteps(Lockstep limiters, DoubleSupplier rates) {
        limiters.tryAcquire(anyPermits(), 0);
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(10) == 0) {
                limiters.setRate(rates.getAsDouble());
                limiters.tryAcquire(anyPermits(), 0);
            }
            takeStep(limiters, (long) (random.nextDouble() * limiters.intervalMicros() * anyPermits()));
        }
    }

    private void takeStep(Lockstep limiters, long micros) {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> limiters.idle(micros);
            case 3, 4 -> limiters.acquire(anyPermits());
            default -> limiters.tryAcquire(anyPermits(), random.nextBoolean() ? 0 : micros);
        }
    }

    private double anyRate() {
        return Math.pow(10, -3 + 9 * random.nextDouble());
    }

    private double wholeIntervalRate() {
        return 1e6 / Math.rint(Math.pow(10, 9 * random.nextDouble()));
    }

    private int anyPermits() {
        return random.nextBoolean() ? 1 + random.nextInt(3) : 1 + random.nextInt(1000);
    }
}
