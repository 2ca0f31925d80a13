package com.google.common.util.concurrent;

import io.limiter.testing.TraceLine;

/** Guava's clock and sleep, without either. */
final class FakeStopwatch extends RateLimiter.SleepingStopwatch {

    private long nowMicros = TraceLine.EPOCH_MICROS;

    @Override
    protected long readMicros() {
        return nowMicros;
    }

    @Override
    protected void sleepMicrosUninterruptibly(long micros) {
        nowMicros += micros;
    }
}
