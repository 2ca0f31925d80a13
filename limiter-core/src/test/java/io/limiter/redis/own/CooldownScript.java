package io.limiter.redis.own;

import com.google.common.io.Resources;
import io.limiter.spi.LimitScript;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Java's side of {@code cooldown.lua}. */
public final class CooldownScript extends LimitScript<Cooldown, Cooldown.LastCall> {

    public CooldownScript() {
        super(Cooldown.class, script("cooldown.lua"));
    }

    private static String script(String fileName) {
        try {
            return Resources.toString(Resources.getResource(CooldownScript.class, fileName), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int maxBytes(Cooldown limit) {
        return Double.BYTES;
    }

    @Override
    public void writeParameters(Cooldown limit, long estimatedMicros, ByteBuffer out) {
        out.putDouble(limit.pauseMicros());
    }

    @Override
    public Cooldown.@Nullable LastCall readPacked(byte[] value, Cooldown limit, long nowMicros, long ttlMillis) {
        double[] doubles = unpack(value, 99, 1, 0);
        return doubles == null ? null : new Cooldown.LastCall(doubles[0]);
    }
}
