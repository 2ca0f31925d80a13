package io.limiter.spring.internal.web.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.internal.web.Reply;
import io.limiter.spring.internal.web.SettledResponsesContract;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Spring MVC on Tomcat. */
class ServletSettledResponsesTest extends SettledResponsesContract {

    @RestController
    static class Model {

        @GetMapping("/model/json")
        public ResponseEntity<byte[]> json(@RequestParam("total") String total) {
            return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(body(total));
        }

        @GetMapping("/model/later")
        public CompletableFuture<ResponseEntity<byte[]>> later(@RequestParam("total") String total) {
            return CompletableFuture.supplyAsync(() -> json(total));
        }

        @GetMapping({"/model/openai", "/v1/chat/completions"})
        public SseEmitter openai() {
            return emitted(OPENAI);
        }

        @GetMapping({"/model/anthropic", "/v1/messages"})
        public SseEmitter anthropic() {
            return emitted(ANTHROPIC);
        }

        private static SseEmitter emitted(List<String> events) {
            SseEmitter emitter = new SseEmitter();
            CompletableFuture.runAsync(() -> {
                try {
                    for (String event : events) {
                        emitter.send(event);
                    }
                    emitter.complete();
                } catch (IOException e) {
                    emitter.completeWithError(e);
                }
            });
            return emitter;
        }

        @GetMapping("/model/header")
        public ResponseEntity<String> header(@RequestParam("total") String total) {
            return ResponseEntity.ok().header("X-Usage-Tokens", total).body("done");
        }

        @GetMapping("/model/text")
        public ResponseEntity<byte[]> text(@RequestParam("total") String total) {
            return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).body(body(total));
        }

        @GetMapping("/model/empty")
        public ResponseEntity<String> empty() {
            return ResponseEntity.noContent().build();
        }

        @GetMapping("/model/compressed")
        public ResponseEntity<byte[]> compressed() throws IOException {
            return ResponseEntity.ok()
                    .contentType(MediaType.APPLICATION_JSON)
                    .header(HttpHeaders.CONTENT_ENCODING, "gzip")
                    .body(gzip(body("7")));
        }

        @GetMapping("/model/error")
        public ResponseEntity<String> error() {
            return ResponseEntity.status(503)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{\"error\":{\"type\":\"overloaded_error\"}}");
        }

        @GetMapping("/model/fails")
        public String fails() {
            throw new UnsupportedOperationException("no handler");
        }

        @GetMapping({"/model/accepts", "/other/accepts"})
        public String accepts(@RequestHeader(HttpHeaders.ACCEPT_ENCODING) String encodings) {
            return encodings;
        }

        @GetMapping("/model/flushed")
        public void flushed(HttpServletResponse response) throws IOException {
            OutputStream body = events(response);
            write(body, "data:" + ANTHROPIC.get(0) + "\n\n");
            awaitReceived();
            for (String event : ANTHROPIC.subList(1, ANTHROPIC.size())) {
                write(body, "data:" + event + "\n\n");
            }
        }

        @GetMapping({"/model/endless", "/v1/endless"})
        public void endless(HttpServletResponse response) throws IOException, InterruptedException {
            OutputStream body = events(response);
            write(body, "data:" + ANTHROPIC.get(0) + "\n\n");
            while (true) {
                Thread.sleep(10);
                write(body, ": still thinking\n\n");
            }
        }

        private static OutputStream events(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
            return response.getOutputStream();
        }

        private static void write(OutputStream body, String text) throws IOException {
            body.write(text.getBytes(StandardCharsets.UTF_8));
            body.flush();
        }

        @GetMapping("/model/printed")
        public void printed(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.setCharacterEncoding("UTF-16");
            PrintWriter writer = response.getWriter();
            writer.append('{').print("\"\uD83D");
            writer.print("");
            writer.println("\uDE00\":1,");
            writer.print("\"long\":\"" + "\uD83D\uDE00".repeat(10_000) + "\",");
            writer.printf("\"usage\":{\"total_tokens\":%d}}", 12);
        }

        @GetMapping("/model/flushed-first")
        public void flushedFirst(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.flushBuffer();
            response.getOutputStream().write(body("12"));
        }

        @GetMapping("/model/byte-by-byte")
        public void bytes(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            for (byte each : body("12")) {
                response.getOutputStream().write(each);
            }
        }

        @GetMapping("/model/replaced")
        public void replaced(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.getWriter().print("{\"usage\":{\"total_tokens\":99},\"x\":");
            response.reset();
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.getOutputStream().write(body("99"));
            response.resetBuffer();
            response.getOutputStream().write(body("12"));
        }

        @GetMapping("/model/sent-error")
        public void sentError(HttpServletResponse response) throws IOException {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.getOutputStream().write(body("99"));
            response.sendError(502);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Model model() {
            return new Model();
        }

        /** Asynchronous servlets that write on another thread, without or behind another dispatch. */
        @Bean
        ServletRegistrationBean<HttpServlet> started() {
            HttpServlet servlet = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        write(response);
                        return;
                    }
                    AsyncContext async = request.startAsync();
                    async.start(() -> {
                        if (request.getRequestURI().endsWith("dispatched")) {
                            async.dispatch();
                            return;
                        }
                        try {
                            write((HttpServletResponse) async.getResponse());
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        async.complete();
                    });
                }

                private void write(HttpServletResponse response) throws IOException {
                    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
                    response.getOutputStream().write(body("12"));
                }
            };
            ServletRegistrationBean<HttpServlet> registration =
                    new ServletRegistrationBean<>(servlet, "/model/started", "/model/dispatched");
            registration.setAsyncSupported(true);
            return registration;
        }

        /** An asynchronous servlet that writes when the server is ready, and ends without another dispatch. */
        @Bean
        ServletRegistrationBean<HttpServlet> nonBlocking() {
            HttpServlet servlet = new HttpServlet() {
                private static final long serialVersionUID = 1L;

                @Override
                protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                    AsyncContext async = request.startAsync(request, response);
                    response.setContentType(MediaType.APPLICATION_JSON_VALUE);
                    ServletOutputStream body = response.getOutputStream();
                    body.setWriteListener(new WriteListener() {
                        @Override
                        public void onWritePossible() throws IOException {
                            if (body.isReady()) {
                                body.write(body("12"));
                                async.complete();
                            }
                        }

                        @Override
                        public void onError(Throwable error) {
                            async.complete();
                        }
                    });
                }
            };
            ServletRegistrationBean<HttpServlet> registration =
                    new ServletRegistrationBean<>(servlet, "/model/non-blocking");
            registration.setAsyncSupported(true);
            return registration;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"printed", "byte-by-byte", "replaced", "non-blocking", "started", "dispatched"})
    void all_ways_to_write_are_read(String way) throws Exception {
        assertThat(get("/model/" + way).statusCode()).isEqualTo(200);
        assertTokens(12);
    }

    /** The header of the response says then that it is compressed. */
    @Test
    void the_server_may_compress_what_was_flushed_before_its_first_byte() throws Exception {
        Reply reply = get("/model/flushed-first", "Accept-Encoding", "gzip");
        assertThat(reply.header("Content-Encoding")).hasValue("gzip");
        assertTokens(12);
    }

    @Test
    void a_body_that_an_error_replaces_does_not_count() throws Exception {
        long before = unsettled();
        assertThat(get("/model/sent-error").statusCode()).isEqualTo(502);
        assertEstimate(before);
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
