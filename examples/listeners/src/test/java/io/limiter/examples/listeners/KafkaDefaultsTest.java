package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.limiter.spring.annotation.RateLimit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.RecordInterceptor;

/** What Spring's container makes of a rejection without the recipe. */
@SpringBootTest(classes = {KafkaDefaultsTest.Orders.class, KafkaDefaultsTest.Broker.class})
@EnableAutoConfiguration
class KafkaDefaultsTest {

    static class Orders {

        private final List<String> handled = new CopyOnWriteArrayList<>();

        @KafkaListener(topics = "orders")
        @RateLimit(name = "orders", rate = 1, per = "1h", capacity = 1)
        public void onOrder(String order) {
            handled.add(order);
        }

        List<String> handled() {
            return handled;
        }
    }

    static class Broker {

        private final List<String> delivered = new CopyOnWriteArrayList<>();

        @Bean
        ConsumerFactory<?, ?> consumers() {
            return RepeatingConsumer.of(List.of("a", "b", "c"));
        }

        @Bean
        RecordInterceptor<Object, Object> deliveries() {
            return (order, consumer) -> {
                delivered.add(order.value().toString());
                return order;
            };
        }

        List<String> delivered() {
            return delivered;
        }
    }

    @Autowired
    private Orders orders;

    @Autowired
    private Broker broker;

    @Test
    void a_rejected_record_is_tried_ten_times_without_a_pause_and_then_skipped() {
        await().until(() -> broker.delivered().contains("c"));
        assertThat(broker.delivered().stream().filter("b"::equals)).hasSize(10);
        assertThat(orders.handled()).containsExactly("a");
    }
}
