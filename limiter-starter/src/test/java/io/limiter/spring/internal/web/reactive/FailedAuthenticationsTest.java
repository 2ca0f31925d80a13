package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.ReactiveAuthenticationManager;
import org.springframework.security.core.Authentication;
import reactor.core.publisher.Mono;

/** Which authentication managers are wrapped, so that the limiter notices when they fail. */
class FailedAuthenticationsTest {

    record Local() implements ReactiveAuthenticationManager {

        @Override
        public Mono<Authentication> authenticate(Authentication login) {
            return Mono.just(login);
        }
    }

    record Logins(Local managers) {}

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByClass {

        @Bean
        Local local() {
            return new Local();
        }

        @Bean
        Logins logins(Local local) {
            return new Logins(local);
        }
    }

    /** A proxy of its interfaces could not be injected. */
    @Test
    void a_manager_whose_class_is_final_can_be_injected_by_its_class() {
        try (LogLines lines = new LogLines(FailedAuthentications.class)) {
            Contexts.reactive()
                    .withUserConfiguration(DeclaredByClass.class)
                    .run(context -> assertThat(context.getBean(Logins.class).managers())
                            .isSameAs(context.getBean(ReactiveAuthenticationManager.class)));
            assertThat(lines.all()).singleElement().asString().contains("INFO", "'local'", Local.class.getName());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByInterface {

        @Bean
        ReactiveAuthenticationManager local() {
            return new Local();
        }

        @Bean
        ReactiveAuthenticationManager lambda() {
            return Mono::just;
        }
    }

    @Test
    void a_manager_that_is_declared_by_the_interface_is_wrapped_whatever_its_class() {
        try (LogLines lines = new LogLines(FailedAuthentications.class)) {
            Contexts.reactive()
                    .withUserConfiguration(DeclaredByInterface.class)
                    .run(context -> assertThat(context.getBeansOfType(ReactiveAuthenticationManager.class)
                                    .values())
                            .hasSize(2)
                            .allMatch(AopUtils::isAopProxy));
            assertThat(lines.all()).isEmpty();
        }
    }
}
