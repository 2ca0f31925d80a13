package io.limiter.spring.cloud;

import com.sun.net.httpserver.HttpServer;
import io.limiter.testing.OnNetty;
import io.limiter.testing.TestRedis;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** A real gateway before a real server. */
record TestGateway(ConfigurableApplicationContext context) implements AutoCloseable {

    static final String REPLACING = "limiter.gateway.replace-redis-rate-limiter=true";

    private static final String CALLER = "X-Caller";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final AtomicInteger SERVED = new AtomicInteger();
    private static final HttpServer UPSTREAM = upstream();

    /** The two servers of the gateway. */
    enum Server {
        WEBFLUX(
                WebApplicationType.REACTIVE,
                Application.class,
                "org.springframework.cloud.gateway.filter.GatewayFilter"),
        WEBMVC(
                WebApplicationType.SERVLET,
                Plain.class,
                "org.springframework.cloud.gateway.server.mvc.handler.GatewayServerResponse");

        private final WebApplicationType type;
        private final Class<?> application;
        private final String gateway;

        /** @param gateway a class of it */
        Server(WebApplicationType type, Class<?> application, String gateway) {
            this.type = type;
            this.application = application;
            this.gateway = gateway;
        }

        /** Such as spring.cloud.gateway.server.webflux. and a name. */
        String setting(String name) {
            return "spring.cloud.gateway.server." + name().toLowerCase(Locale.ROOT) + "." + name;
        }

        private boolean isPresent() {
            return ClassUtils.isPresent(gateway, TestGateway.class.getClassLoader());
        }

        /** Switches the other server off where it is on the class path, and what of it fails then. */
        private List<String> withoutOther() {
            if (!WEBFLUX.isPresent() || !WEBMVC.isPresent()) {
                return List.of();
            }
            return this == WEBMVC
                    ? List.of(WEBFLUX.setting("enabled=false"), WEBFLUX.setting("redis.enabled=false"))
                    : List.of(
                            WEBMVC.setting("enabled=false"),
                            "spring.autoconfigure.exclude=org.springframework.cloud.gateway.server.mvc.filter.FilterAutoConfiguration");
        }

        /** A route of the path /id to the server. */
        List<String> route(int i, String id, String... more) {
            String route = setting("routes[" + i + "].");
            List<String> properties =
                    new ArrayList<>(List.of("id=" + id, "uri=" + upstreamUri(), "predicates[0]=Path=/" + id));
            properties.addAll(List.of(more));
            return properties.stream().map(property -> route + property).toList();
        }

        @SafeVarargs
        final TestGateway start(List<String>... properties) {
            return start(application, properties);
        }

        @SafeVarargs
        final TestGateway start(Class<?> other, List<String>... properties) {
            return TestGateway.start(this, other, arguments(properties));
        }

        /** @param properties without leading dashes */
        @SafeVarargs
        final String[] arguments(List<String>... properties) {
            List<String> all = new ArrayList<>(List.of("server.port=0", "server.tomcat.basedir=target/tomcat"));
            all.addAll(withoutOther());
            Stream.of(properties).forEach(all::addAll);
            if (all.stream().noneMatch(property -> property.startsWith("spring.data.redis."))) {
                all.addAll(redis());
            }
            return all.stream().map(property -> "--" + property).toArray(String[]::new);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    /** The key of a request is its header X-Caller. */
    @Import(OnNetty.class)
    static class Application extends Plain {

        @Bean
        KeyResolver callers() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(CALLER));
        }
    }

    /** Answers 204 with a RateLimit header of its own, and ends with the JVM. */
    private static HttpServer upstream() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                SERVED.incrementAndGet();
                exchange.getResponseHeaders().set("RateLimit", "\"upstream\";r=7");
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            List.of("/model", "/retried", "/retries", "/path")
                    .forEach(path -> server.createContext(path, TestModel::answer));
            // A stream must not keep others waiting. The threads end with the JVM.
            server.setExecutor(task -> {
                Thread thread = new Thread(task, "upstream");
                thread.setDaemon(true);
                thread.start();
            });
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String upstreamUri() {
        return "http://localhost:" + UPSTREAM.getAddress().getPort();
    }

    static int served() {
        return SERVED.get();
    }

    static TestGateway start(Server server, Class<?> application, String... arguments) {
        return new TestGateway(
                new SpringApplicationBuilder(application).web(server.type).run(arguments));
    }

    /** Properties of the Redis of this JVM, with which a slow machine does not decide by the failure policy. */
    static List<String> redis() {
        TestRedis redis = TestRedis.shared();
        return List.of(
                "spring.data.redis.host=" + redis.host(),
                "spring.data.redis.port=" + redis.port(),
                "limiter.failure.decision-timeout=10s");
    }

    /** Properties of an application without a Redis, which none of its decisions waits for. */
    static List<String> withoutRedis() {
        return List.of(
                "spring.data.redis.host=localhost",
                "spring.data.redis.port=" + TestRedis.closedPort(),
                "limiter.failure.decision-timeout=1ms",
                "limiter.failure.first-decision-timeout=1ms");
    }

    /** A route with the gateway's filter and arguments of its rate limiter, such as replenishRate=1. */
    static List<String> limited(int i, String id, String... arguments) {
        Stream<String> filter = Stream.of("filters[0].name=RequestRateLimiter");
        Stream<String> args = Stream.of(arguments).map(each -> "filters[0].args.redis-rate-limiter." + each);
        return Server.WEBFLUX.route(i, id, Stream.concat(filter, args).toArray(String[]::new));
    }

    static String anyone() {
        return UUID.randomUUID().toString();
    }

    /** @param headers names and values */
    CompletableFuture<HttpResponse<String>> sendAsync(String path, String... headers) {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String caller, String body) {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header(CALLER, caller)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    /** The body as it comes. Closing it closes the connection. */
    HttpResponse<InputStream> open(String path, String caller) {
        String port = context.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header(CALLER, caller)
                .build();
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                .join();
    }

    HttpResponse<String> send(String path, String caller) {
        return sendAsync(path, CALLER, caller).join();
    }

    /** Without the header X-Caller. */
    HttpResponse<String> sendWithoutKey(String path) {
        return sendAsync(path).join();
    }

    /** The statuses of simultaneous requests of one caller. */
    List<Integer> load(String path, int requests) {
        String caller = anyone();
        List<CompletableFuture<HttpResponse<String>>> sent = IntStream.range(0, requests)
                .mapToObj(i -> sendAsync(path, CALLER, caller))
                .toList();
        return sent.stream().map(each -> each.join().statusCode()).toList();
    }

    @Override
    public void close() {
        context.close();
    }
}
