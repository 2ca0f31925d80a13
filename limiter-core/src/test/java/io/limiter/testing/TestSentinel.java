package io.limiter.testing;

/** A Sentinel and the master it watches, on embedded servers. */
public final class TestSentinel implements AutoCloseable {

    private static final String MASTER = "master";

    private final RedisProcess server;
    private final RedisProcess sentinel;

    private TestSentinel(RedisProcess server, RedisProcess sentinel) {
        this.server = server;
        this.sentinel = sentinel;
    }

    public static TestSentinel start() {
        RedisProcess server = RedisProcess.start();
        RedisProcess sentinel = RedisProcess.sentinel(
                "sentinel monitor " + MASTER + " 127.0.0.1 " + server.port() + " 1",
                "sentinel down-after-milliseconds " + MASTER + " 60000",
                "sentinel failover-timeout " + MASTER + " 180000");
        return new TestSentinel(server, sentinel);
    }

    /** The name under which the Sentinel knows the master. */
    public String master() {
        return MASTER;
    }

    /** The master. */
    public RedisProcess server() {
        return server;
    }

    /** The Sentinel's, on the loopback address. */
    public int port() {
        return sentinel.port();
    }

    @Override
    public void close() {
        sentinel.close();
        server.close();
    }
}
