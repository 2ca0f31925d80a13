package io.limiter.spring.internal.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
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

    public Reply {
        RateLimitFields.check(headers);
    }

    /**
     * Calls a server.
     *
     * @param headers names and values in turn; those with an empty value are left out
     */
    static Reply to(String method, URI uri, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                // So that an answer that never comes fails a test instead of stopping all.
                .timeout(Duration.ofMinutes(1))
                .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            if (!headers[i + 1].isEmpty()) {
                request.header(headers[i], headers[i + 1]);
            }
        }
        // The other client of Java does not send the headers of CORS. This one is not used again, because Reactor Netty
        // stalls
        // some requests on connections that are.
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        Map<String, List<String>> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        received.putAll(answer.headers().map());
        return new Reply(answer.statusCode(), received, answer.body());
    }

    /** The only header of a name. */
    public Optional<String> header(String name) {
        return headers.getOrDefault(name, List.of()).stream().findFirst();
    }
}
