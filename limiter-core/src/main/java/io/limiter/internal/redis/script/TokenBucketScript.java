package io.limiter.internal.redis.script;

import io.limiter.algorithm.Demand;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.Reservations;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.redis.client.LuaScript;
import io.limiter.spi.LimitScript;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Writes the parameters of {@code token_bucket.lua}, which updates the state in Redis, and reads that state. The steps are those of {@link TokenBucket}.
 */
public final class TokenBucketScript extends LimitScript<TokenBucket, RedisPermits> {

    private static final int CALLER_WAITS = 1;
    private static final int STARTS_FULL = 2;
    private static final int WARM_UP = 4;

    /** The expiry of the key, which only the script reads. */
    private static final int KEPT_UNTIL_BYTES = 3;

    private static final int PLAIN_BYTES = 1 + 5 * Double.BYTES + KEPT_UNTIL_BYTES;

    private static final int WITH_DEMAND_BYTES = PLAIN_BYTES + 10 * Double.BYTES;

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
        boolean hasDemand = value.length >= WITH_DEMAND_BYTES;
        boolean hasReservations = value.length > PLAIN_BYTES;
        int others = hasDemand ? 10 : hasReservations ? 6 : 0;
        boolean hasOther = value.length > PLAIN_BYTES + others * Double.BYTES;
        double[] d = unpack(value, 1, 5, KEPT_UNTIL_BYTES + (others + (hasOther ? 1 : 0)) * Double.BYTES);
        if (d == null) {
            return null;
        }
        if (!hasReservations) {
            return new RedisPermits(d[0], d[1], d[2], d[3], d[4]);
        }
        ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
        in.position(PLAIN_BYTES);
        Reservations reservations = new Reservations(
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                hasOther ? in.getDouble(value.length - Double.BYTES) : 0.0);
        Demand demand = hasDemand ? new Demand(in.getDouble(), in.getDouble(), in.getDouble(), in.getDouble()) : null;
        // A key that is prefetched has both, if only to have one more length.
        return new RedisPermits(d[0], d[1], d[2], d[3], d[4], reservations.orNull(), demand);
    }
}
