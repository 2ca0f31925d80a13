package io.limiter.faults.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Cluster of three masters, which serve what slots they have when one of them is gone. */
public final class RedisCluster implements AutoCloseable {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16_384;

    /** What each node is started with. A replica is elected two to three seconds after its master is gone. */
    private static final String[] SETTINGS = {
        "--cluster-enabled", "yes", "--cluster-require-full-coverage", "no", "--cluster-node-timeout", "2000"
    };

    private final List<RedisServer> masters = new ArrayList<>();
    private final List<RedisServer> replicas = new ArrayList<>();

    private RedisCluster() {}

    /** Returns when every node knows who serves which slots. */
    public static RedisCluster start(boolean withReplicas) throws IOException, InterruptedException {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.startMasters();
            if (withReplicas) {
                cluster.startReplicas();
            }
            cluster.awaitComplete();
        } catch (IOException | InterruptedException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private void startMasters() throws IOException, InterruptedException {
        for (int i = 0; i < MASTERS; i++) {
            RedisServer node = RedisServer.startNode(SETTINGS);
            masters.add(node);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
            node.command(Stream.concat(
                            Stream.of("CLUSTER", "ADDSLOTS"),
                            IntStream.range(SLOTS * i / MASTERS, SLOTS * (i + 1) / MASTERS)
                                    .mapToObj(Integer::toString))
                    .toArray(String[]::new));
            meet(node);
        }
    }

    private void startReplicas() throws IOException, InterruptedException {
        for (RedisServer master : masters) {
            RedisServer node = RedisServer.startNode(SETTINGS);
            replicas.add(node);
            meet(node);
            String id = id(master);
            Awaited.await(() -> node.command("CLUSTER", "REPLICATE", id).equals("OK"), "a replica finds no master");
        }
        for (RedisServer replica : replicas) {
            replica.await("master_link_status", "up");
        }
    }

    private void meet(RedisServer node) throws IOException {
        node.command("CLUSTER", "MEET", "127.0.0.1", "" + masters.get(0).port());
    }

    private void awaitComplete() throws IOException, InterruptedException {
        int nodes = masters.size() + replicas.size();
        for (RedisServer node : masters) {
            Awaited.await(
                    () -> {
                        String state = node.command("CLUSTER", "INFO");
                        return state.contains("cluster_state:ok")
                                && state.contains("cluster_slots_ok:" + SLOTS)
                                && state.contains("cluster_known_nodes:" + nodes + "\r")
                                && state.contains("cluster_size:" + MASTERS);
                    },
                    "the Cluster is not complete");
        }
    }

    public Endpoint endpoint() {
        return new Endpoint(Endpoint.Kind.CLUSTER, masters.get(0).port());
    }

    /** The masters, each of which has a third of the slots at first. */
    public List<RedisServer> masters() {
        return masters;
    }

    /** Of the master with the same number. */
    public RedisServer replica(int number) {
        return replicas.get(number);
    }

    /** The number of the master that has the slot at first. */
    public static int masterOf(int slot) {
        int master = 0;
        while (slot >= SLOTS * (master + 1) / MASTERS) {
            master++;
        }
        return master;
    }

    /** Moves a slot while it is used, as {@code redis-cli --cluster reshard} does. */
    public void migrate(int slot, RedisServer from, RedisServer to) throws IOException {
        String number = Integer.toString(slot);
        to.command("CLUSTER", "SETSLOT", number, "IMPORTING", id(from));
        from.command("CLUSTER", "SETSLOT", number, "MIGRATING", id(to));
        String keys = from.command("CLUSTER", "GETKEYSINSLOT", number, "100");
        while (!keys.isEmpty()) {
            from.command(Stream.concat(
                            Stream.of("MIGRATE", "127.0.0.1", "" + to.port(), "", "0", "5000", "KEYS"), keys.lines())
                    .toArray(String[]::new));
            keys = from.command("CLUSTER", "GETKEYSINSLOT", number, "100");
        }
        String owner = id(to);
        to.command("CLUSTER", "SETSLOT", number, "NODE", owner);
        from.command("CLUSTER", "SETSLOT", number, "NODE", owner);
        for (RedisServer node : masters) {
            if (node != from && node != to) {
                node.command("CLUSTER", "SETSLOT", number, "NODE", owner);
            }
        }
    }

    /** Returns when the master's replica serves its slots. */
    public void awaitPromotion(int number) throws IOException, InterruptedException {
        replica(number).await("role", "master");
    }

    /** Returns when a master that was started again serves its slots. */
    public void awaitServing(int number) throws IOException, InterruptedException {
        RedisServer node = masters.get(number);
        Awaited.await(
                () -> node.command("CLUSTER", "INFO").contains("cluster_state:ok"), "a master does not come back");
    }

    private static String id(RedisServer node) throws IOException {
        return node.command("CLUSTER", "MYID");
    }

    @Override
    public void close() {
        replicas.forEach(RedisServer::close);
        masters.forEach(RedisServer::close);
    }
}
