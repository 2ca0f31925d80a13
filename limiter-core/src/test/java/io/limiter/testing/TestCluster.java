package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import redis.embedded.RedisServer;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.RedisShardedClusterBuilder;

/** A Redis Cluster on embedded servers. */
public final class TestCluster implements AutoCloseable {

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
                    .ephemeral();
            for (int i = 0; i < masters; i++) {
                builder.shard("master" + i, 0);
            }
            TestCluster started = new TestCluster(builder.build(), dir);
            started.cluster.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("no Cluster for the tests", e);
        }
    }

    /** Each master as {@code host:port}. */
    public List<String> nodes() {
        return cluster.ports().stream().map(port -> "127.0.0.1:" + port).toList();
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
