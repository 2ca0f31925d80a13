package io.limiter.console;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The console over Spring MVC. */
@RestController
@RequestMapping("${limiter.console.path:/limiter}")
class ServletConsole implements DisposableBean {

    private final Console console;
    private final FleetFeed feed;

    /** A thread waits for a page that reads slowly, and holds up no other page. */
    private final ExecutorService senders = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "limiter-console-send");
        thread.setDaemon(true);
        return thread;
    });

    ServletConsole(Console console, FleetFeed feed) {
        this.console = console;
        this.feed = feed;
    }

    @GetMapping("")
    ResponseEntity<byte[]> redirect() {
        return console.redirect();
    }

    @GetMapping("/")
    ResponseEntity<byte[]> page(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        return console.page(caller(request, headers));
    }

    @GetMapping("/assets/{name}")
    ResponseEntity<byte[]> asset(
            @PathVariable("name") String name, HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        return console.asset(name, caller(request, headers));
    }

    @GetMapping("/api/session")
    ResponseEntity<byte[]> session(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        return console.session(caller(request, headers));
    }

    @GetMapping("/api/limits")
    ResponseEntity<byte[]> limits(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        return console.limits(caller(request, headers));
    }

    @GetMapping("/api/history")
    ResponseEntity<byte[]> history(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        return console.history(caller(request, headers));
    }

    @PostMapping("/api/limits")
    ResponseEntity<byte[]> put(HttpServletRequest request, @RequestHeader HttpHeaders headers, InputStream body)
            throws IOException {
        return console.put(caller(request, headers), read(body));
    }

    @PostMapping("/api/limits/remove")
    ResponseEntity<byte[]> remove(HttpServletRequest request, @RequestHeader HttpHeaders headers, InputStream body)
            throws IOException {
        return console.remove(caller(request, headers), read(body));
    }

    @PostMapping("/api/limits/roll-back")
    ResponseEntity<byte[]> rollBack(HttpServletRequest request, @RequestHeader HttpHeaders headers, InputStream body)
            throws IOException {
        return console.rollBack(caller(request, headers), read(body));
    }

    @GetMapping("/api/fleet")
    ResponseEntity<?> fleet(HttpServletRequest request, @RequestHeader HttpHeaders headers) {
        if (!console.mayRead(caller(request, headers))) {
            return Console.loginNeeded();
        }
        SseEmitter emitter = new SseEmitter(FleetFeed.LONGEST.toMillis());
        Stream stream = new Stream(emitter);
        emitter.onCompletion(() -> feed.remove(stream));
        emitter.onTimeout(stream::end);
        emitter.onError(failure -> feed.remove(stream));
        return feed.add(stream) ? Console.stream().body(emitter) : Console.tooManyPages();
    }

    @Override
    public void destroy() {
        senders.shutdownNow();
    }

    /** One byte more than allowed tells that there are too many. */
    private static byte[] read(InputStream body) throws IOException {
        return body.readNBytes(Console.MAX_BODY + 1);
    }

    private static Caller caller(HttpServletRequest request, HttpHeaders headers) {
        return new Caller(
                Caller.userOf(request.getUserPrincipal()),
                headers,
                URI.create(request.getScheme() + "://" + request.getServerName() + ":" + request.getServerPort()),
                Security.PRESENT ? Security.csrf(request) : null);
    }

    /** Sends the newest event to a page, and leaves out those that it is too slow for. */
    private final class Stream implements FleetFeed.Subscriber {

        private final SseEmitter emitter;
        private final AtomicReference<@Nullable String> newest = new AtomicReference<>();
        private final AtomicBoolean sending = new AtomicBoolean();

        Stream(SseEmitter emitter) {
            this.emitter = emitter;
        }

        @Override
        public void accept(String event) {
            newest.set(event);
            if (sending.compareAndSet(false, true)) {
                senders.execute(this::send);
            }
        }

        private void send() {
            try {
                String event = newest.getAndSet(null);
                if (event != null) {
                    emitter.send(SseEmitter.event().name("fleet").data(event));
                }
            } catch (IOException | IllegalStateException e) {
                // The page is closed.
                feed.remove(this);
            } finally {
                sending.set(false);
            }
        }

        @Override
        public void end() {
            feed.remove(this);
            emitter.complete();
        }
    }

    /** Spring Security, which need not be there. */
    private static final class Security {

        static final boolean PRESENT = ClassUtils.isPresent(
                "org.springframework.security.web.csrf.CsrfToken", ServletConsole.class.getClassLoader());

        static Caller.@Nullable Csrf csrf(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new Caller.Csrf(token.getHeaderName(), token.getToken())
                    : null;
        }
    }
}
