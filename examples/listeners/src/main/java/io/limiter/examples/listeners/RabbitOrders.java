package io.limiter.examples.listeners;

import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.amqp.core.AmqpTemplate;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.api.RabbitListenerErrorHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

@Component
class RabbitOrders {

    private final List<String> handled = new CopyOnWriteArrayList<>();

    // listeners: rabbit-listener
    @RabbitListener(queues = "orders", errorHandler = "rejectionsLater")
    @RateLimit(name = "orders", rate = 5, capacity = 1)
    public void onOrder(String order) {
        handle(order);
    }
    // end

    List<String> handled() {
        return handled;
    }

    private void handle(String order) {
        handled.add(order);
    }

    @Configuration(proxyBeanMethods = false)
    static class Handling {

        @Bean
        Queue orders() {
            return QueueBuilder.durable("orders").build();
        }

        // listeners: rabbit
        @Bean
        Queue later() {
            return QueueBuilder.durable("orders.later")
                    .deadLetterExchange("")
                    .deadLetterRoutingKey("orders")
                    .build();
        }

        @Bean
        RabbitListenerErrorHandler rejectionsLater(AmqpTemplate rabbit) {
            return (order, channel, converted, failure) -> {
                Duration after = Rejections.retryAfter(failure).orElseThrow(() -> failure);
                order.getMessageProperties().setExpiration(Long.toString(after.toMillis() + 1));
                rabbit.send("orders.later", order);
                return null;
            };
        }
        // end
    }
}
