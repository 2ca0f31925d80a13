package io.limiter.internal.redis.script;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Java twin of {@code token_bucket.lua}. */
public final class TokenBucketScript extends LimitScript<TokenBucket, RedisPermits> {

    private static final int CALLER_WAITS = 1;
    private static final int STARTS_FULL = 2;
    private static final int WARM_UP = 4;

    /** The expiry of the key, which only the script reads. */
    private static final int KEPT_UNTIL_BYTES = 3;

    private static final int PLAIN_BYTES = 1 + 5 * Double.BYTES + KEPT_UNTIL_BYTES;

    public TokenBucketScript() {
        super(TokenBucket.class, LuaScript.resource(TokenBucketScript.class, "token_bucket.lua"));
    }

    @Override
    public int maxBytes(TokenBucket limit) {
        return 9 * Double.BYTES;
    }

    @Override
    public void writeParameters(TokenBucket limit, long estimatedMicros, ByteBuffer out) {
        WarmUp warmUp = limit.warmUp();
        int flags = (limit.whoWaits() == WhoWaits.CALLER ? CALLER_WAITS : 0)
                | (limit.startsFull() ? STARTS_FULL : 0)
                | (warmUp == null ? 0 : WARM_UP);
        out.putDouble(limit.maxPermits());
        out.putDouble(limit.intervalMillis());
        out.putDouble(flags);
        out.putDouble(limit.maxWaitMicros());
        out.putDouble(limit.maxReservedMicros());
        out.putDouble(limit.expire().toMillis());
        if (warmUp != null) {
            out.putDouble(warmUp.thresholdPermits(limit.intervalMicros()));
            out.putDouble(warmUp.slopeMicros(limit.intervalMicros()));
            out.putDouble(warmUp.coolDownIntervals());
        }
    }

    @Override
    public @Nullable RedisPermits readPacked(byte[] value, TokenBucket limit, long nowMicros, long ttlMillis) {
        boolean hasReservations = value.length > PLAIN_BYTES;
        double[] d = unpack(value, 1, 5, KEPT_UNTIL_BYTES + (hasReservations ? 5 * Double.BYTES : 0));
        if (d == null) {
            return null;
        }
        RedisPermits.Reservations reservations = null;
        if (hasReservations) {
            ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
            in.position(PLAIN_BYTES);
            reservations = new RedisPermits.Reservations(
                    in.getDouble(), in.getDouble(), in.getDouble(), in.getDouble(), in.getDouble());
        }
        return new RedisPermits(d[0], d[1], d[2], d[3], d[4], reservations);
    }
}
