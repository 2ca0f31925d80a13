package io.limiter.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;

/** Beans of an application that limit its calls as those of clients, and names of these. */
class OwnClientsTest {

    private final ApplicationContextRunner application = Contexts.local().withConfiguration(Contexts.clients());

    /** The names of the parameters say which bean is injected. */
    static class OwnBeans {

        @Bean
        ClientLimitInterceptor one(ClientLimitInterceptor limiterClientInterceptor) {
            return limiterClientInterceptor.named("one");
        }

        @Bean
        ClientLimitInterceptor two(ClientLimitInterceptor limiterClientInterceptor) {
            return limiterClientInterceptor.named("two");
        }

        @Bean
        ClientLimitFilter oneFilter(ClientLimitFilter limiterClientFilter) {
            return limiterClientFilter.named("one");
        }

        @Bean
        ClientLimitFilter twoFilter(ClientLimitFilter limiterClientFilter) {
            return limiterClientFilter.named("two");
        }
    }

    @Test
    void two_interceptors_and_two_filters_limit_each_as_their_client() {
        application
                .withUserConfiguration(OwnBeans.class)
                .withPropertyValues(
                        "limiter.clients.one.limits.day.limit=2",
                        "limiter.clients.one.limits.day.per=1d",
                        "limiter.clients.one.timeout=0",
                        "limiter.clients.two.limits.day.limit=4",
                        "limiter.clients.two.limits.day.per=1d",
                        "limiter.clients.two.timeout=0")
                .run(context -> {
                    assertThat(granted(context, "one")).isEqualTo(2);
                    assertThat(granted(context, "two")).isEqualTo(4);
                });
    }

    /** Of calls that pass an interceptor and a filter by turns. */
    private static int granted(BeanFactory beans, String name) {
        int granted = 0;
        try {
            while (granted < 9) {
                if (granted % 2 == 0) {
                    AnsweredCalls.call(beans.getBean(name, ClientLimitInterceptor.class), HttpStatus.OK, "");
                } else {
                    AnsweredCalls.call(beans.getBean(name + "Filter", ClientLimitFilter.class), HttpStatus.OK, "");
                }
                granted++;
            }
        } catch (RateLimitExceededException e) {
            assertThat(e.decision().limit()).isEqualTo(granted);
        }
        return granted;
    }

    @Test
    void two_clients_with_a_limit_of_one_name_fail_at_startup() {
        application
                .withPropertyValues(
                        "limiter.clients.a.limits.b.rate=5",
                        "limiter.clients.a.limits.c.rate=5",
                        "limiter.clients[a/b].limits.second.rate=5")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("must not have the name of a limit of another client")
                        .hasStackTraceContaining("was 'a/b': rename the client"));
    }
}
