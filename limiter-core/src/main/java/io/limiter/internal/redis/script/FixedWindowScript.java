package io.limiter.internal.redis.script;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code fixed_window.lua}, which updates the state in Redis, and reads that state. The steps are those of {@link FixedWindow}.
 */
final class FixedWindowScript extends LimitScript<FixedWindow, FixedWindow.State> {

    private static final int FIRST_BYTE = 2;

    /** Of windows of which each has the number at which it has warned. */
    private static final int WITH_WARNINGS = 7;

    private static final int CALENDAR = 1;
    private static final int WARNS = 2;

    FixedWindowScript() {
        super(FixedWindow.class, LuaScript.resource(FixedWindowScript.class, "fixed_window.lua"));
    }

    @Override
    public int maxBytes(FixedWindow limit) {
        return 7 * Double.BYTES;
    }

    @Override
    public void writeParameters(FixedWindow limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.limit());
        out.putDouble(limit.periodMicros());
        CalendarPeriod calendar = limit.calendar();
        out.putDouble((calendar == null ? 0 : CALENDAR) + (limit.warnAt() == 0 ? 0 : WARNS));
        if (calendar != null) {
            CalendarPeriod.Bounds bounds = calendar.at(estimatedMicros);
            out.putDouble(bounds.startMicros());
            out.putDouble(bounds.endMicros());
            out.putDouble(bounds.nextEndMicros());
        }
        if (limit.warnAt() != 0) {
            out.putDouble(limit.warnAt());
        }
    }

    @Override
    public FixedWindow.@Nullable State readPacked(byte[] value, FixedWindow limit, long nowMicros, long ttlMillis) {
        if (value[0] != FIRST_BYTE && value[0] != WITH_WARNINGS) {
            return readCounter(value, limit, nowMicros, ttlMillis);
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        in.position(1);
        return in.hasRemaining() ? readWindows(in, value[0] == WITH_WARNINGS) : null;
    }

    /** @throws IllegalArgumentException if the last window is cut off */
    private static FixedWindow.@Nullable State readWindows(ByteBuffer in, boolean withWarnings) {
        if (!in.hasRemaining()) {
            return null;
        }
        double unit = readDouble(in);
        double count = readDouble(in);
        double end = readDouble(in);
        double since = unit < 0.0 ? readDouble(in) : 0.0;
        double warnedAt = withWarnings ? readDouble(in) : 0.0;
        return new FixedWindow.State(unit, count, end, since, warnedAt, readWindows(in, withWarnings));
    }

    private static double readDouble(ByteBuffer in) {
        if (in.remaining() < Double.BYTES) {
            throw new IllegalArgumentException("a window is cut off");
        }
        return in.getDouble();
    }

    /** A plain counter, as {@code INCR} and {@code EXPIRE} leave it; without a TTL, its window starts now. */
    private static FixedWindow.@Nullable State readCounter(
            byte[] value, FixedWindow limit, long nowMicros, long ttlMillis) {
        for (byte b : value) {
            if (b < '0' || b > '9') {
                return null;
            }
        }
        double count = Math.min(Double.parseDouble(new String(value, StandardCharsets.US_ASCII)), Ranges.MAX_PERMITS);
        long windowMicros = ttlMillis >= 0 ? ttlMillis * 1000 : limit.periodMicros();
        return new FixedWindow.State(0.0, count, nowMicros + windowMicros);
    }
}
