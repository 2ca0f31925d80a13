package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.graphql.ExecutionGraphQlService;
import org.springframework.graphql.test.tester.ExecutionGraphQlServiceTester;

@SpringBootTest(
        classes = {GraphQlOrders.class, GraphQlOrders.Handling.class},
        properties = "limiter.limits.quote.per=1h")
@EnableAutoConfiguration
class GraphQlOrdersTest {

    @Autowired
    private ExecutionGraphQlService service;

    @Test
    void a_rejected_field_is_an_error_with_the_retry_after_among_its_extensions() {
        ExecutionGraphQlServiceTester tester = ExecutionGraphQlServiceTester.create(service);
        String query = "{ quote(tenant: \"acme\") }";
        tester.document(query).execute().path("quote").entity(String.class).isEqualTo("quote for acme");
        tester.document(query)
                .execute()
                .errors()
                .satisfy(errors -> assertThat(errors).singleElement().satisfies(error -> {
                    assertThat(error.getErrorType()).hasToString("TOO_MANY_REQUESTS");
                    assertThat(error.getMessage()).startsWith("Too many requests");
                    assertThat(error.getExtensions().get("retryAfter"))
                            .asInstanceOf(InstanceOfAssertFactories.LONG)
                            .isBetween(3_000L, 3_600L);
                }));
    }
}
