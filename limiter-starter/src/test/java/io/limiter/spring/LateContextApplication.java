package io.limiter.spring;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.RateLimit;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.ObservationRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Applications that tell what a limited method, and whoever subscribes to it, know of the request. A call waits for the permit
 * that the one before it has taken, so its method is called in another thread.
 */
public final class LateContextApplication {

    private static final String REQUEST = "request";

    private LateContextApplication() {}

    /** What is known in a method, and behind the publisher that it returns. */
    private static String known(ContextView context) {
        return List.of(
                        Objects.requireNonNullElse(MDC.get(REQUEST), "-"),
                        LocaleContextHolder.getLocale().getCountry(),
                        user(),
                        ObservationRegistry.create().getCurrentObservation() == null ? "-" : "trace",
                        context.getOrDefault(REQUEST, "-"))
                .toString();
    }

    private static String user() {
        var authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication == null ? "-" : authentication.getName();
    }

    private static String eager() {
        return known(Context.empty());
    }

    static class Service {

        @RateLimit(name = "late-mono", rate = 5, capacity = 1, timeout = 60)
        @ConcurrentLimit(name = "late-mono", limit = 1)
        public Mono<String> mono() {
            String called = eager();
            return Mono.deferContextual(context -> Mono.just(called + known(context)));
        }

        @RateLimit(name = "late-flux", rate = 5, capacity = 1, timeout = 60)
        @ConcurrentLimit(name = "late-flux", limit = 1)
        public Flux<String> flux() {
            String called = eager();
            return Flux.deferContextual(context -> Flux.just(called, known(context)));
        }

        @RateLimit(name = "late-future", rate = 5, capacity = 1, timeout = 60)
        @ConcurrentLimit(name = "late-future", limit = 1)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture(eager());
        }
    }

    @RestController
    static class Controller {

        private final Service service;

        Controller(Service service) {
            this.service = service;
        }

        @GetMapping("/mono")
        public Mono<String> mono() {
            return service.mono().map(value -> value + eager());
        }

        @GetMapping("/flux")
        public Mono<String> flux() {
            return service.flux().collectList().map(values -> String.join("", values) + eager());
        }

        @GetMapping("/future")
        public CompletableFuture<String> future() {
            return service.future().thenApply(value -> value + eager());
        }

        @GetMapping("/limited")
        @RateLimit(name = "late-controller", rate = 5, capacity = 1, timeout = 60)
        public Mono<String> limited() {
            String called = eager();
            return Mono.deferContextual(context -> Mono.just(called + known(context)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Service.class, Controller.class})
    static class OnServlets {

        @Bean
        OncePerRequestFilter caller() {
            return new OncePerRequestFilter() {
                @Override
                protected void doFilterInternal(
                        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                        throws ServletException, IOException {
                    MDC.put(REQUEST, "7");
                    SecurityContextHolder.getContext()
                            .setAuthentication(new TestingAuthenticationToken("bob", "secret"));
                    try {
                        chain.doFilter(request, response);
                    } finally {
                        SecurityContextHolder.clearContext();
                        MDC.remove(REQUEST);
                    }
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Service.class, Controller.class})
    static class OnWebFlux {

        @Bean
        WebFilter caller() {
            return (exchange, chain) -> chain.filter(exchange).contextWrite(context -> context.put(REQUEST, "7"));
        }
    }

    /** Answers what was known in second calls of {@code /mono}, {@code /flux}, {@code /future} and {@code /limited}. */
    public static String servlet(String... settings) throws Exception {
        return call(OnServlets.class, WebApplicationType.SERVLET, settings);
    }

    /** As {@link #servlet}, with nothing but Reactor's context. */
    public static String reactive(String... settings) throws Exception {
        return call(OnWebFlux.class, WebApplicationType.REACTIVE, settings);
    }

    /** As {@link #reactive}, and Reactor passes its context on to threads. */
    public static String propagating(String... settings) throws Exception {
        ContextRegistry registry = ContextRegistry.getInstance();
        registry.registerThreadLocalAccessor(
                REQUEST, () -> MDC.get(REQUEST), value -> MDC.put(REQUEST, value), () -> MDC.remove(REQUEST));
        Hooks.enableAutomaticContextPropagation();
        try {
            return reactive(settings);
        } finally {
            Hooks.disableAutomaticContextPropagation();
            registry.removeThreadLocalAccessor(REQUEST);
        }
    }

    private static String call(Class<?> application, WebApplicationType type, String... settings) throws Exception {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type);
        spring.setRegisterShutdownHook(false);
        try (ConfigurableApplicationContext context = spring.run(settings)) {
            List<String> known = new ArrayList<>();
            for (String path : List.of("/mono", "/flux", "/future", "/limited")) {
                get(context, path);
                known.add(get(context, path));
            }
            return String.join(" ", known);
        }
    }

    private static String get(ConfigurableApplicationContext context, String path) throws Exception {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Accept-Language", "fr-CA")
                .timeout(Duration.ofMinutes(1))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
