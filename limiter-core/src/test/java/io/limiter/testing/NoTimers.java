package io.limiter.testing;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;

/** Time stands still, and no timer fires. Safe for use by multiple threads. */
public final class NoTimers extends Ticker implements Sleeper {

    @Override
    public long read() {
        return 0;
    }

    @Override
    public void sleep(long micros) {
        throw new UnsupportedOperationException("time stands still");
    }

    @Override
    public Runnable later(long micros, Runnable action) {
        return () -> {};
    }

    @Override
    public boolean runsByItself() {
        return false;
    }

    @Override
    public Ticker ticker() {
        return this;
    }
}
