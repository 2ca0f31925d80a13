package io.limiter.internal.redis.script;

import io.limiter.algorithm.LogUses;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code sliding_log.lua}, which updates the state in Redis, and reads that state. The steps are those of {@link SlidingLog}.
 */
final class SlidingLogScript extends LimitScript<SlidingLog, SlidingLog.State> {

    private static final int FIRST_BYTE = 3;
    private static final int FIRST_BYTE_OF_MORE = 6;
    private static final int ENTRY_BYTES = Double.BYTES + Integer.BYTES;
    private static final int END_BYTES = 4 * Integer.BYTES + Double.BYTES;
    private static final int END_BYTES_OF_MORE = END_BYTES + 2 * Double.BYTES;

    SlidingLogScript() {
        super(SlidingLog.class, LuaScript.resource(SlidingLogScript.class, "sliding_log.lua"));
    }

    @Override
    public int maxBytes(SlidingLog limit) {
        return 2 * Double.BYTES;
    }

    @Override
    public void writeParameters(SlidingLog limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.limit());
        out.putDouble(limit.periodMicros());
    }

    @Override
    public SlidingLog.@Nullable State readPacked(byte[] value, SlidingLog limit, long nowMicros, long ttlMillis) {
        boolean more = value[0] == FIRST_BYTE_OF_MORE;
        int entryBytes = value.length - 1 - (more ? END_BYTES_OF_MORE : END_BYTES);
        if (!more && value[0] != FIRST_BYTE || entryBytes < 0 || entryBytes % ENTRY_BYTES != 0) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        int base = in.getInt(1 + entryBytes);
        int dead = in.getInt(1 + entryBytes + Integer.BYTES);
        int live = entryBytes / ENTRY_BYTES - dead;
        if (dead < 0 || live < 0) {
            return null;
        }
        double[] times = new double[live];
        double[] totals = new double[live];
        in.position(1 + dead * ENTRY_BYTES);
        for (int i = 0; i < live; i++) {
            times[i] = in.getDouble();
            // Counts are modulo 2^32, and so is the difference.
            totals[i] = Integer.toUnsignedLong(in.getInt() - base);
        }
        in.position(1 + entryBytes + 3 * Integer.BYTES);
        double largest = Integer.toUnsignedLong(in.getInt());
        LogUses uses = new LogUses(in.getDouble(), largest, more ? in.getDouble() : 0.0, more ? in.getDouble() : 0.0);
        return new SlidingLog.State(times, totals, uses);
    }
}
