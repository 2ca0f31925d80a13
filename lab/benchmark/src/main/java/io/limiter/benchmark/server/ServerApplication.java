package io.limiter.benchmark.server;

import io.limiter.benchmark.measure.ChildJvm;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contenders;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;
import io.limiter.spring.annotation.RateLimit;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** The application whose requests are measured: one short response, under one limit that never rejects or under none. */
public final class ServerApplication {

    /** What serves requests. */
    public enum Server {
        TOMCAT("Tomcat", 17),
        VIRTUAL("Tomcat, virtual threads", 21),
        NETTY("Netty, WebFlux", 17);

        private final String title;
        private final int firstJdk;

        Server(String title, int firstJdk) {
            this.title = title;
            this.firstJdk = firstJdk;
        }

        public String title() {
            return title;
        }

        /** Whether this JVM can run it. */
        boolean isPossible() {
            return Runtime.version().feature() >= firstJdk;
        }
    }

    /** How requests are limited. */
    public enum Limiting {
        /** Not at all: the starter is switched off. */
        NONE("no limit", Map.of("limiter.enabled", "false")),
        /** By the least that a decision in Redis can cost: the floor of the comparison. */
        RAW("raw `EVALSHA`", Map.of("limiter.enabled", "false")),
        BUCKET4J("Bucket4j, batching", Map.of("limiter.enabled", "false")),
        ANNOTATION("`@RateLimit`", Map.of()),
        PREFETCH("`@RateLimit`, prefetch 50 ms", PREFETCHED),
        KEYS("`@RateLimit`, 10,000 keys", Map.of()),
        KEYS_PREFETCH("`@RateLimit`, 10,000 keys, prefetch 50 ms", PREFETCHED),
        RULE(
                "HTTP rule by address",
                Map.of("limiter.http.all.path", "/**", "limiter.http.all.limits.second.rate", ServerApplication.RATE));

        private final String title;
        private final Map<String, Object> properties;

        Limiting(String title, Map<String, Object> properties) {
            this.title = title;
            this.properties = properties;
        }

        public String title() {
            return title;
        }

        Map<String, Object> properties() {
            return properties;
        }
    }

    /** More than any machine serves. */
    private static final int RATE = 1_000_000;

    private static final String LIMIT = "hello";
    private static final Map<String, Object> PREFETCHED = Map.of("limiter.limits.hello.prefetch-time", "50ms");

    private static final String CONTENDER = "called.contender";

    /** With a {@code k}, which is the key where there are several. */
    static final String PATH = "/hello";

    private static final String HELLO = "hello";

    private ServerApplication() {}

    /** @param arguments the server, how requests are limited, and the port of Redis */
    public static void main(String[] arguments) throws IOException {
        ChildJvm.listens(port(
                start(Server.valueOf(arguments[0]), Limiting.valueOf(arguments[1]), Integer.parseInt(arguments[2]))));
        // Until the JVM that has started this one ends.
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    static int port(ConfigurableApplicationContext application) {
        return application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    static ConfigurableApplicationContext start(Server server, Limiting limiting, int redisPort) {
        Map<String, Object> properties = new HashMap<>(limiting.properties);
        properties.put("server.port", 0);
        // A temporary folder of Tomcat would stay.
        properties.put("server.tomcat.basedir", "target/tomcat");
        properties.put("spring.data.redis.port", redisPort);
        // The gateway is on the class path for its rate limiters only.
        properties.put("spring.cloud.gateway.server.webflux.enabled", false);
        properties.put(
                "spring.autoconfigure.exclude",
                "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration");
        // A slow decision is to be measured, not replaced by the failure policy.
        properties.put("limiter.failure.decision-timeout", "1m");
        properties.put("limiter.on-failure", "throw");
        properties.put("spring.threads.virtual.enabled", server == Server.VIRTUAL);
        properties.put(CONTENDER, limiting == Limiting.BUCKET4J ? "bucket4j-batching" : Contenders.RAW_EVALSHA.name());
        boolean onNetty = server == Server.NETTY;
        SpringApplication application =
                new SpringApplication(onNetty ? OnNetty.class : OnTomcat.class, controller(limiting, onNetty));
        application.setWebApplicationType(onNetty ? WebApplicationType.REACTIVE : WebApplicationType.SERVLET);
        application.setBannerMode(Banner.Mode.OFF);
        application.setDefaultProperties(properties);
        return application.run();
    }

    static Class<?> controller(Limiting limiting, boolean onNetty) {
        return switch (limiting) {
            case NONE, RULE -> onNetty ? Reactive.class : Plain.class;
            case RAW, BUCKET4J -> onNetty ? CallingReactive.class : Calling.class;
            case ANNOTATION, PREFETCH -> onNetty ? LimitedReactive.class : Limited.class;
            case KEYS, KEYS_PREFETCH -> onNetty ? KeysReactive.class : Keys.class;
        };
    }

    @EnableAutoConfiguration
    static class OnTomcat {}

    @EnableAutoConfiguration
    static class OnNetty {

        /** Otherwise WebFlux takes Tomcat, which is on the class path too. */
        @Bean
        NettyReactiveWebServerFactory server() {
            return new NettyReactiveWebServerFactory();
        }
    }

    @RestController
    static class Plain {

        @GetMapping(PATH)
        String hello() {
            return HELLO;
        }
    }

    @RestController
    @Import(Called.class)
    static class Calling {

        private final Called called;

        Calling(Called called) {
            this.called = called;
        }

        @GetMapping(PATH)
        String hello() {
            called.subject.tryAcquire(0);
            return HELLO;
        }
    }

    @RestController
    @Import(Called.class)
    static class CallingReactive {

        private final Called called;

        CallingReactive(Called called) {
            this.called = called;
        }

        @GetMapping(PATH)
        Mono<String> hello() {
            return Mono.fromCompletionStage(() -> called.subject.tryAcquireAsync(0))
                    .thenReturn(HELLO);
        }
    }

    /** One of the contenders of the comparison, for one key. */
    static class Called implements AutoCloseable {

        private final RedisClients clients;
        private final Subject.Async subject;

        Called(@Value("${spring.data.redis.port}") int port, @Value("${" + CONTENDER + "}") String contender) {
            clients = new RedisClients("127.0.0.1", port);
            subject = (Subject.Async) Contenders.ALL.stream()
                    .filter(each -> each.name().equals(contender))
                    .findFirst()
                    .orElseThrow()
                    .opener()
                    .open(clients, Allowance.perSecond(RATE), new String[] {"of-" + contender});
        }

        @Override
        public void close() {
            clients.close();
        }
    }

    @RestController
    static class Limited {

        @GetMapping(PATH)
        @RateLimit(name = LIMIT, rate = RATE)
        String hello() {
            return HELLO;
        }
    }

    @RestController
    static class Keys {

        @GetMapping(PATH)
        @RateLimit(name = LIMIT, key = "param:k", rate = RATE)
        String hello() {
            return HELLO;
        }
    }

    @RestController
    static class Reactive {

        @GetMapping(PATH)
        Mono<String> hello() {
            return Mono.just(HELLO);
        }
    }

    @RestController
    static class LimitedReactive {

        @GetMapping(PATH)
        @RateLimit(name = LIMIT, rate = RATE)
        Mono<String> hello() {
            return Mono.just(HELLO);
        }
    }

    @RestController
    static class KeysReactive {

        @GetMapping(PATH)
        @RateLimit(name = LIMIT, key = "param:k", rate = RATE)
        Mono<String> hello() {
            return Mono.just(HELLO);
        }
    }
}
