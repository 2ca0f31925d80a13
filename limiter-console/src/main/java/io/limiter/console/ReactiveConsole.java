package io.limiter.console;

import java.security.Principal;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The console over WebFlux. */
@RestController
@RequestMapping("${limiter.console.path:/limiter}")
class ReactiveConsole {

    private static final byte[] EMPTY = {};

    private final Console console;
    private final FleetFeed feed;

    ReactiveConsole(Console console, FleetFeed feed) {
        this.console = console;
        this.feed = feed;
    }

    @GetMapping("")
    Mono<ResponseEntity<byte[]>> redirect() {
        return Mono.just(console.redirect());
    }

    @GetMapping("/")
    Mono<ResponseEntity<byte[]>> page(ServerWebExchange exchange) {
        return caller(exchange).map(console::page);
    }

    @GetMapping("/assets/{name}")
    Mono<ResponseEntity<byte[]>> asset(@PathVariable("name") String name, ServerWebExchange exchange) {
        return caller(exchange).map(caller -> console.asset(name, caller));
    }

    @GetMapping("/api/session")
    Mono<ResponseEntity<byte[]>> session(ServerWebExchange exchange) {
        return caller(exchange).map(console::session);
    }

    @GetMapping("/api/limits")
    Mono<ResponseEntity<byte[]>> limits(ServerWebExchange exchange) {
        return caller(exchange).map(console::limits);
    }

    @GetMapping("/api/history")
    Mono<ResponseEntity<byte[]>> history(ServerWebExchange exchange) {
        return blocking(exchange, console::history);
    }

    @PostMapping("/api/limits")
    Mono<ResponseEntity<byte[]>> put(
            ServerWebExchange exchange, @RequestBody(required = false) byte @Nullable [] body) {
        return blocking(exchange, caller -> console.put(caller, body == null ? EMPTY : body));
    }

    @PostMapping("/api/limits/remove")
    Mono<ResponseEntity<byte[]>> remove(
            ServerWebExchange exchange, @RequestBody(required = false) byte @Nullable [] body) {
        return blocking(exchange, caller -> console.remove(caller, body == null ? EMPTY : body));
    }

    @PostMapping("/api/limits/roll-back")
    Mono<ResponseEntity<byte[]>> rollBack(
            ServerWebExchange exchange, @RequestBody(required = false) byte @Nullable [] body) {
        return blocking(exchange, caller -> console.rollBack(caller, body == null ? EMPTY : body));
    }

    @GetMapping("/api/fleet")
    Mono<ResponseEntity<?>> fleet(ServerWebExchange exchange) {
        return caller(exchange).map(caller -> {
            if (!console.mayRead(caller)) {
                return Console.loginNeeded();
            }
            Flux<ServerSentEvent<String>> events = Flux.create(
                            (FluxSink<String> sink) -> {
                                Stream stream = new Stream(sink);
                                sink.onDispose(() -> feed.remove(stream));
                                if (!feed.add(stream)) {
                                    sink.complete();
                                }
                            },
                            FluxSink.OverflowStrategy.LATEST)
                    .map(event -> ServerSentEvent.builder(event).event("fleet").build());
            return Console.stream().body(events.take(FleetFeed.LONGEST));
        });
    }

    private static Mono<ResponseEntity<byte[]>> blocking(
            ServerWebExchange exchange, Function<Caller, ResponseEntity<byte[]>> answer) {
        return caller(exchange)
                .flatMap(caller ->
                        Mono.fromCallable(() -> answer.apply(caller)).subscribeOn(Schedulers.boundedElastic()));
    }

    private static Mono<Caller> caller(ServerWebExchange exchange) {
        Mono<Optional<Principal>> user =
                exchange.getPrincipal().map(Optional::of).defaultIfEmpty(Optional.empty());
        Mono<Optional<Caller.Csrf>> csrf = Security.PRESENT ? Security.csrf(exchange) : Mono.just(Optional.empty());
        return user.zipWith(
                csrf,
                (principal, token) -> new Caller(
                        Caller.userOf(principal.orElse(null)),
                        exchange.getRequest().getHeaders(),
                        exchange.getRequest().getURI(),
                        token.orElse(null)));
    }

    /** A page, which gets the newest event if it is slow. */
    private record Stream(FluxSink<String> sink) implements FleetFeed.Subscriber {

        @Override
        public void accept(String event) {
            sink.next(event);
        }

        @Override
        public void end() {
            sink.complete();
        }
    }

    /** Spring Security, which need not be there. */
    private static final class Security {

        static final boolean PRESENT = ClassUtils.isPresent(
                "org.springframework.security.web.server.csrf.CsrfToken", ReactiveConsole.class.getClassLoader());

        static Mono<Optional<Caller.Csrf>> csrf(ServerWebExchange exchange) {
            return exchange.getAttribute(CsrfToken.class.getName()) instanceof Mono<?> token
                    ? token.cast(CsrfToken.class)
                            .map(each -> Optional.of(new Caller.Csrf(each.getHeaderName(), each.getToken())))
                            .defaultIfEmpty(Optional.empty())
                    : Mono.just(Optional.empty());
        }
    }
}
