package io.limiter.redis;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Java's side of {@code token_bucket.lua}. */
final class TokenBucketScript extends ScriptedLimit<TokenBucket, RedisPermits> {

    private static final int OWN_COST = 1;
    private static final int STARTS_FULL = 2;
    private static final int WARM_UP = 4;
    private static final int MAX_LONG_DIGITS = 19;

    TokenBucketScript() {
        super(TokenBucket.class, "token_bucket.lua");
    }

    @Override
    int maxBytes(TokenBucket limit) {
        return 9 * Double.BYTES + MAX_LONG_DIGITS + 1;
    }

    @Override
    void writeNumbers(TokenBucket limit, ByteBuffer out) {
        int flags = (limit.whoWaits() == WhoWaits.CALLER ? OWN_COST : 0)
                | (limit.startsFull() ? STARTS_FULL : 0)
                | (limit.warmUp() == null ? 0 : WARM_UP);
        out.putDouble(limit.maxPermits());
        out.putDouble(limit.intervalMillis());
        out.putDouble(flags);
        out.putDouble(limit.maxWaitMicros());
        out.putDouble(limit.maxBookedMicros());
        long expireMillis = limit.expire().toMillis();
        out.putDouble(expireMillis);
        out.put(Long.toString(expireMillis).getBytes(StandardCharsets.US_ASCII)).put((byte) 0);
        if (limit.warmUp() != null) {
            out.putDouble(limit.thresholdPermits());
            out.putDouble(limit.slopeMicros());
            out.putDouble(limit.coolDownIntervals());
        }
    }

    @Override
    @Nullable
    RedisPermits readPacked(byte[] value, TokenBucket limit, long nowMicros, long ttlMillis) {
        double[] d = unpack(value, 1, 5);
        return d == null ? null : new RedisPermits(d[0], d[1], d[2], d[3], d[4]);
    }
}
