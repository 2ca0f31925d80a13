package io.limiter.examples.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import com.rabbitmq.client.Channel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.test.TestRabbitTemplate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;

/** Spring's containers call the listeners; a template for tests stands for the broker, so the way back from the queue is not tested. */
@SpringBootTest(
        classes = {RabbitOrders.class, RabbitOrders.Handling.class, RabbitOrdersTest.Broker.class},
        properties = {"spring.rabbitmq.listener.simple.auto-startup=false", "limiter.limits.orders.per=1h"})
@EnableAutoConfiguration
class RabbitOrdersTest {

    static class Broker {

        final List<String> expirations = new CopyOnWriteArrayList<>();

        @Bean
        ConnectionFactory connectionFactory() {
            ConnectionFactory factory = mock();
            Connection connection = mock();
            Channel channel = mock();
            given(factory.createConnection()).willReturn(connection);
            given(connection.createChannel(anyBoolean())).willReturn(channel);
            given(channel.isOpen()).willReturn(true);
            return factory;
        }

        @Bean
        TestRabbitTemplate template(ConnectionFactory connections) {
            return new TestRabbitTemplate(connections);
        }

        @RabbitListener(queues = "orders.later")
        void onLater(Message order) {
            expirations.add(order.getMessageProperties().getExpiration());
        }
    }

    @Autowired
    private TestRabbitTemplate template;

    @Autowired
    private RabbitOrders orders;

    @Autowired
    private Broker broker;

    @Test
    void a_rejected_message_goes_to_the_queue_of_those_that_wait_and_expires_there_after_its_retry_after() {
        template.convertAndSend("orders", "a");
        template.convertAndSend("orders", "b");
        assertThat(orders.handled()).containsExactly("a");
        assertThat(broker.expirations)
                .singleElement()
                .satisfies(expiration -> assertThat(Long.parseLong(expiration)).isBetween(600_000L, 720_001L));
    }
}
