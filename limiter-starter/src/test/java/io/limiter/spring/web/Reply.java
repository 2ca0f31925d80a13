package io.limiter.spring.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An answer of a server, over a connection of its own.
 *
 * @param headers by their names in upper or lower case
 */
public record Reply(int statusCode, Map<String, List<String>> headers, String body) {

    private static final int TIMEOUT_MILLIS = 60_000;

    public Reply {
        RateLimitFields.check(headers);
    }

    /**
     * Calls a server.
     *
     * @param headers names and values in turn; those with an empty value are left out
     */
    static Reply to(String method, URI uri, String... headers) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        // So that an answer that never comes fails a test instead of stopping all.
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setRequestMethod(method);
        connection.setRequestProperty("Connection", "close");
        for (int i = 0; i < headers.length; i += 2) {
            if (!headers[i + 1].isEmpty()) {
                connection.setRequestProperty(headers[i], headers[i + 1]);
            }
        }
        int status = connection.getResponseCode();
        Map<String, List<String>> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        connection.getHeaderFields().forEach((name, values) -> {
            if (name != null) {
                received.put(name, values);
            }
        });
        try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            byte[] body = in == null ? new byte[0] : in.readAllBytes();
            return new Reply(status, received, new String(body, StandardCharsets.UTF_8));
        }
    }

    /** The only header of a name. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name, List.of()).stream().findFirst();
    }
}
