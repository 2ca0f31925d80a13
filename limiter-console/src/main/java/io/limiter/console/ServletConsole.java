package io.limiter.console;

import io.limiter.console.internal.wire.Wire;
import io.limiter.internal.thread.LimiterThread;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** The console over Spring MVC. */
final class ServletConsole implements DisposableBean {

    private static final ServerResponse.Context TEXT_ONLY =
            () -> List.of(new StringHttpMessageConverter(StandardCharsets.UTF_8));

    private final Console console;
    private final FleetFeed feed;

    /** A thread waits for a page that reads slowly, and holds up no other page. */
    private final ExecutorService senders = Executors.newCachedThreadPool(LimiterThread.named("limiter-console-send"));

    ServletConsole(Console console, FleetFeed feed) {
        this.console = console;
        this.feed = feed;
    }

    RouterFunction<ServerResponse> routes(String path) {
        return RouterFunctions.route()
                .GET(path, request -> sent(console.redirect()))
                .GET(path + "/", request -> sent(console.page(caller(request))))
                .GET(
                        path + "/assets/{name}",
                        request -> sent(console.asset(request.pathVariable("name"), caller(request))))
                .GET(path + "/api/session", request -> {
                    Caller caller = caller(request);
                    return sent(console.session(caller, feed.problem(caller.user(), console.mayWrite(caller)) != null));
                })
                .GET(
                        path + "/api/csrf",
                        request -> sent(console.csrf(
                                caller(request),
                                () -> Security.PRESENT ? Security.csrf(request.servletRequest()) : null)))
                .GET(path + "/api/limits", request -> sent(console.limits(caller(request))))
                .GET(
                        path + "/api/keys",
                        request -> sent(console.keys(caller(request), request.param("name"), request.param("search"))))
                .GET(path + "/api/key", request -> sent(console.key(caller(request), request::param)))
                .GET(
                        path + "/api/history",
                        request ->
                                sent(console.history(caller(request), request.param("before"), request.param("most"))))
                .GET(path + "/api/fleet", this::fleet)
                .POST(path + "/api/limits", request -> sent(console.put(caller(request), body(request))))
                .POST(path + "/api/limits/remove", request -> sent(console.remove(caller(request), body(request))))
                .POST(path + "/api/limits/roll-back", request -> sent(console.rollBack(caller(request), body(request))))
                .POST(path + "/api/keys/reset", request -> sent(console.reset(caller(request), body(request))))
                .build();
    }

    private ServerResponse fleet(ServerRequest request) {
        Caller caller = caller(request);
        ConsoleResponse rejected = console.notReadable(caller);
        if (rejected != null) {
            return sent(rejected);
        }
        Stream stream = new Stream();
        String problem = feed.add(stream, caller.user(), console.mayWrite(caller));
        if (problem != null) {
            return sent(Console.tooManyPages(problem));
        }
        ServerResponse events = ServerResponse.sse(stream::open, FleetFeed.LONGEST);
        return head(ConsoleResponse.stream()).build((servletRequest, servletResponse) -> {
            try {
                return events.writeTo(servletRequest, servletResponse, TEXT_ONLY);
            } catch (Exception e) {
                feed.remove(stream);
                throw e;
            }
        });
    }

    @Override
    public void destroy() {
        senders.shutdownNow();
    }

    private static ServerResponse sent(ConsoleResponse answer) {
        return head(answer).build((request, response) -> {
            response.getOutputStream().write(answer.body());
            return null;
        });
    }

    private static ServerResponse.BodyBuilder head(ConsoleResponse answer) {
        ServerResponse.BodyBuilder head = ServerResponse.status(answer.status());
        answer.headers().forEach(head::header);
        return head;
    }

    /** Reads one byte more than is allowed, to see whether there are too many. */
    private static byte[] body(ServerRequest request) throws IOException {
        return request.servletRequest().getInputStream().readNBytes(Console.MAX_BODY + 1);
    }

    private static Caller caller(ServerRequest request) {
        HttpServletRequest servlet = request.servletRequest();
        return Caller.of(
                servlet.getUserPrincipal(),
                servlet::getHeader,
                URI.create(servlet.getScheme() + "://" + servlet.getServerName() + ":" + servlet.getServerPort()),
                remote(servlet));
    }

    /** Filters wrap a request to replace its address and to remove the headers that it came from. */
    static @Nullable String remote(HttpServletRequest request) {
        ServletRequest unwrapped = request;
        while (unwrapped instanceof ServletRequestWrapper wrapper) {
            unwrapped = wrapper.getRequest();
        }
        // Tomcat's RemoteIpValve has changed the request itself.
        if (request.getAttribute("org.apache.tomcat.request.forwarded") != null) {
            return Proxies.HIDDEN + "framework";
        }
        return unwrapped instanceof HttpServletRequest original
                ? Proxies.remote(original.getRemoteAddr(), original.getHeaderNames(), original::getHeader)
                : "has no address";
    }

    /** @param withSeries whether it has the lines of the last ten minutes */
    private record Event(String text, boolean withSeries) {}

    /** Sends the newest event to a page, and leaves out those that it is too slow for. */
    final class Stream implements FleetFeed.Subscriber {

        private final AtomicReference<@Nullable Event> newest = new AtomicReference<>();
        private final AtomicBoolean sending = new AtomicBoolean();
        private volatile ServerResponse.@Nullable SseBuilder page;

        void open(ServerResponse.SseBuilder opened) {
            opened.onComplete(() -> feed.remove(this));
            opened.onTimeout(this::end);
            opened.onError(failure -> feed.remove(this));
            page = opened;
            // The first event may have been there before.
            if (newest.get() != null) {
                startSending();
            }
        }

        @Override
        public void accept(String event, boolean withSeries) {
            Event unsent = newest.getAndSet(new Event(event, withSeries));
            if (unsent != null && unsent.withSeries() && !withSeries) {
                feed.repeatSeries(this);
            }
            startSending();
        }

        private void startSending() {
            if (sending.compareAndSet(false, true)) {
                boolean started = false;
                try {
                    senders.execute(this::send);
                    started = true;
                } finally {
                    if (!started) {
                        // Without a thread, the next event tries again.
                        sending.set(false);
                    }
                }
            }
        }

        private void send() {
            do {
                sendNewest();
                // Another event, or the page, may have come after the look for it and before the end of sending.
            } while (page != null && newest.get() != null && sending.compareAndSet(false, true));
        }

        private void sendNewest() {
            ServerResponse.SseBuilder to = page;
            try {
                Event event = to == null ? null : newest.getAndSet(null);
                if (to != null && event != null) {
                    to.event("fleet").data(event.text());
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
            ServerResponse.SseBuilder open = page;
            if (open != null) {
                open.complete();
            }
        }
    }

    /** Spring Security, which need not be there. */
    private static final class Security {

        static final boolean PRESENT = ClassUtils.isPresent(
                "org.springframework.security.web.csrf.CsrfToken", ServletConsole.class.getClassLoader());

        static Wire.@Nullable Csrf csrf(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new Wire.Csrf(token.getHeaderName(), token.getToken())
                    : null;
        }
    }
}
