package io.limiter.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.ClassPathWithout;
import io.limiter.testing.TestRedis;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Applications start, and their limits work, without the libraries that they need not have: all, and each while those are there
 * that our classes use in addition to it. Each application loads all of Spring again, so the latter run where {@code .ci/run} or
 * {@code -Psoak} does, and libraries that no class of ours uses together are missing together ({@link ArchitectureTest} checks
 * it): neither can hide that the other is needed.
 */
class OptionalLibrariesTest {

    private static final String HTTP = "200 429 200 429 200 429";

    /** A library, what of it would be found first, and its jars on both Spring Boots. */
    enum Library {
        SERVLET(
                "jakarta.servlet.Servlet",
                "jakarta.servlet-api",
                "tomcat-embed-.*",
                "spring-boot-tomcat",
                "spring-boot-servlet",
                "spring-webmvc",
                "spring-boot-webmvc"),
        MVC("org.springframework.web.servlet.DispatcherServlet", "spring-webmvc", "spring-boot-webmvc"),
        WEB(
                "org.springframework.web.util.pattern.PathPattern",
                "spring-web",
                "spring-webmvc",
                "spring-boot-webmvc",
                "spring-webflux",
                "spring-boot-webflux",
                "spring-boot-http-.*"),
        REACTOR(
                "reactor.core.publisher.Mono",
                "reactor-.*",
                "reactive-streams",
                "spring-boot-reactor.*",
                "spring-webflux",
                "spring-boot-webflux",
                // It cannot do without.
                "lettuce-core"),
        MICROMETER(
                "io.micrometer.core.instrument.MeterRegistry",
                "micrometer-core",
                "micrometer-jakarta9",
                "micrometer-registry-.*",
                "micrometer-observation-test",
                "spring-boot-micrometer-.*"),
        ACTUATOR(
                "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
                "spring-boot-actuator",
                "spring-boot-actuator-.*",
                "spring-boot-health",
                "spring-boot-micrometer-.*"),
        SECURITY("org.springframework.security.core.context.SecurityContext", "spring-security-.*"),
        ASPECTJ("org.aspectj.weaver.Advice", "aspectjweaver"),
        REDISSON("org.redisson.api.RedissonClient", "redisson", "rxjava");

        private final String type;
        private final List<String> jars;

        Library(String type, String... jars) {
            this.type = type;
            this.jars = List.of(jars);
        }
    }

    @Tag("classpath")
    @ParameterizedTest
    @ValueSource(strings = {"REACTOR ASPECTJ", "MVC MICROMETER", "ACTUATOR SECURITY"})
    void a_servlet_application_works_without(String libraries) throws Exception {
        assertThat(call(
                        "servlet",
                        Arrays.stream(libraries.split(" "))
                                .map(Library::valueOf)
                                .toArray(Library[]::new)))
                .isEqualTo(HTTP);
    }

    @Tag("classpath")
    @Test
    void a_webflux_application_works_without_servlets_and_security() throws Exception {
        assertThat(call("reactive", Library.SERVLET, Library.SECURITY)).isEqualTo(HTTP);
    }

    @Tag("classpath")
    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "WEB"})
    void an_application_without_a_server_works_without(Library library) throws Exception {
        assertThat(call("plain", library)).isEqualTo("done rejected");
    }

    @Test
    void each_kind_of_application_works_without_all_that_it_can_be_without() throws Exception {
        assertThat(call("plain", Library.values())).isEqualTo("done rejected");
        assertThat(call(
                        "servlet",
                        Library.MVC,
                        Library.REACTOR,
                        Library.MICROMETER,
                        Library.ACTUATOR,
                        Library.SECURITY,
                        Library.ASPECTJ,
                        Library.REDISSON))
                .isEqualTo(HTTP);
        assertThat(call(
                        "reactive",
                        Library.SERVLET,
                        Library.MICROMETER,
                        Library.ACTUATOR,
                        Library.SECURITY,
                        Library.ASPECTJ,
                        Library.REDISSON))
                .isEqualTo(HTTP);
    }

    private static String call(String kind, Library... missing) throws Exception {
        String[] jars =
                Arrays.stream(missing).flatMap(library -> library.jars.stream()).toArray(String[]::new);
        ClassPathWithout classPath = new ClassPathWithout(jars);
        for (Library library : missing) {
            assertThat(classPath.has(library.type)).as(library.type).isFalse();
        }
        boolean redis = classPath.has("io.lettuce.core.RedisClient") || classPath.has("redis.clients.jedis.Jedis");
        return classPath.call(OptionalApplication.class, kind, settings(redis));
    }

    private static String[] settings(boolean redis) {
        // A Redis that outlives this JVM may know the limits from the last run.
        String run = UUID.randomUUID().toString();
        Stream<String> backend = redis
                ? Stream.of("--spring.data.redis.url=" + TestRedis.shared().uri())
                : Stream.of("--limiter.type=local");
        return Stream.concat(
                        backend,
                        Stream.of(
                                "--run=" + run,
                                "--server.port=0",
                                "--spring.main.banner-mode=off",
                                "--limiter.on-failure=throw",
                                "--limiter.failure.decision-timeout=2m",
                                "--limiter.http.address.name=address-" + run,
                                "--limiter.http.address.path=/calls/address",
                                "--limiter.http.address.limits.one.limit=1",
                                "--limiter.http.address.limits.one.per=3600",
                                "--limiter.http.user.name=user-" + run,
                                "--limiter.http.user.path=/calls/user",
                                "--limiter.http.user.key=user",
                                "--limiter.http.user.limits.one.limit=1",
                                "--limiter.http.user.limits.one.per=3600"))
                .toArray(String[]::new);
    }
}
