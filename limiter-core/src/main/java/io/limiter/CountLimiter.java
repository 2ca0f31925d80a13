package io.limiter;

import io.limiter.algorithm.FixedWindow;

/**
 * Counts permits in windows: at most {@code limit} in a {@code period} that starts with its first request. Never waits;
 * see {@link FixedWindow} for what it guarantees, and {@link RateLimiter} for a limit without an edge between windows.
 */
public interface CountLimiter extends Limiter {

    @Override
    FixedWindow limit();
}
