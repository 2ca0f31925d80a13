package io.limiter.internal.time;

import com.google.common.base.Ticker;

/**
 * What the clock of Redis probably shows: the time of its last reply and the time since. Before the first reply it is what the clock of
 * this machine shows. Safe for use by many threads.
 */
public final class ServerTime {

    private final Ticker ticker;

    /** By how much the clock of the server is ahead of the ticker. */
    private volatile long aheadMicros;

    /** @param nowMicros what the clock of this machine shows, in microseconds since the epoch */
    public ServerTime(Ticker ticker, long nowMicros) {
        this.ticker = ticker;
        replied(nowMicros);
    }

    /** By the clock of this machine. */
    public static ServerTime ofThisMachine(Ticker ticker) {
        return new ServerTime(ticker, System.currentTimeMillis() * 1000);
    }

    /** @param nowMicros what the server has just replied, in microseconds since the epoch */
    public void replied(long nowMicros) {
        aheadMicros = nowMicros - Math.floorDiv(ticker.read(), 1000L);
    }

    /** In microseconds since the epoch. */
    public long nowMicros() {
        return aheadMicros + Math.floorDiv(ticker.read(), 1000L);
    }
}
