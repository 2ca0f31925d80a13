package io.limiter.test;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time of a {@link TestLimiterFactory}, which stands still until a test moves it.
 *
 * <p>A call that waits for permits advances it by its wait and returns immediately. Safe for use by many threads.
 */
public final class TestClock {

    private static final Instant DEFAULT_START = Instant.parse("2030-01-01T00:00:00Z");

    private final AtomicLong micros;
    private final Sleeper sleeper = new MovingSleeper();

    /** Starts at 2030-01-01T00:00:00Z. */
    public TestClock() {
        this(DEFAULT_START);
    }

    /**
     * @param start the first time, in whole microseconds, for limits whose windows are aligned to the calendar
     */
    public TestClock(Instant start) {
        this.micros = new AtomicLong(ChronoUnit.MICROS.between(Instant.EPOCH, Objects.requireNonNull(start, "start")));
    }

    /** The time it shows. */
    public Instant instant() {
        return Instant.EPOCH.plus(micros.get(), ChronoUnit.MICROS);
    }

    /**
     * Advances the clock.
     *
     * @param duration how far, rounded down to whole microseconds, not negative
     * @throws IllegalArgumentException if the duration is negative, because limits never see time go back
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative, was " + duration);
        }
        micros.addAndGet(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(duration)));
    }

    Sleeper sleeper() {
        return sleeper;
    }

    long micros() {
        return micros.get();
    }

    /** Moves the clock instead of waiting. */
    private final class MovingSleeper extends Ticker implements Sleeper {

        @Override
        public long read() {
            return micros.get() * 1000;
        }

        @Override
        public Ticker ticker() {
            return this;
        }

        @Override
        public void sleep(long sleepMicros) {
            micros.addAndGet(sleepMicros);
        }

        @Override
        public Runnable later(long laterMicros, Runnable action) {
            sleep(laterMicros);
            action.run();
            return () -> {};
        }

        @Override
        public boolean runsByItself() {
            return false;
        }
    }
}
