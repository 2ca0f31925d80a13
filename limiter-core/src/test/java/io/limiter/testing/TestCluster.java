package io.limiter.testing;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import redis.embedded.RedisServer;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.RedisShardedClusterBuilder;

/** A Redis Cluster on embedded servers. */
public final class TestCluster implements AutoCloseable {

    private static final int FIRST_PORT = 17_000;
    private static final int LAST_PORT = 22_000;
    private static final int BUS_OFFSET = 10_000;

    private final RedisShardedCluster cluster;
    private final Path dir;

    private TestCluster(RedisShardedCluster cluster, Path dir) {
        this.cluster = cluster;
        this.dir = dir;
    }

    /** Returns when it serves all slots. */
    public static TestCluster start(int masters) {
        try {
            Path dir = Files.createTempDirectory("limiter-test-cluster");
            RedisShardedClusterBuilder builder = RedisShardedCluster.newRedisCluster()
                    .withServerBuilder(RedisServer.newRedisServer()
                            .bind("127.0.0.1")
                            .setting("dir " + dir)
                            .setting("save \"\""))
                    .serverPorts(freePorts(masters));
            for (int i = 0; i < masters; i++) {
                builder.shard("master" + i, 0);
            }
            TestCluster started = new TestCluster(builder.build(), dir);
            started.cluster.start();
            started.nodes().forEach(TestCluster::awaitServing);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("no Cluster for the tests", e);
        }
    }

    /** One that a node of a Cluster can have. */
    public static int freePort() {
        return freePorts(1).get(0);
    }

    /** Ports whose buses, 10,000 above, are free too. */
    private static List<Integer> freePorts(int count) {
        Set<Integer> ports = new LinkedHashSet<>();
        while (ports.size() < count) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            if (isFree(port) && isFree(port + BUS_OFFSET)) {
                ports.add(port);
            }
        }
        return List.copyOf(ports);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** The cluster is formed before every node knows that it is. */
    private static void awaitServing(String node) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> connection.sync().clusterInfo().contains("cluster_state:ok"));
        } finally {
            client.shutdown();
        }
    }

    /** Each master as {@code host:port}. */
    public List<String> nodes() {
        return cluster.ports().stream().map(port -> "127.0.0.1:" + port).toList();
    }

    /** Tells the node's process to stop for a while, or to go on: {@code STOP} or {@code CONT}. */
    public static void signal(String processId, String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, processId)
                    .inheritIO()
                    .start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + signal + " has failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The node's process. */
    public String processId(String node) {
        return Splitter.on(CharMatcher.anyOf("\r\n"))
                .splitToStream(info(node, "server"))
                .filter(line -> line.startsWith("process_id:"))
                .map(line -> line.substring("process_id:".length()))
                .findFirst()
                .orElseThrow();
    }

    /** A section of what the node says of itself. */
    public String info(String node, String section) {
        RedisClient client = RedisClient.create("redis://" + node);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().info(section);
        } finally {
            client.shutdown();
        }
    }

    @Override
    public void close() {
        try {
            cluster.stop();
            MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
