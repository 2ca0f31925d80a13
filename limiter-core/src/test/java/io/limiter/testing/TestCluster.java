package io.limiter.testing;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** A Redis Cluster on embedded servers. */
public final class TestCluster implements AutoCloseable {

    private static final int SLOTS = 16_384;

    private final List<RedisProcess> masters;

    private TestCluster(List<RedisProcess> masters) {
        this.masters = masters;
    }

    /**
     * Returns when it serves all slots.
     *
     * @param settings of every server, as on the command line
     */
    public static TestCluster start(int masters, String... settings) {
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes"));
        all.addAll(List.of(settings));
        List<RedisProcess> started = new ArrayList<>();
        for (int i = 0; i < masters; i++) {
            started.add(RedisProcess.start(all.toArray(new String[0])));
        }
        TestCluster cluster = new TestCluster(started);
        for (int i = 0; i < masters; i++) {
            int[] slots = IntStream.range(SLOTS * i / masters, SLOTS * (i + 1) / masters)
                    .toArray();
            int epoch = i + 1;
            cluster.onNode(cluster.nodes().get(i), node -> {
                node.clusterSetConfigEpoch(epoch);
                node.clusterAddSlots(slots);
                return node.clusterMeet("127.0.0.1", started.get(0).port());
            });
        }
        // Before every node knows of the others and of their slots, some of them say that all is well.
        String complete = "cluster_state:ok\\s.*cluster_slots_ok:" + SLOTS + "\\s.*cluster_size:" + masters + "\\s.*";
        Pattern serving = Pattern.compile(complete, Pattern.DOTALL);
        for (String node : cluster.nodes()) {
            cluster.onNode(node, commands -> {
                Awaitility.await()
                        .atMost(Duration.ofMinutes(1))
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> serving.matcher(commands.clusterInfo()).lookingAt());
                return node;
            });
        }
        return cluster;
    }

    /** Each master as {@code host:port}. */
    public List<String> nodes() {
        return masters.stream().map(master -> "127.0.0.1:" + master.port()).toList();
    }

    /** Tells the node's process to stop for a while, or to go on: {@code STOP} or {@code CONT}. */
    public static void signal(String processId, String signal) {
        RedisProcess.signal(processId, signal);
    }

    /** Its port refuses connections from now on. */
    public void kill(String node) {
        masters.get(nodes().indexOf(node)).kill();
    }

    /** Empty, with the slots that it had. */
    public void startAgain(String node) throws IOException {
        masters.get(nodes().indexOf(node)).startAgain();
    }

    /** The node's process. */
    public String processId(String node) {
        return Long.toString(masters.get(nodes().indexOf(node)).pid());
    }

    /** The node that has the slot of a key. */
    public String nodeOf(String key) {
        int slot = SlotHash.getSlot(key);
        int node = 0;
        while (slot >= SLOTS * (node + 1) / masters.size()) {
            node++;
        }
        return nodes().get(node);
    }

    /** Gives the slot of a key to a node, without its keys. The first master, which has it, is dead. */
    public void giveSlot(String key, String to) {
        int slot = SlotHash.getSlot(key);
        String owner = onNode(to, RedisCommands::clusterMyId);
        nodes().stream()
                .filter(node -> !node.equals(nodeOf(key)))
                .forEach(node -> onNode(node, commands -> commands.clusterSetSlotNode(slot, owner)));
    }

    /**
     * Begins to move the slot of keys to another node, as far as one of them.
     *
     * @param key of the slot, with a value
     */
    public void beginToMove(String key, String to) {
        int slot = SlotHash.getSlot(key);
        String from = nodeOf(key);
        String source = onNode(from, RedisCommands::clusterMyId);
        String target = onNode(to, node -> {
            node.clusterSetSlotImporting(slot, source);
            return node.clusterMyId();
        });
        int port = Integer.parseInt(to.substring(to.indexOf(':') + 1));
        onNode(from, node -> {
            node.clusterSetSlotMigrating(slot, target);
            return node.migrate("127.0.0.1", port, key, 0, 5_000);
        });
    }

    /** A section of the node's INFO. */
    public String info(String node, String section) {
        return onNode(node, commands -> commands.info(section));
    }

    private String onNode(String node, Function<RedisCommands<String, String>, String> command) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return command.apply(connection.sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Override
    public void close() {
        masters.forEach(RedisProcess::close);
    }
}
