package io.limiter.examples.listeners;

import graphql.ErrorClassification;
import graphql.GraphqlErrorBuilder;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.annotation.RateLimit;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.stereotype.Controller;

@Controller
class GraphQlOrders {

    @QueryMapping
    @RateLimit(name = "quote", key = "#{tenant}", rate = 1, per = "1m")
    public String quote(@Argument String tenant) {
        return "quote for " + tenant;
    }

    @Configuration(proxyBeanMethods = false)
    static class Handling {

        @Bean
        DataFetcherExceptionResolver rejections() {
            return DataFetcherExceptionResolver.forSingleError((failure, field) -> {
                if (!(failure instanceof RateLimitExceededException rejection)) {
                    return null;
                }
                GraphqlErrorBuilder<?> error = GraphqlErrorBuilder.newError(field)
                        .errorType(ErrorClassification.errorClassification("TOO_MANY_REQUESTS"))
                        .message(rejection.getMessage());
                rejection.decision().retryAfterSeconds().ifPresent(after -> error.extensions(Map.of("retryAfter", after)));
                return error.build();
            });
        }
    }
}
