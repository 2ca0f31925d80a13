package io.limiter.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.testing.TestRedis;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications with a server of their own, and calls them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ServerContract {

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    /** A Redis that outlives this JVM may know the limits from the last run. */
    protected final String run = UUID.randomUUID().toString();

    protected abstract WebApplicationType type();

    protected abstract Class<?> application();

    /** The settings of the limiter, without {@code limiter.}. */
    protected abstract List<String> settings();

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    protected final ConfigurableApplicationContext start(String... more) {
        return start(application(), more);
    }

    /**
     * Starts an application, over Redis. It runs until the last test is done: the first one that ends would take the threads of
     * Netty from all others.
     *
     * @param more settings in place of the usual ones, or more
     */
    protected final ConfigurableApplicationContext start(Class<?> application, String... more) {
        Map<String, String> settings = new TreeMap<>();
        List.of(
                        "server.port=0",
                        "spring.data.redis.url=" + TestRedis.shared().uri(),
                        "spring.main.banner-mode=off",
                        "spring.web.resources.static-locations=classpath:/contract/",
                        // A slow machine is not an outage.
                        "limiter.on-failure=throw",
                        "limiter.failure.decision-timeout=2m")
                .forEach(setting -> put(setting, settings));
        settings().forEach(setting -> put("limiter." + setting, settings));
        List.of(more).forEach(setting -> put(setting, settings));
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(type());
        ConfigurableApplicationContext context = spring.run(settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new));
        started.add(context);
        return context;
    }

    private static void put(String setting, Map<String, String> settings) {
        int equals = setting.indexOf('=');
        settings.put(setting.substring(0, equals), setting.substring(equals + 1));
    }

    /** @param headers see {@link Reply#to} */
    protected static Reply call(String method, ConfigurableApplicationContext context, String path, String... headers)
            throws Exception {
        return callPort("local.server.port", method, context, path, headers);
    }

    /** @param port the property that has it */
    static Reply callPort(
            String port, String method, ConfigurableApplicationContext context, String path, String... headers)
            throws Exception {
        String authority = "127.0.0.1:" + context.getEnvironment().getRequiredProperty(port);
        return Reply.to(method, URI.create("http://" + authority + path), headers);
    }

    protected static String header(Reply reply, String name) {
        assertThat(reply.headers()).containsKey(name);
        assertThat(reply.headers().get(name)).as(name).hasSize(1);
        return reply.header(name).orElseThrow();
    }

    protected static long retryAfter(Reply reply) {
        return Long.parseLong(header(reply, "Retry-After"));
    }

    protected static JsonNode problem(Reply reply) throws Exception {
        assertThat(header(reply, "Content-Type")).isEqualTo("application/problem+json");
        return new ObjectMapper().readTree(reply.body());
    }

    /** Unique, because a Redis that outlives this JVM has the keys of earlier runs. */
    protected static String address() {
        return network() + ThreadLocalRandom.current().nextInt(256);
    }

    /** The first three parts of an address, with a dot behind them. */
    static String network() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return "10." + random.nextInt(256) + "." + random.nextInt(256) + ".";
    }
}
