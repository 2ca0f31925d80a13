package io.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Fleet;
import io.limiter.testing.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One of several JVMs that hold permits. Prints {@code ready} and waits for a line on its input. As a worker it then holds
 * permits for short times, and enters each in a ledger in Redis, until the next line. As a hog it holds one, prints
 * {@code held}, and {@code lost} when it learns that its lease is gone; then it closes the lease and prints {@code closed}.
 */
final class ConcurrencyFleetMember {

    private static final int THREADS = 3;
    private static final String LEDGER = """
            local time = redis.call('TIME')
            redis.call('RPUSH', KEYS[1], ARGV[1] .. ' ' .. string.format('%.0f', time[1] * 1000000 + time[2]))
            return 1
            """;

    private ConcurrencyFleetMember() {}

    /** Arguments: URI, prefix, limit, milliseconds of a lease, {@code worker} or {@code hog}. */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        LettuceConnectionFactory connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        connections.afterPropertiesSet();
        connections.start();
        try (RedisRateLimiterFactory factory = RedisFixture.builder(connections).build()) {
            ConcurrencyLimiter limiter = factory.withPrefix(args[1])
                    .build(
                            "fleet",
                            ConcurrencyLimit.of(Integer.parseInt(args[2]))
                                    .withLeaseTime(Duration.ofMillis(Long.parseLong(args[3]))));
            limiter.peek();
            RedisCommands<String, String> ledger =
                    RedisClient.create(args[0]).connect().sync();
            System.out.println("ready");
            System.in.read();
            if (args[4].equals("hog")) {
                hold(limiter);
            } else {
                work(limiter, ledger, ledgerKey(args[1]), Fleet.member());
            }
        }
        System.out.println("end");
        connections.destroy();
    }

    static String ledgerKey(String prefix) {
        return prefix + "ledger";
    }

    private static void hold(ConcurrencyLimiter limiter) throws InterruptedException {
        CountDownLatch lost = new CountDownLatch(1);
        Lease lease = limiter.acquire(1, Duration.ofMinutes(2));
        lease.onLost(lost::countDown);
        System.out.println("held");
        lost.await();
        System.out.println("lost, held " + lease.isHeld());
        lease.close();
        System.out.println("closed");
    }

    private static void work(ConcurrencyLimiter limiter, RedisCommands<String, String> ledger, String key, int member) {
        AtomicInteger thread = new AtomicInteger(member * THREADS);
        AtomicBoolean running = new AtomicBoolean(true);
        Thread reader = new Thread(() -> {
            try {
                System.in.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                running.set(false);
            }
        });
        reader.setDaemon(true);
        reader.start();
        Concurrently.run(THREADS, () -> {
            Random random = new Random(Seed.VALUE + thread.getAndIncrement());
            while (running.get()) {
                try {
                    Optional<Lease> lease = limiter.tryAcquire(Duration.ofMillis(100));
                    lease.ifPresent(held -> holdAndEnter(held, random.nextInt(30), ledger, key));
                } catch (LimiterBackendException e) {
                    // It was paused for so long that the lease had expired before the reply arrived.
                    System.err.println(e.getMessage());
                }
            }
        });
    }

    /** What is entered as valid was held from one entry to the other, as the holder believes. */
    private static void holdAndEnter(Lease lease, int millis, RedisCommands<String, String> ledger, String key) {
        String hold = Fleet.member() + ":" + UUID.randomUUID();
        try (lease) {
            enter(ledger, key, "from " + hold);
            Thread.sleep(millis);
            enter(ledger, key, "to " + hold);
            if (lease.isHeld()) {
                enter(ledger, key, "valid " + hold);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void enter(RedisCommands<String, String> ledger, String key, String entry) {
        ledger.eval(LEDGER, ScriptOutputType.INTEGER, new String[] {key}, entry);
    }
}
