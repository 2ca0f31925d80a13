package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.servlet.RateLimitExceptionResolver;
import java.security.Principal;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** The beans of requests and their callers, by what an application has on its class path. */
class RequestBeansTest {

    @Test
    void a_servlet_application_has_the_beans_of_requests() {
        Contexts.web()
                .run(context -> assertThat(context)
                        .hasSingleBean(ClientAddress.class)
                        .hasSingleBean(PrincipalUser.class)
                        .hasSingleBean(RateLimitExceptionResolver.class));
    }

    @Test
    void an_application_without_a_server_has_no_beans_of_requests() {
        Contexts.local()
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(ClientAddress.class)
                        .hasSingleBean(PrincipalUser.class)
                        .doesNotHaveBean(RateLimitExceptionResolver.class));
    }

    @Test
    void without_spring_security_the_user_is_that_of_the_request() {
        FilteredClassLoader without = new FilteredClassLoader(SecurityContextHolder.class);
        Contexts.web()
                .withClassLoader(without)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(CurrentUser.class));
        Contexts.local()
                .withClassLoader(without)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CurrentUser.class));
    }

    @Test
    void without_spring_security_claims_are_those_of_the_principal_of_the_request() {
        Contexts.web()
                .withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
                .run(context -> {
                    MockHttpServletRequest request = new MockHttpServletRequest();
                    request.setUserPrincipal(new Claimant());
                    RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
                    try {
                        CurrentUser user = context.getBean(CurrentUser.class);
                        assertThat(user.name()).isEqualTo("ann");
                        assertThat(user.claim("plan")).isEqualTo("pro");
                        assertThat(user.claim("tenant")).isNull();
                    } finally {
                        RequestContextHolder.resetRequestAttributes();
                    }
                });
    }

    /** Its class is not public, as those of containers need not be. */
    private record Claimant() implements Principal {

        @Override
        public String getName() {
            return "ann";
        }

        public Map<String, Object> getClaims() {
            return Map.of("plan", "pro");
        }
    }

    @Test
    void without_spring_mvc_there_is_no_exception_resolver() {
        Contexts.web()
                .withClassLoader(new FilteredClassLoader(HandlerExceptionResolver.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ClientAddress.class)
                        .doesNotHaveBean(RateLimitExceptionResolver.class));
    }
}
