package io.limiter.spring.web;

import io.limiter.testing.TestRedis;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts applications with a server of their own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ServerContract {

    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    /** A Redis that outlives this JVM may know the limits from the last run. */
    protected final String run = UUID.randomUUID().toString();

    protected abstract WebApplicationType type();

    protected abstract Class<?> application();

    /** What they are started with, without what settings begin with. */
    protected abstract List<String> settings();

    @AfterAll
    void close() {
        started.forEach(ConfigurableApplicationContext::close);
    }

    protected final ConfigurableApplicationContext startWithRedis(String... more) {
        // A slow machine is not an outage.
        Stream<String> redis = Stream.of(
                "--spring.data.redis.url=" + TestRedis.shared().uri(), "--limiter.failure.decision-timeout=2m");
        return start(Stream.concat(redis, Arrays.stream(more)).toArray(String[]::new));
    }

    /** Runs until the last test is done: the first one that ends would take the threads of Netty from all others. */
    protected final ConfigurableApplicationContext start(String... more) {
        SpringApplication spring = new SpringApplication(application());
        spring.setWebApplicationType(type());
        Stream<String> server =
                Stream.of("--server.port=0", "--spring.main.banner-mode=off", "--limiter.failure.policy=throw");
        Stream<String> limits = settings().stream().map(setting -> "--limiter." + setting);
        ConfigurableApplicationContext context = spring.run(Stream.of(server, limits, Arrays.stream(more))
                .flatMap(each -> each)
                .toArray(String[]::new));
        started.add(context);
        return context;
    }
}
