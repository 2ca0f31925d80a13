package io.limiter.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.ClassPathWithout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each server of the gateway limits on a class path without the other. It loads all of Spring again, like other tests of class paths. */
@Tag("classpath")
class OneServerTest {

    private static String call(String server, ClassPathWithout classPath) throws Exception {
        return classPath.call(
                OneServerApplication.class, server, TestGateway.redis().toArray(String[]::new));
    }

    @Test
    void the_reactive_server_limits_without_the_servlet_server() throws Exception {
        ClassPathWithout classPath = new ClassPathWithout(
                "spring-cloud-(starter-)?gateway-server-(web)?mvc",
                "spring-(boot-)?webmvc",
                "spring-boot-(servlet|tomcat)",
                "tomcat-embed-.*",
                "jakarta.servlet-api");
        assertThat(classPath.has("jakarta.servlet.Servlet")).isFalse();
        assertThat(classPath.has("org.springframework.cloud.gateway.server.mvc.common.Shortcut"))
                .isFalse();
        assertThat(call("webflux", classPath)).isEqualTo("204 429 204 429");
    }

    @Test
    void the_servlet_server_limits_without_the_reactive_server() throws Exception {
        ClassPathWithout classPath = new ClassPathWithout(
                "spring-cloud-(starter-)?gateway-server(-webflux)?",
                "spring-(boot-)?webflux",
                "spring-boot-reactor-netty",
                "reactor-netty-.*");
        assertThat(classPath.has("org.springframework.web.server.WebFilter")).isTrue();
        assertThat(classPath.has("org.springframework.web.reactive.DispatcherHandler"))
                .isFalse();
        assertThat(classPath.has("org.springframework.cloud.gateway.filter.GatewayFilter"))
                .isFalse();
        assertThat(call("webmvc", classPath)).isEqualTo("204 429");
    }
}
