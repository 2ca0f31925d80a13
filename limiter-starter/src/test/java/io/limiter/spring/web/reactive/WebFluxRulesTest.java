package io.limiter.spring.web.reactive;

import io.limiter.spring.web.HttpRulesContract;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** WebFlux on Netty. */
class WebFluxRulesTest extends HttpRulesContract {

    @RestController
    static class Open {

        @GetMapping({"/login", "/keyed", "/shared", "/options", "/mine"})
        public Mono<String> open() {
            return Mono.just("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(WebFluxHttpTest.OnNetty.class)
    static class Application {

        @Bean
        Open open() {
            return new Open();
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
