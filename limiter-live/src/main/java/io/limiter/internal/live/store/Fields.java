package io.limiter.internal.live.store;

import com.fasterxml.jackson.databind.node.TextNode;
import io.limiter.live.LiveKey;
import java.util.Optional;

/**
 * Names, and keys of a name, as the fields of a hash: as they are, if they are printable ASCII without quotes and backslashes. Control
 * characters are escaped, so a tab separates a name and a key, and two if the key is hashed.
 */
public final class Fields {

    private static final char SEPARATOR = '\t';

    private Fields() {}

    /** The field of a name. */
    public static String of(String name) {
        String quoted = Json.write(new TextNode(name));
        return quoted.substring(1, quoted.length() - 1);
    }

    /** The field of a name, or of one of its keys. */
    public static String of(String name, Optional<LiveKey> key) {
        return of(name)
                + key.map(each -> (each.hashed() ? "\t\t" : "\t") + of(each.value()))
                        .orElse("");
    }

    /** @throws IllegalArgumentException if no name has this field */
    static String name(String field) {
        int tab = field.indexOf(SEPARATOR);
        return text(tab < 0 ? field : field.substring(0, tab));
    }

    /** @throws IllegalArgumentException if no key has this field */
    static Optional<LiveKey> key(String field) {
        int tab = field.indexOf(SEPARATOR);
        if (tab < 0) {
            return Optional.empty();
        }
        boolean hashed = field.indexOf(SEPARATOR, tab + 1) == tab + 1;
        return Optional.of(LiveKey.parse(text(field.substring(hashed ? tab + 2 : tab + 1)), hashed));
    }

    private static String text(String field) {
        String text = Json.read('"' + field + '"').asText();
        if (!of(text).equals(field)) {
            throw new IllegalArgumentException("no name is written like this");
        }
        return text;
    }
}
