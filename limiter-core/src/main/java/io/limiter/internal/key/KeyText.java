package io.limiter.internal.key;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The keys of a path as one text, which live limits match and statistics count: separated by {@code #}, with {@code #} and
 * {@code %} within a key written as {@code %23} and {@code %25}, so that no single key looks like two.
 */
public final class KeyText {

    private KeyText() {}

    /** The text of a path of one key: mostly the key itself. */
    public static String of(String key) {
        return key.indexOf('%') < 0 && key.indexOf('#') < 0
                ? key
                : key.replace("%", "%25").replace("#", "%23");
    }

    /** @param keys the outermost first, at least one */
    public static String of(List<String> keys) {
        return keys.size() == 1
                ? of(keys.get(0))
                : keys.stream().map(KeyText::of).collect(Collectors.joining("#"));
    }

    /**
     * The keys of a text, the outermost first. A {@code %} that is followed by neither 23 nor 25 is one, as operators type it, and in
     * a text that was cut off.
     */
    public static List<String> keys(String text) {
        return text.indexOf('%') < 0 && text.indexOf('#') < 0
                ? List.of(text)
                : Arrays.stream(text.split("#", -1)).map(KeyText::decode).toList();
    }

    /** In this order: what {@code %2523} stands for is the text {@code %23}. */
    private static String decode(String key) {
        return key.replace("%23", "#").replace("%25", "%");
    }
}
