package io.limiter.spring.internal.actuate;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Mono;

/** What answers requests to the endpoints that are wrong, imported by each endpoint that is available. */
@Configuration(proxyBeanMethods = false)
public class EndpointRequestConfiguration {

    @Bean
    static OperationInvokerAdvisor limitersEndpointParameters() {
        return EndpointProblems::checked;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class OfServlets {

        @Bean
        UnreadableRequestResolver limitersEndpointUnreadableRequests() {
            return new UnreadableRequestResolver();
        }

        /** Before Spring MVC's own, whose response does not say what is wrong. It sorts by this interface only. */
        static final class UnreadableRequestResolver implements HandlerExceptionResolver, Ordered {

            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }

            @Override
            public @Nullable ModelAndView resolveException(
                    HttpServletRequest request,
                    HttpServletResponse response,
                    @Nullable Object handler,
                    Exception exception) {
                byte[] answer = EndpointProblems.unreadable(handler, exception);
                if (answer == null) {
                    return null;
                }
                response.setStatus(HttpStatus.BAD_REQUEST.value());
                response.setContentType(MediaType.APPLICATION_JSON_VALUE);
                try {
                    response.getOutputStream().write(answer);
                } catch (IOException e) {
                    return null;
                }
                return new ModelAndView();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OfWebFlux {

        /** Its own handler has -1. */
        private static final int BEFORE_SPRING_BOOT = -2;

        /** Before Spring Boot's own, whose response does not say what is wrong. */
        @Bean
        @Order(BEFORE_SPRING_BOOT)
        WebExceptionHandler limitersEndpointUnreadableRequests() {
            return (exchange, failure) -> {
                Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
                byte[] answer = EndpointProblems.unreadable(handler, failure);
                ServerHttpResponse response = exchange.getResponse();
                if (answer == null || !response.setStatusCode(HttpStatus.BAD_REQUEST)) {
                    return Mono.error(failure);
                }
                response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
                return response.writeWith(Mono.just(response.bufferFactory().wrap(answer)));
            };
        }
    }
}
