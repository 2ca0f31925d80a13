package io.limiter.spring.web.servlet;

import io.limiter.spring.web.HttpRulesContract;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC on Tomcat. */
class ServletRulesTest extends HttpRulesContract {

    @RestController
    static class Open {

        @GetMapping({"/login", "/keyed", "/shared", "/options", "/mine"})
        public String open() {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Open open() {
            return new Open();
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.SERVLET;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }
}
