package io.limiter.redis;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A script and the digest by which Redis knows it once it has seen it. */
final class LuaScript {

    private final byte[] source;
    private final String sha1;

    private LuaScript(String source) {
        this.source = source.getBytes(StandardCharsets.UTF_8);
        this.sha1 = sha1(this.source);
    }

    /** The parts, one after the other. */
    static LuaScript of(String... parts) {
        return new LuaScript(String.join("\n", parts));
    }

    /** The text of a script file beside this class. */
    static String resource(String fileName) {
        try {
            return Resources.toString(Resources.getResource(LuaScript.class, fileName), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + fileName, e);
        }
    }

    byte[] source() {
        return source.clone();
    }

    String sha1() {
        return sha1;
    }

    // EVALSHA knows no other digest; nothing here depends on its strength.
    @SuppressWarnings("deprecation")
    private static String sha1(byte[] source) {
        return Hashing.sha1().hashBytes(source).toString();
    }
}
