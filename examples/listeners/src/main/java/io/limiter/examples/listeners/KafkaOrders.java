package io.limiter.examples.listeners;

import io.limiter.spring.annotation.RateLimit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.stereotype.Component;
import org.springframework.util.backoff.FixedBackOff;

@Component
class KafkaOrders {

    private final List<String> handled = new CopyOnWriteArrayList<>();

    // listeners: kafka-listener
    @KafkaListener(topics = "orders")
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

        // listeners: kafka
        @Bean
        DefaultErrorHandler rejectionsWait() {
            DefaultErrorHandler handler = new DefaultErrorHandler();
            handler.setBackOffFunction((order, failure) -> Rejections.retryAfter(failure)
                    .map(after -> new FixedBackOff(after.toMillis() + 1, FixedBackOff.UNLIMITED_ATTEMPTS))
                    .orElse(null));
            return handler;
        }
        // end
    }
}
