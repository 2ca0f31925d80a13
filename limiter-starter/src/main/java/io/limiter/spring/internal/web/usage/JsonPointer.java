package io.limiter.spring.internal.web.usage;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;

/** A JSON pointer (RFC 6901) to a value that is no whole document, such as {@code /usage/total_tokens}. */
final class JsonPointer {

    private static final Pattern VALID = Pattern.compile("(/([^~/]|~[01])*)+");
    private static final Pattern INDEX = Pattern.compile("0|[1-9]\\d{0,8}");
    private static final int NO_INDEX = -1;

    private final byte[][] names;
    private final int[] indexes;

    private JsonPointer(byte[][] names, int[] indexes) {
        this.names = names;
        this.indexes = indexes;
    }

    /** @throws IllegalArgumentException if the text is no such pointer */
    static JsonPointer parse(String text) {
        if (!VALID.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' must be a JSON pointer such as /usage/total_tokens, in which ~1 stands for / and ~0 for ~");
        }
        String[] tokens = text.substring(1).split("/", -1);
        byte[][] names = new byte[tokens.length][];
        int[] indexes = new int[tokens.length];
        for (int i = 0; i < tokens.length; i++) {
            String token = tokens[i].replace("~1", "/").replace("~0", "~");
            names[i] = token.getBytes(StandardCharsets.UTF_8);
            indexes[i] = INDEX.matcher(token).matches() ? Integer.parseInt(token) : NO_INDEX;
        }
        return new JsonPointer(names, indexes);
    }

    int length() {
        return names.length;
    }

    /** Whether a part is the name of a member, in UTF-8. */
    boolean isName(int part, byte[] name, int length) {
        return Arrays.equals(names[part], 0, names[part].length, name, 0, length);
    }

    /** Whether a part is the index of an element. */
    boolean isIndex(int part, int index) {
        return indexes[part] == index;
    }

    /** In bytes. */
    int longestName() {
        return Arrays.stream(names).mapToInt(name -> name.length).max().orElse(0);
    }
}
