package io.limiter.spring.internal.web;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The body of a form, whose parameters keys can use. It is read ahead of the handler, which reads it once more, so only one whose
 * length is known and small is.
 */
public final class FormBody {

    /** In bytes. More than a form of a login has, and little enough to keep for each request. */
    public static final int LONGEST = 64 * 1024;

    private final byte[] bytes;
    private final Map<String, List<String>> parameters;

    /** @param charset of what is in percent notation */
    public FormBody(byte[] bytes, Charset charset) {
        this.bytes = bytes;
        this.parameters = parameters(new String(bytes, charset), charset);
    }

    /** Whether a request has a form that can be read ahead of its handler. */
    public static boolean isReadable(@Nullable String contentType, long length) {
        return length > 0 && length <= LONGEST && contentType != null && isForm(contentType);
    }

    private static boolean isForm(String contentType) {
        try {
            return MediaType.APPLICATION_FORM_URLENCODED.includes(MediaType.parseMediaType(contentType));
        } catch (InvalidMediaTypeException e) {
            return false;
        }
    }

    public byte[] bytes() {
        return bytes;
    }

    /** All values of each parameter, in their order. */
    public Map<String, List<String>> parameters() {
        return parameters;
    }

    /** The first value; {@code null} if there is none. */
    public @Nullable String first(String name) {
        List<String> values = parameters.get(name);
        return values == null ? null : values.get(0);
    }

    /** How many values a parameter has in a query. */
    public static int count(@Nullable String query, String name) {
        return query == null
                ? 0
                : parameters(query, StandardCharsets.UTF_8)
                        .getOrDefault(name, List.of())
                        .size();
    }

    /** The first value in a query or a form; {@code null} if there is none. */
    static @Nullable String first(String text, String name) {
        for (String pair : text.split("&")) {
            int equals = pair.indexOf('=');
            String found = equals < 0 ? pair : pair.substring(0, equals);
            if (decoded(found, StandardCharsets.UTF_8).equals(name)) {
                return equals < 0 ? "" : decoded(pair.substring(equals + 1), StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    private static Map<String, List<String>> parameters(String text, Charset charset) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String pair : text.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = decoded(equals < 0 ? pair : pair.substring(0, equals), charset);
                String value = equals < 0 ? "" : decoded(pair.substring(equals + 1), charset);
                parameters.computeIfAbsent(name, any -> new ArrayList<>(1)).add(value);
            }
        }
        return parameters;
    }

    private static String decoded(String text, Charset charset) {
        try {
            return URLDecoder.decode(text, charset);
        } catch (IllegalArgumentException e) {
            // Not encoded.
            return text;
        }
    }
}
