package io.limiter.spring.internal.web;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
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
                : (int) Arrays.stream(query.split("&"))
                        .filter(pair -> value(pair, name) != null)
                        .count();
    }

    /** The first value in a query; {@code null} if there is none. */
    static @Nullable String first(String query, String name) {
        for (String pair : query.split("&")) {
            String value = value(pair, name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /**
     * The value of a pair in a query; {@code null} if the pair has another name or cannot be decoded. Tomcat 10 leaves such a pair out, so
     * if it were a key, callers could have any number of keys with which the handler sees the same parameters.
     */
    private static @Nullable String value(String pair, String name) {
        int equals = pair.indexOf('=');
        String found = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        if (!isEncoded(found) || !isEncoded(value)) {
            return null;
        }
        return decoded(found, StandardCharsets.UTF_8).equals(name) ? decoded(value, StandardCharsets.UTF_8) : null;
    }

    /** Whether two digits follow each percent sign. Java's decoder also takes a sign for a digit. */
    private static boolean isEncoded(String text) {
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 3)) {
            if (i + 2 >= text.length()
                    || !HexFormat.isHexDigit(text.charAt(i + 1))
                    || !HexFormat.isHexDigit(text.charAt(i + 2))) {
                return false;
            }
        }
        return true;
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
