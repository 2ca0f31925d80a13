package io.limiter.internal.redis.script;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import io.limiter.step.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code concurrency.lua}, which updates the state in Redis and describes the encodings, and reads that state. The
 * steps are those of {@link ConcurrencyLimit}.
 */
final class ConcurrencyScript extends LimitScript<ConcurrencyLimit, ConcurrencyLimit.State> {

    private static final byte FIRST_BYTE = 9;
    private static final int WAITS = 1 << 20;
    private static final int HOLDER_BYTES = 3 * Double.BYTES + Integer.BYTES;

    ConcurrencyScript() {
        super(ConcurrencyLimit.class, LuaScript.resource(ConcurrencyScript.class, "concurrency.lua"));
    }

    @Override
    public int maxBytes(ConcurrencyLimit limit) {
        return 2 * Double.BYTES;
    }

    @Override
    public void writeParameters(ConcurrencyLimit limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.limit());
        out.putDouble(limit.leaseMicros());
    }

    @Override
    public void writeRequest(Request request, ByteBuffer out) {
        ConcurrencyLimit.checkId(request);
        switch (request.action()) {
            // What exceeds every limit is rejected, however much it is.
            case TAKE ->
                out.putDouble(Math.min(request.permits(), WAITS - 1) + (request.timeoutMicros() > 0 ? WAITS : 0))
                        .putDouble(request.id());
            case RENEW -> out.putDouble(0).putDouble(request.id());
            case REFUND -> out.putDouble(0).putDouble(-request.id());
            case PEEK, CHARGE, PREFETCH -> out.putDouble(-request.permits()).putDouble(0);
        }
    }

    @Override
    public ConcurrencyLimit.@Nullable State readPacked(
            byte[] value, ConcurrencyLimit limit, long nowMicros, long ttlMillis) {
        if (value[0] != FIRST_BYTE || (value.length - 1) % HOLDER_BYTES != 0) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(value, 1, value.length - 1).order(ByteOrder.LITTLE_ENDIAN);
        List<ConcurrencyLimit.Holder> holders = new ArrayList<>((value.length - 1) / HOLDER_BYTES);
        while (in.hasRemaining()) {
            holders.add(ConcurrencyLimit.Holder.of(in.getDouble(), in.getInt(), in.getDouble(), in.getDouble()));
        }
        return new ConcurrencyLimit.State(holders);
    }
}
