package io.limiter.spring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/** Applications for tests, on whichever Spring Boot is there. */
public final class Contexts {

    private static final String[] LIMITER = {
        "io.limiter.spring.autoconfigure.LimiterAutoConfiguration",
        "io.limiter.spring.autoconfigure.LimiterMetricsAutoConfiguration",
        "io.limiter.spring.autoconfigure.LimiterLiveAutoConfiguration",
        "io.limiter.spring.autoconfigure.LimiterWebAutoConfiguration",
        "io.limiter.spring.autoconfigure.LimiterOffAutoConfiguration",
        "io.limiter.spring.autoconfigure.LimiterUnusedRedisAutoConfiguration",
        "io.limiter.spring.client.LimiterClientAutoConfiguration"
    };

    private Contexts() {}

    /** The limiter and nothing else; limits of outgoing calls where their module is there. */
    public static ApplicationContextRunner plain() {
        return new ApplicationContextRunner().withConfiguration(named(LIMITER));
    }

    /** Limits in this process. */
    public static ApplicationContextRunner local() {
        return plain().withPropertyValues("limiter.type=local");
    }

    /** A servlet application with limits in this process. */
    public static WebApplicationContextRunner web() {
        return new WebApplicationContextRunner()
                .withConfiguration(named(LIMITER))
                .withPropertyValues("limiter.type=local");
    }

    /** A WebFlux application with limits in this process. */
    public static ReactiveWebApplicationContextRunner reactive() {
        return new ReactiveWebApplicationContextRunner()
                .withConfiguration(named(LIMITER))
                .withPropertyValues("limiter.type=local");
    }

    /** Adds settings as environment variables. */
    public static <R extends AbstractApplicationContextRunner<R, ?, ?>> R withVariables(R runner, String... variables) {
        Map<String, Object> values = new HashMap<>();
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            values.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return runner.withInitializer(context -> ((ConfigurableApplicationContext) context)
                .getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", values)));
    }

    /** Spring Boot's own for Redis. */
    public static AutoConfigurations redis() {
        return named(
                "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration");
    }

    /** Spring Boot's own for caches. */
    public static AutoConfigurations caches() {
        return named(
                "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration",
                "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration");
    }

    /** Spring Boot's own for MVC. */
    public static AutoConfigurations mvc() {
        return named(
                "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
                "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
                "org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration",
                "org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration",
                "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration",
                "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration");
    }

    /** Spring Boot's own for HTTP clients. */
    public static AutoConfigurations clients() {
        return named(
                "org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration",
                "org.springframework.boot.autoconfigure.web.client.RestTemplateAutoConfiguration",
                "org.springframework.boot.autoconfigure.web.reactive.function.client.WebClientAutoConfiguration",
                "org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration",
                "org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration",
                "org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration");
    }

    /** Spring Boot's own for AOP. */
    public static AutoConfigurations aop() {
        return named("org.springframework.boot.autoconfigure.aop.AopAutoConfiguration");
    }

    /** The auto-configurations of these names that this Spring Boot has. */
    private static AutoConfigurations named(String... names) {
        ClassLoader loader = Contexts.class.getClassLoader();
        Class<?>[] found = Arrays.stream(names)
                .filter(name -> ClassUtils.isPresent(name, loader))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
        if (found.length == 0) {
            throw new IllegalStateException("none of " + Arrays.toString(names) + " in this Spring Boot");
        }
        return AutoConfigurations.of(found);
    }
}
