package io.limiter.redis.own;

import com.google.common.io.Resources;
import io.limiter.redis.ScriptedLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Java's side of {@code cooldown.lua}. */
public final class CooldownScript extends ScriptedLimit<Cooldown, Cooldown.LastCall> {

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
    protected int maxBytes(Cooldown limit) {
        return Double.BYTES;
    }

    @Override
    protected void writeNumbers(Cooldown limit, long aboutMicros, ByteBuffer out) {
        out.putDouble(limit.pauseMicros());
    }

    @Override
    protected Cooldown.@Nullable LastCall readPacked(byte[] value, Cooldown limit, long nowMicros, long ttlMillis) {
        double[] doubles = unpack(value, 99, 1, 0);
        return doubles == null ? null : new Cooldown.LastCall(doubles[0]);
    }
}
