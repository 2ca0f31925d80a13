package io.limiter.testing;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisSentinelBuilder;

/** A Sentinel and the master it watches, on embedded servers. */
public final class TestSentinel implements AutoCloseable {

    private static final String MASTER = "master";

    private final RedisServer server;
    private final RedisSentinel sentinel;
    private final int port;
    private final Path dir;

    private TestSentinel(RedisServer server, RedisSentinel sentinel, int port, Path dir) {
        this.server = server;
        this.sentinel = sentinel;
        this.port = port;
        this.dir = dir;
    }

    public static TestSentinel start() {
        try {
            Path dir = Files.createTempDirectory("limiter-test-sentinel");
            int masterPort = TestRedis.freePort();
            int port = TestRedis.freePort();
            RedisServer server = RedisServer.newRedisServer()
                    .port(masterPort)
                    .bind("127.0.0.1")
                    .setting("dir " + dir)
                    .setting("save \"\"")
                    .build();
            server.start();
            RedisSentinelBuilder builder = RedisSentinel.newRedisSentinel()
                    .bind("127.0.0.1")
                    .port(port)
                    .masterName(MASTER)
                    .masterPort(masterPort)
                    .quorumSize(1);
            // Before any setting; with one, the builder leaves it to the caller.
            builder.addDefaultReplicationGroup();
            RedisSentinel sentinel = builder.setting("dir " + dir).build();
            sentinel.start();
            return new TestSentinel(server, sentinel, port, dir);
        } catch (IOException e) {
            throw new UncheckedIOException("no Sentinel for the tests", e);
        }
    }

    /** The name under which the Sentinel knows the master. */
    public String master() {
        return MASTER;
    }

    /** The Sentinel's, on the loopback address. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            sentinel.stop();
            server.stop();
            MoreFiles.deleteRecursively(dir, RecursiveDeleteOption.ALLOW_INSECURE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
