package io.limiter.benchmark.outage;

import io.limiter.benchmark.subject.RedisClients;
import io.limiter.faults.process.RedisServer;
import io.limiter.faults.process.ReplicatedRedis;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redis to which a fault happens. One that fails over has a replica and a Sentinel. */
final class FaultyRedis implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    /** In a crash loop, how long Redis is gone, and then there. */
    private static final long CRASH_MILLIS = 500;

    private final Fault fault;
    private final RedisServer redis;
    private final @Nullable ReplicatedRedis replicated;

    private FaultyRedis(Fault fault, RedisServer redis, @Nullable ReplicatedRedis replicated) {
        this.fault = fault;
        this.redis = redis;
        this.replicated = replicated;
    }

    static FaultyRedis start(Fault fault) throws IOException, InterruptedException {
        if (fault == Fault.FAILED_OVER) {
            // Otherwise the replica has the data only some seconds later.
            ReplicatedRedis replicated = ReplicatedRedis.start("--repl-diskless-sync-delay", "0");
            return new FaultyRedis(fault, replicated.primary(), replicated);
        }
        return new FaultyRedis(fault, RedisServer.start(), null);
    }

    /** Connections of one instance. */
    RedisClients clients() {
        return replicated == null
                ? new RedisClients(HOST, redis.port())
                : RedisClients.ofSentinel(HOST, replicated.endpoint().port(), ReplicatedRedis.NAME);
    }

    /**
     * Returns when the fault is over.
     *
     * @param seconds for how long Redis is kept away, unless others decide that
     * @return how often permits may have been forgotten that were taken
     */
    int inflict(double seconds) throws IOException, InterruptedException {
        long millis = Math.round(seconds * 1000);
        return switch (fault) {
            case STOPPED -> stop(millis);
            case RESTARTED -> restart(millis);
            case FAILED_OVER -> failOver();
            case CRASH_LOOPING -> crash(millis);
        };
    }

    private int stop(long millis) throws IOException, InterruptedException {
        redis.stop();
        TimeUnit.MILLISECONDS.sleep(millis);
        redis.goOn();
        return 0;
    }

    private int restart(long millis) throws IOException, InterruptedException {
        redis.kill();
        TimeUnit.MILLISECONDS.sleep(millis);
        redis.startAgain();
        return 1;
    }

    private int failOver() throws IOException, InterruptedException {
        if (replicated == null) {
            throw new IllegalStateException("this Redis has no replica");
        }
        replicated.killPrimary();
        replicated.awaitPromotion();
        return 1;
    }

    private int crash(long millis) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        int starts = 1;
        restart(CRASH_MILLIS);
        while (System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(CRASH_MILLIS);
            starts += restart(CRASH_MILLIS);
        }
        return starts;
    }

    @Override
    public void close() {
        if (replicated != null) {
            replicated.close();
        } else {
            redis.close();
        }
    }
}
