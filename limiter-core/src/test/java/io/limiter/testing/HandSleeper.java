package io.limiter.testing;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/** Timers that the test fires, the earliest first. */
public class HandSleeper implements Sleeper {

    private final List<Timer> timers = new ArrayList<>();
    private final TestClock clock;
    public boolean rejects;

    public HandSleeper(TestClock clock) {
        this.clock = clock;
    }

    private record Timer(long atMicros, Runnable action) {}

    @Override
    public void sleep(long micros) {
        throw new UnsupportedOperationException("no thread sleeps");
    }

    @Override
    public synchronized Runnable later(long micros, Runnable action) {
        if (rejects) {
            throw new RejectedExecutionException("test");
        }
        Timer timer = new Timer(clock.micros() + micros, action);
        timers.add(timer);
        return () -> {
            synchronized (this) {
                timers.remove(timer);
            }
        };
    }

    @Override
    public boolean runsByItself() {
        return false;
    }

    @Override
    public Ticker ticker() {
        return clock;
    }

    public synchronized int pending() {
        return timers.size();
    }

    /** All that are set now, at their time if it is later. */
    public void run() {
        runUntil(Long.MAX_VALUE);
    }

    /** Those whose time has come. */
    public void runDue() {
        runUntil(clock.micros());
    }

    private void runUntil(long lastMicros) {
        List<Timer> due;
        synchronized (this) {
            due = new ArrayList<>(timers);
            due.removeIf(timer -> timer.atMicros() > lastMicros);
            timers.removeAll(due);
        }
        due.sort(Comparator.comparingLong(Timer::atMicros));
        for (Timer timer : due) {
            clock.set(Math.max(clock.micros(), timer.atMicros()));
            timer.action().run();
        }
    }
}
