package io.limiter.examples.listeners;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** Kafka's own consumer for tests, which also delivers records again from where it seeks to. */
final class RepeatingConsumer extends MockConsumer<String, String> {

    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    private final List<String> orders;

    private RepeatingConsumer(List<String> orders) {
        super("earliest");
        this.orders = orders;
        updateBeginningOffsets(Map.of(ORDERS, 0L));
        schedulePollTask(() -> {
            rebalance(List.of(ORDERS));
            addFrom(0);
        });
    }

    static DefaultKafkaConsumerFactory<String, String> of(List<String> orders) {
        return new DefaultKafkaConsumerFactory<>(Map.of(ConsumerConfig.GROUP_ID_CONFIG, "orders", ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false)) {
            @Override
            protected Consumer<String, String> createRawConsumer(Map<String, Object> settings) {
                return new RepeatingConsumer(orders);
            }
        };
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
        super.seek(partition, offset);
        addFrom((int) offset);
    }

    private void addFrom(int offset) {
        for (int i = offset; i < orders.size(); i++) {
            addRecord(new ConsumerRecord<>(ORDERS.topic(), ORDERS.partition(), i, "key", orders.get(i)));
        }
    }
}
