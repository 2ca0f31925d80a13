package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.limiter.LimitExceededEvent;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.core.ConsumerFactory;

/** Spring's container polls a consumer that needs no broker. */
@SpringBootTest(classes = {KafkaOrders.class, KafkaOrders.Handling.class, KafkaOrdersTest.Broker.class})
@EnableAutoConfiguration
class KafkaOrdersTest {

    static class Broker {

        private final AtomicInteger rejections = new AtomicInteger();

        @Bean
        ConsumerFactory<?, ?> consumers() {
            return RepeatingConsumer.of(List.of("a", "b", "c", "d"));
        }

        @EventListener
        void on(LimitExceededEvent event) {
            rejections.incrementAndGet();
        }

        int rejections() {
            return rejections.get();
        }
    }

    @Autowired
    private KafkaOrders orders;

    @Autowired
    private Broker broker;

    @Test
    void a_rejected_record_is_delivered_again_after_its_retry_after_and_none_is_skipped() {
        await().until(() -> orders.handled().size() == 4);
        assertThat(orders.handled()).containsExactly("a", "b", "c", "d");
        assertThat(broker.rejections()).as("rejections of three records").isLessThanOrEqualTo(6);
    }
}
