package io.limiter.faults.process;

import java.io.IOException;
import java.time.Duration;

/** A primary, a replica that may lag behind, and a Sentinel that promotes the replica when it cannot reach the primary. */
public final class ReplicatedRedis implements AutoCloseable {

    /** Under which the Sentinel knows the primary. */
    public static final String NAME = "limiter";

    private final RedisServer primary;
    private final Network front;
    private final Network link;
    private final RedisServer replica;
    private final RedisServer sentinel;

    private ReplicatedRedis(
            RedisServer primary, Network front, Network link, RedisServer replica, RedisServer sentinel) {
        this.primary = primary;
        this.front = front;
        this.link = link;
        this.replica = replica;
        this.sentinel = sentinel;
    }

    /** Returns when the Sentinel could promote the replica. */
    public static ReplicatedRedis start(String... settings) throws IOException, InterruptedException {
        RedisServer primary = RedisServer.start(settings);
        Network front = new Network(primary.port());
        Network link = new Network(primary.port());
        RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", "" + link.port());
        replica.await("master_link_status", "up");
        RedisServer sentinel = RedisServer.startSentinel();
        sentinel.command("SENTINEL", "MONITOR", NAME, "127.0.0.1", "" + front.port(), "1");
        sentinel.command("SENTINEL", "SET", NAME, "down-after-milliseconds", "500", "failover-timeout", "60000");
        Awaited.await(
                () -> sentinel.command("SENTINEL", "REPLICAS", NAME).contains("master-link-status\nok"),
                "the Sentinel does not find the replica");
        return new ReplicatedRedis(primary, front, link, replica, sentinel);
    }

    public Endpoint endpoint() {
        return new Endpoint(Endpoint.Kind.SENTINEL, sentinel.port());
    }

    public RedisServer primary() {
        return primary;
    }

    public RedisServer replica() {
        return replica;
    }

    /** Between the primary and all others but the replica. */
    public Network front() {
        return front;
    }

    /** What the primary writes from now on arrives so much later. */
    public void lag(Duration lag) {
        link.delayReplies(lag.toMillis());
    }

    /** The primary is gone, and with it what had not reached the replica. */
    public void killPrimary() {
        link.refuse();
        front.refuse();
        primary.kill();
    }

    /** Returns when the Sentinel has promoted the replica, and says so. */
    public void awaitPromotion() throws IOException, InterruptedException {
        replica.await("role", "master");
        Awaited.await(
                () -> sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                        .endsWith("\n" + replica.port()),
                "the Sentinel does not name the promoted replica");
    }

    /** Returns when the Sentinel, which reaches it again, has made the old primary a replica. */
    public void awaitDemotion() throws IOException, InterruptedException {
        primary.await("role", "slave");
    }

    @Override
    public void close() {
        sentinel.close();
        replica.close();
        link.close();
        front.close();
        primary.close();
    }
}
