package io.limiter.spring.cloud;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** A language model behind a gateway, which answers as the query says. */
final class TestModel {

    /** 42 tokens, in the last event but one. */
    static final List<String> OPENAI = List.of(
            "{\"choices\":[{\"delta\":{\"content\":\"\\\"total_tokens\\\":1\"}}],\"usage\":null}",
            "{\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":22,\"total_tokens\":42}}",
            "[DONE]");

    /** 25 and 15 tokens, in two events. */
    static final List<String> ANTHROPIC = List.of(
            "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}",
            "{\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":15}}",
            "{\"type\":\"message_stop\"}");

    /** Opened once a caller has the first event of the stream that waits for it. */
    private static volatile CountDownLatch received = new CountDownLatch(1);

    private static final String JSON = "{\"usage\":{\"total_tokens\":42}}";
    private static final Set<String> TRIED = ConcurrentHashMap.newKeySet();

    private TestModel() {}

    static void begin() {
        received = new CountDownLatch(1);
    }

    static void goOn() {
        received.countDown();
    }

    static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String shape = String.valueOf(exchange.getRequestURI().getQuery()).replace("=", "");
            String caller = String.valueOf(exchange.getRequestHeaders().getFirst("X-Caller"));
            switch (shape) {
                case "openai" -> events(exchange, OPENAI, false);
                case "anthropic" -> events(exchange, ANTHROPIC, false);
                case "flushed" -> events(exchange, ANTHROPIC, true);
                case "long" -> {
                    OutputStream body = begin(exchange);
                    write(body, "data: " + ANTHROPIC.get(0) + "\n\n");
                    // The servlet gateway reads the rest when the caller has left, because its HTTP client does.
                    for (int i = 0; i < 100; i++) {
                        pause();
                        write(body, ": still thinking\n\n");
                    }
                }
                case "json" -> json(exchange, 200, JSON);
                case "counts" -> {
                    int prompt = exchange.getRequestBody().readAllBytes().length;
                    json(exchange, 200, JSON.replace("42", String.valueOf(prompt)));
                }
                case "error" -> json(exchange, 429, "{\"error\":{}}");
                case "header" -> {
                    exchange.getResponseHeaders().set("X-Usage-Tokens", "12");
                    exchange.sendResponseHeaders(204, -1);
                }
                case "busy" -> json(exchange, TRIED.add(caller) ? 503 : 200, JSON);
                default -> throw new IllegalArgumentException(shape);
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void events(HttpExchange exchange, List<String> events, boolean waits) throws IOException {
        OutputStream body = begin(exchange);
        for (String event : events) {
            write(body, "data: " + event + "\n\n");
            if (waits) {
                awaitReceived();
            }
        }
    }

    private static void awaitReceived() throws IOException {
        try {
            if (!received.await(1, TimeUnit.MINUTES)) {
                throw new IOException("the caller has not received the first event");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static OutputStream begin(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static void write(OutputStream body, String text) throws IOException {
        body.write(text.getBytes(StandardCharsets.UTF_8));
        body.flush();
    }

    /** Compressed, if it is asked for that. */
    private static void json(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        String encodings = exchange.getRequestHeaders().getFirst("Accept-Encoding");
        if (encodings != null && encodings.contains("gzip")) {
            exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            ByteArrayOutputStream compressed = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
                gzip.write(body);
            }
            body = compressed.toByteArray();
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
