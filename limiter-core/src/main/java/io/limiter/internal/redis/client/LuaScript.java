package io.limiter.internal.redis.client;

import com.google.common.hash.Hashing;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A script and the digest by which Redis knows it once it has seen it. */
public final class LuaScript {

    private static final Pattern PART = Pattern.compile("(?m)^ *--\\[(\\w+)]\n");
    private static final Pattern INCLUDE = Pattern.compile("(?m)^ *--include (\\w+\\.lua)\n");

    private final byte[] source;
    private final String sha1;

    private LuaScript(String source) {
        this.source = source.getBytes(StandardCharsets.UTF_8);
        this.sha1 = sha1(this.source);
    }

    /** The parts, one after the other. */
    public static LuaScript of(String... parts) {
        return new LuaScript(String.join("\n", parts));
    }

    /**
     * Puts the parts of one script where another has a line with their name: {@code --[name]}, which also stands ahead of
     * each part.
     *
     * @throws IllegalStateException if a part has no place, or a place no part
     */
    public static String fill(String places, String parts) {
        String[] named = PART.split(parts);
        Map<String, String> byName = new HashMap<>();
        Matcher name = PART.matcher(parts);
        for (int i = 1; i < named.length && name.find(); i++) {
            byName.put(name.group(1), named[i]);
        }
        String filled = PART.matcher(places).replaceAll(place -> {
            String part = byName.remove(place.group(1));
            if (part == null) {
                throw new IllegalStateException("there is no part " + place.group(1) + " in:\n" + parts);
            }
            return Matcher.quoteReplacement(part);
        });
        if (!byName.isEmpty()) {
            throw new IllegalStateException("there are no places for " + byName.keySet() + " in:\n" + places);
        }
        return filled;
    }

    /** The text of a script file in the package of a class. Each line {@code --include other.lua} is replaced by that file. */
    public static String resource(Class<?> neighbour, String fileName) {
        try {
            String text = Resources.toString(Resources.getResource(neighbour, fileName), StandardCharsets.UTF_8);
            return INCLUDE.matcher(text)
                    .replaceAll(line -> Matcher.quoteReplacement(resource(neighbour, line.group(1))));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + fileName, e);
        }
    }

    public byte[] source() {
        return source.clone();
    }

    public String sha1() {
        return sha1;
    }

    // EVALSHA knows no other digest; nothing here depends on its strength.
    @SuppressWarnings("deprecation")
    private static String sha1(byte[] source) {
        return Hashing.sha1().hashBytes(source).toString();
    }
}
