package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jms.core.JmsTemplate;

@SpringBootTest(
        classes = JmsOrders.class,
        properties = {"spring.artemis.mode=embedded", "spring.artemis.embedded.queues=orders"})
@EnableAutoConfiguration
class JmsOrdersTest {

    @Autowired
    private JmsTemplate jms;

    @Autowired
    private JmsOrders orders;

    @Test
    void a_rejected_message_is_delivered_again_after_its_retry_after() {
        for (String order : List.of("a", "b", "c", "d")) {
            jms.convertAndSend("orders", order);
        }
        await().until(() -> orders.handled().size() == 4);
        assertThat(orders.handled()).containsExactlyInAnyOrder("a", "b", "c", "d");
    }
}
