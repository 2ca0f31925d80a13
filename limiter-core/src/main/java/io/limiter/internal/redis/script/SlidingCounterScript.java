package io.limiter.internal.redis.script;

import io.limiter.algorithm.SlidingCounter;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code sliding_counter.lua}, which updates the state in Redis, and reads that state. The steps are those of {@link SlidingCounter}.
 */
final class SlidingCounterScript extends LimitScript<SlidingCounter, SlidingCounter.State> {

    /** The expiry of the key, which only the script reads. */
    private static final int KEPT_UNTIL_BYTES = 4;

    private static final int PAIR_BYTES = 1 + 4 * Double.BYTES + KEPT_UNTIL_BYTES;
    private static final int OTHER_DOUBLES = 5;

    SlidingCounterScript() {
        super(SlidingCounter.class, LuaScript.resource(SlidingCounterScript.class, "sliding_counter.lua"));
    }

    @Override
    public int maxBytes(SlidingCounter limit) {
        return 2 * Double.BYTES;
    }

    @Override
    public void writeParameters(SlidingCounter limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.limit());
        out.putDouble(limit.periodMicros());
    }

    @Override
    public SlidingCounter.@Nullable State readPacked(
            byte[] value, SlidingCounter limit, long nowMicros, long ttlMillis) {
        boolean hasOther = value.length == PAIR_BYTES + OTHER_DOUBLES * Double.BYTES;
        double[] d = unpack(hasOther ? Arrays.copyOf(value, PAIR_BYTES) : value, 4, 4, KEPT_UNTIL_BYTES);
        if (d == null) {
            return null;
        }
        return new SlidingCounter.State(d[0], d[1], d[2], d[3], hasOther ? other(value) : null);
    }

    private static SlidingCounter.State.OtherWindows other(byte[] value) {
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).position(PAIR_BYTES);
        SlidingCounter.State pair =
                new SlidingCounter.State(in.getDouble(), in.getDouble(), in.getDouble(), in.getDouble());
        return new SlidingCounter.State.OtherWindows(pair, in.getDouble());
    }
}
