package io.limiter.console;

import io.limiter.console.internal.wire.Wire;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.Collections;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The console over WebFlux. */
final class ReactiveConsole {

    private static final byte[] EMPTY = {};
    private static final byte[] TOO_LONG = new byte[Console.MAX_BODY + 1];

    private final Console console;
    private final FleetFeed feed;
    private final boolean forwarded;

    /** @param forwarded whether forwarded headers replace the address of requests before anybody sees it */
    ReactiveConsole(Console console, FleetFeed feed, boolean forwarded) {
        this.console = console;
        this.feed = feed;
        this.forwarded = forwarded;
    }

    RouterFunction<ServerResponse> routes(String path) {
        return RouterFunctions.route()
                .GET(path, request -> sent(console.redirect()))
                .GET(path + "/", reading(console::page))
                .GET(
                        path + "/assets/{name}",
                        request -> caller(request)
                                .flatMap(caller -> sent(console.asset(request.pathVariable("name"), caller))))
                .GET(
                        path + "/api/session",
                        reading(caller ->
                                console.session(caller, feed.problem(caller.user(), console.mayWrite(caller)) != null)))
                .GET(path + "/api/csrf", this::csrf)
                .GET(path + "/api/limits", reading(console::limits))
                .GET(
                        path + "/api/keys",
                        request -> caller(request)
                                .flatMap(caller -> sent(console.keys(
                                        caller, request.queryParam("name"), request.queryParam("search")))))
                .GET(
                        path + "/api/key",
                        request -> caller(request)
                                .flatMap(caller -> blocking(() -> console.key(caller, request::queryParam))))
                .GET(
                        path + "/api/history",
                        request -> caller(request)
                                .flatMap(caller -> blocking(() -> console.history(
                                        caller, request.queryParam("before"), request.queryParam("most")))))
                .GET(path + "/api/fleet", this::fleet)
                .POST(path + "/api/limits", writing(console::put))
                .POST(path + "/api/limits/remove", writing(console::remove))
                .POST(path + "/api/limits/roll-back", writing(console::rollBack))
                .POST(path + "/api/keys/reset", writing(console::reset))
                .build();
    }

    private Mono<ServerResponse> csrf(ServerRequest request) {
        return caller(request).flatMap(caller -> {
            Mono<Wire.Csrf> token =
                    Security.PRESENT && console.mayWrite(caller) ? Security.csrf(request.exchange()) : Mono.empty();
            Mono<ConsoleResponse> answer = token.map(found -> console.csrf(caller, () -> found));
            return answer.switchIfEmpty(Mono.fromSupplier(() -> console.csrf(caller, () -> null)))
                    .flatMap(ReactiveConsole::sent);
        });
    }

    private Mono<ServerResponse> fleet(ServerRequest request) {
        return caller(request).flatMap(caller -> {
            ConsoleResponse rejected = console.notReadable(caller);
            boolean mayWrite = console.mayWrite(caller);
            String problem = rejected == null ? feed.problem(caller.user(), mayWrite) : null;
            if (rejected != null || problem != null) {
                return sent(rejected != null ? rejected : Console.tooManyPages(String.valueOf(problem)));
            }
            Flux<ServerSentEvent<String>> events = Flux.create(
                            (FluxSink<String> sink) -> {
                                Stream stream = new Stream(sink);
                                sink.onDispose(() -> feed.remove(stream));
                                if (feed.add(stream, caller.user(), mayWrite) != null) {
                                    sink.complete();
                                }
                            },
                            FluxSink.OverflowStrategy.LATEST)
                    .map(event -> ServerSentEvent.builder(event).event("fleet").build());
            return head(ConsoleResponse.stream())
                    .contentType(MediaType.TEXT_EVENT_STREAM)
                    .body(BodyInserters.fromServerSentEvents(events.take(FleetFeed.LONGEST)));
        });
    }

    private HandlerFunction<ServerResponse> reading(Function<Caller, ConsoleResponse> answer) {
        return request -> caller(request).map(answer).flatMap(ReactiveConsole::sent);
    }

    private HandlerFunction<ServerResponse> writing(BiFunction<Caller, byte[], ConsoleResponse> answer) {
        return request -> Mono.zip(caller(request), body(request))
                .flatMap(of -> blocking(() -> answer.apply(of.getT1(), of.getT2())));
    }

    private static Mono<ServerResponse> blocking(Supplier<ConsoleResponse> answer) {
        return Mono.fromSupplier(answer)
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(ReactiveConsole::sent);
    }

    private static Mono<ServerResponse> sent(ConsoleResponse answer) {
        return head(answer).bodyValue(answer.body());
    }

    private static ServerResponse.BodyBuilder head(ConsoleResponse answer) {
        ServerResponse.BodyBuilder head = ServerResponse.status(answer.status());
        answer.headers().forEach(head::header);
        return head;
    }

    private static Mono<byte[]> body(ServerRequest request) {
        return DataBufferUtils.join(request.exchange().getRequest().getBody(), Console.MAX_BODY)
                .map(buffer -> {
                    byte[] body = new byte[buffer.readableByteCount()];
                    buffer.read(body);
                    DataBufferUtils.release(buffer);
                    return body;
                })
                .defaultIfEmpty(EMPTY)
                .onErrorReturn(DataBufferLimitException.class, TOO_LONG);
    }

    private Mono<Caller> caller(ServerRequest request) {
        return request.exchange()
                .getPrincipal()
                .map(principal -> caller(request, principal))
                .switchIfEmpty(Mono.fromSupplier(() -> caller(request, null)));
    }

    private Caller caller(ServerRequest request, @Nullable Principal principal) {
        return Caller.of(
                principal,
                request.exchange().getRequest().getHeaders()::getFirst,
                request.exchange().getRequest().getURI(),
                remote(request.exchange().getRequest()));
    }

    private @Nullable String remote(ServerHttpRequest request) {
        if (forwarded) {
            return Proxies.HIDDEN + "native";
        }
        if (Servlets.PRESENT && Servlets.isServlet(request)) {
            return Servlets.remote(request);
        }
        return remotePeer(request);
    }

    static @Nullable String remotePeer(ServerHttpRequest request) {
        InetSocketAddress address = request.getRemoteAddress();
        InetAddress resolved = address == null ? null : address.getAddress();
        return Proxies.remote(
                resolved == null ? null : resolved.getHostAddress(),
                Collections.enumeration(request.getHeaders().toSingleValueMap().keySet()),
                request.getHeaders()::getFirst);
    }

    /** A page, which gets the newest event if it is slow. */
    private record Stream(FluxSink<String> sink) implements FleetFeed.Subscriber {

        @Override
        public void accept(String event, boolean withSeries) {
            sink.next(event);
        }

        @Override
        public void end() {
            sink.complete();
        }
    }

    /** Servlet containers, on which WebFlux runs too. */
    private static final class Servlets {

        static final boolean PRESENT =
                ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", ReactiveConsole.class.getClassLoader());

        static boolean isServlet(ServerHttpRequest request) {
            return ServerHttpRequestDecorator.getNativeRequest(request) instanceof HttpServletRequest;
        }

        static @Nullable String remote(ServerHttpRequest request) {
            return ServletConsole.remote(ServerHttpRequestDecorator.getNativeRequest(request));
        }
    }

    /** Spring Security, which need not be there. */
    private static final class Security {

        static final boolean PRESENT = ClassUtils.isPresent(
                "org.springframework.security.web.server.csrf.CsrfToken", ReactiveConsole.class.getClassLoader());

        static Mono<Wire.Csrf> csrf(ServerWebExchange exchange) {
            return exchange.getAttribute(CsrfToken.class.getName()) instanceof Mono<?> token
                    ? token.cast(CsrfToken.class).map(each -> new Wire.Csrf(each.getHeaderName(), each.getToken()))
                    : Mono.empty();
        }
    }
}
