package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveLimits;
import io.limiter.spring.actuate.CallTimes;
import io.limiter.spring.actuate.EndpointProblems;
import io.limiter.spring.actuate.LimitLookup;
import io.limiter.spring.actuate.LimitersEndpoint;
import io.limiter.spring.check.KnownLimits;
import io.limiter.spring.web.reactive.ExchangeRejectionResponses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationEventPublisher;
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

/** The Actuator endpoint {@code limiters}. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "limiter.enabled", matchIfMissing = true)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
public class LimiterEndpointAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(LimitersEndpoint.class)
    @ConditionalOnMissingBean(LimitersEndpoint.class)
    static class Available {

        @Bean
        CallTimes limiterCallTimes() {
            return new CallTimes();
        }

        @Bean
        LimitersEndpoint limitersEndpoint(
                LimiterFactory factory,
                ObjectProvider<LiveLimits> live,
                CallTimes times,
                ObjectProvider<KnownLimits> known,
                LimiterProperties properties,
                ApplicationEventPublisher events) {
            LimitLookup lookup = new LimitLookup(
                    factory, known::stream, properties.endpoint().showKeys(), events);
            return new LimitersEndpoint(lookup, live.getIfAvailable(), times);
        }

        @Bean
        static OperationInvokerAdvisor limitersEndpointParameters() {
            return EndpointProblems::checked;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(LimitersEndpoint.class)
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
    @ConditionalOnAvailableEndpoint(LimitersEndpoint.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OfWebFlux {

        /** Before Spring Boot's own, whose response does not say what is wrong. */
        @Bean
        @Order(ExchangeRejectionResponses.ORDER - 1)
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
