package io.limiter.internal.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LettuceCallsTest {

    @Test
    void the_nodes_are_those_of_one_moment_while_the_topology_is_read_again() {
        List<RedisClusterNode> nodes = IntStream.range(0, 100)
                .mapToObj(i -> RedisClusterNode.of("node" + i))
                .toList();
        Partitions known = new Partitions();
        known.reload(nodes);
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> {
            while (!ended.get()) {
                known.reload(nodes);
            }
        });
        try {
            for (int i = 0; i < 20_000; i++) {
                assertThat(LettuceCalls.all(known)).hasSize(100);
            }
        } finally {
            ended.set(true);
            reading.join();
        }
    }
}
