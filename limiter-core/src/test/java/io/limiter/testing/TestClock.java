package io.limiter.testing;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A clock that advances when the test says so, and when a thread sleeps on it. Starts at a realistic time. */
public final class TestClock extends Ticker implements Sleeper {

    private static final long START_MICROS = 1_763_650_000_123_456L;

    private final AtomicLong micros = new AtomicLong(START_MICROS);
    private final LongConsumer mirror;

    public TestClock() {
        this(micros -> {});
    }

    /**
     * @param mirror receives the time, in microseconds, at the start and after each change
     */
    public TestClock(LongConsumer mirror) {
        this.mirror = mirror;
        mirror.accept(START_MICROS);
    }

    public long micros() {
        return micros.get();
    }

    public void set(long newMicros) {
        micros.set(newMicros);
        mirror.accept(newMicros);
    }

    /** Moves on, or back if negative. */
    public void advance(Duration duration) {
        mirror.accept(micros.addAndGet(
                ChronoUnit.MICROS.between(java.time.Instant.EPOCH, java.time.Instant.EPOCH.plus(duration))));
    }

    /** Sets the time to so many seconds after the start. */
    public void atSecond(double seconds) {
        set(START_MICROS + Math.round(seconds * 1e6));
    }

    @Override
    public long read() {
        return micros.get() * 1000;
    }

    @Override
    public Ticker ticker() {
        return this;
    }

    /** Returns immediately, at the later time. */
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

    @Override
    public void sleep(long sleepMicros) {
        mirror.accept(micros.addAndGet(sleepMicros));
    }
}
