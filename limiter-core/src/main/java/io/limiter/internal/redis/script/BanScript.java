package io.limiter.internal.redis.script;

import io.limiter.algorithm.Ban;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code ban.lua}, which updates the state in Redis, and reads that state. The steps are those of {@link Ban}.
 */
final class BanScript extends LimitScript<Ban, Ban.State> {

    private static final int FIRST_BYTE = 5;
    private static final int TIMES_AT = 1 + 2 * Double.BYTES;

    BanScript() {
        super(Ban.class, LuaScript.resource(BanScript.class, "ban.lua"));
    }

    @Override
    public int maxBytes(Ban limit) {
        return 4 * Double.BYTES;
    }

    @Override
    public void writeParameters(Ban limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.after());
        out.putDouble(limit.withinMicros());
        out.putDouble(limit.lastingMicros());
        out.putDouble(limit.atMostMicros());
    }

    @Override
    public Ban.@Nullable State readPacked(byte[] value, Ban limit, long nowMicros, long ttlMillis) {
        if (value[0] != FIRST_BYTE || value.length < TIMES_AT || value.length % Double.BYTES != 1) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN).position(1);
        double until = in.getDouble();
        double length = in.getDouble();
        List<Double> times = new ArrayList<>();
        while (in.hasRemaining()) {
            times.add(in.getDouble());
        }
        return new Ban.State(until, length, times);
    }
}
