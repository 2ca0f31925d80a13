package io.limiter.spring.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Parses the query of a URI, but not the body, which only the handler may read. */
final class QueryParameters {

    private QueryParameters() {}

    /** The first parameter of a name, decoded; {@code null} if there is none. */
    static @Nullable String first(@Nullable String query, String name) {
        if (query == null) {
            return null;
        }
        for (String pair : query.split("&")) {
            int equals = pair.indexOf('=');
            String found = equals < 0 ? pair : pair.substring(0, equals);
            if (decoded(found).equals(name)) {
                return equals < 0 ? "" : decoded(pair.substring(equals + 1));
            }
        }
        return null;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Not encoded.
            return text;
        }
    }
}
