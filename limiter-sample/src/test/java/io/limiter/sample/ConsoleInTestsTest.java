package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.test.spring.AutoConfigureLimiter;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with the console is tested without Redis, too. */
@SpringBootTest(
        classes = ConsoleInTestsTest.Application.class,
        properties = {"limiter.console.enabled=true", "limiter.console.allow-unsecured=true"})
@AutoConfigureLimiter
class ConsoleInTestsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void it_starts_with_nothing_to_show(@Autowired ApplicationContext context) {
        assertThat(context.containsBean("limiterServletConsole")).isTrue();
    }
}
