package io.limiter.redis;

import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.WindowPair;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Java's side of {@code sliding_counter.lua}. */
final class SlidingCounterScript extends ScriptedLimit<SlidingCounter, WindowPair> {

    /** Until when the key is kept, which only the script has to know. */
    private static final int KEPT_UNTIL_BYTES = 4;

    SlidingCounterScript() {
        super(SlidingCounter.class, LuaScript.resource("sliding_counter.lua"));
    }

    @Override
    protected int maxBytes(SlidingCounter limit) {
        return 2 * Double.BYTES;
    }

    @Override
    protected void writeNumbers(SlidingCounter limit, long aboutMicros, ByteBuffer out) {
        out.putDouble(limit.limit());
        out.putDouble(limit.periodMicros());
    }

    @Override
    protected @Nullable WindowPair readPacked(byte[] value, SlidingCounter limit, long nowMicros, long ttlMillis) {
        double[] d = unpack(value, 4, 4, KEPT_UNTIL_BYTES);
        return d == null ? null : new WindowPair(d[0], d[1], d[2], d[3]);
    }
}
