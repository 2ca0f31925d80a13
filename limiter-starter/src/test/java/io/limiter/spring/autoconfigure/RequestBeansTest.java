package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.Contexts;
import io.limiter.spring.internal.key.PrincipalUser;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.ReactiveRuleLimits;
import io.limiter.spring.web.RuleLimits;
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

    @Test
    void what_is_left_is_asked_in_the_thread_of_a_request_and_is_nothing_where_limits_are_disabled() {
        Contexts.web()
                .withPropertyValues(
                        "limiter.http.api.path=/api/**",
                        "limiter.http.api.key=all",
                        "limiter.http.api.enforce=false",
                        "limiter.http.api.limits.month.limit=5",
                        "limiter.http.api.limits.month.per=month")
                .run(context -> {
                    RuleLimits limits = context.getBean(RuleLimits.class);
                    assertThatThrownBy(() -> limits.peek("api"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("in the thread of a request");
                    RequestContextHolder.setRequestAttributes(
                            new ServletRequestAttributes(new MockHttpServletRequest()));
                    try {
                        assertThat(limits.peek("api")).singleElement().satisfies(left -> {
                            assertThat(left.remaining()).isEqualTo(5);
                            assertThat(left.periodEnd()).isPresent();
                            assertThat(left)
                                    .isEqualTo(RuleLimits.Left.of(
                                            "api", 0, 5, left.periodEnd().orElseThrow()));
                        });
                    } finally {
                        RequestContextHolder.resetRequestAttributes();
                    }
                });
        Contexts.web()
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context.getBean(RuleLimits.class).peek("api"))
                        .isEmpty());
        Contexts.reactive()
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context.getBean(ReactiveRuleLimits.class)
                                .peek("api")
                                .block())
                        .isEmpty());
        Contexts.reactive()
                .run(context -> assertThatThrownBy(() -> context.getBean(ReactiveRuleLimits.class)
                                .peek("api")
                                .block())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(
                                "there is no rule 'api', and none of another name: set limiter.http.api.*, or name a rule that"
                                        + " is there"));
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
