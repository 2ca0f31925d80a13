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
        ANNOTATION("`@RateLimit`", Map.of()),
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
    }

    /** More than any machine serves. */
    private static final int RATE = 1_000_000;

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
        // A slow decision is to be measured, not replaced by the failure policy.
        properties.put("limiter.failure.decision-timeout", "1m");
        properties.put("limiter.on-failure", "throw");
        properties.put("spring.threads.virtual.enabled", server == Server.VIRTUAL);
        boolean onNetty = server == Server.NETTY;
        SpringApplication application =
                new SpringApplication(onNetty ? OnNetty.class : OnTomcat.class, controller(limiting, onNetty));
        application.setWebApplicationType(onNetty ? WebApplicationType.REACTIVE : WebApplicationType.SERVLET);
        application.setBannerMode(Banner.Mode.OFF);
        application.setDefaultProperties(properties);
        return application.run();
    }

    private static Class<?> controller(Limiting limiting, boolean onNetty) {
        return switch (limiting) {
            case NONE, RULE -> onNetty ? Reactive.class : Plain.class;
            case RAW -> onNetty ? RawReactive.class : Raw.class;
            case ANNOTATION -> onNetty ? LimitedReactive.class : Limited.class;
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
    @Import(Floor.class)
    static class Raw {

        private final Floor floor;

        Raw(Floor floor) {
            this.floor = floor;
        }

        @GetMapping(PATH)
        String hello() {
            floor.subject.tryAcquire(0);
            return HELLO;
        }
    }

    @RestController
    @Import(Floor.class)
    static class RawReactive {

        private final Floor floor;

        RawReactive(Floor floor) {
            this.floor = floor;
        }

        @GetMapping(PATH)
        Mono<String> hello() {
            return Mono.fromCompletionStage(() -> floor.subject.tryAcquireAsync(0))
                    .thenReturn(HELLO);
        }
    }

    /** Calls a script for one key, as the floor of the comparison does. */
    static class Floor implements AutoCloseable {

        private final RedisClients clients;
        private final Subject.Async subject;

        Floor(@Value("${spring.data.redis.port}") int port) {
            clients = new RedisClients("127.0.0.1", port);
            subject = (Subject.Async) Contenders.RAW_EVALSHA
                    .opener()
                    .open(clients, Allowance.perSecond(RATE), new String[] {"floor-of-a-server"});
        }

        @Override
        public void close() {
            clients.close();
        }
    }

    @RestController
    static class Limited {

        @GetMapping(PATH)
        @RateLimit(rate = RATE)
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
        @RateLimit(rate = RATE)
        Mono<String> hello() {
            return Mono.just(HELLO);
        }
    }
}
