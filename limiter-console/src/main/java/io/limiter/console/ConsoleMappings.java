package io.limiter.console;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;

/**
 * Mappings of the console's own, as Actuator has them: path prefixes, advice, interceptors and API pages are for the
 * application's controllers, and leave the console alone.
 */
@Configuration(proxyBeanMethods = false)
class ConsoleMappings {

    /** Actuator's endpoints have the same: before the application's controllers, which may match everything. */
    private static final int ORDER = -100;

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Servlet {

        @Bean
        RouterFunctionMapping limiterConsoleMapping(ServletConsole console, ConsoleProperties properties) {
            RouterFunctionMapping mapping = new RouterFunctionMapping(console.routes(properties.path()));
            mapping.setOrder(ORDER);
            return mapping;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class Reactive {

        @Bean
        org.springframework.web.reactive.function.server.support.RouterFunctionMapping limiterConsoleMapping(
                ReactiveConsole console, ConsoleProperties properties) {
            var mapping = new org.springframework.web.reactive.function.server.support.RouterFunctionMapping(
                    console.routes(properties.path()));
            mapping.setOrder(ORDER);
            return mapping;
        }
    }
}
