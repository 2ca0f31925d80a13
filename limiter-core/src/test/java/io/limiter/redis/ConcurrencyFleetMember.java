package io.limiter.redis;

import io.lettuce.core.ScriptOutputType;
import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Fleet;
import io.limiter.testing.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One of several JVMs that hold permits. A worker holds permits for short times, and enters each in a ledger in Redis, until the
 * next line of the test. A hog holds one, prints {@code held}, and {@code lost} when it learns that its lease is lost; then it
 * closes the lease and prints {@code closed}. Both print {@code end} in the end.
 */
final class ConcurrencyFleetMember {

    private static final int THREADS = 3;
    private static final String LEDGER = """
            local time = redis.call('TIME')
            redis.call('RPUSH', KEYS[1], ARGV[1] .. ' ' .. string.format('%.0f', time[1] * 1000000 + time[2]))
            return 1
            """;

    private ConcurrencyFleetMember() {}

    /** Arguments: limit, lease time in milliseconds, {@code worker} or {@code hog}. */
    public static void main(String[] args) throws Exception {
        try (FleetInstance instance = new FleetInstance(args)) {
            ConcurrencyLimit limit =
                    ConcurrencyLimit.of(instance.count(0)).withLeaseTime(Duration.ofMillis(instance.count(1)));
            ConcurrencyLimiter limiter = instance.limiters().build("fleet", limit);
            limiter.peek();
            instance.awaitGo();
            if (instance.argument(2).equals("hog")) {
                hold(limiter);
            } else {
                work(limiter, ledgerKey(args[0]));
            }
        }
        System.out.println("end");
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

    private static void work(ConcurrencyLimiter limiter, String ledger) {
        AtomicInteger thread = new AtomicInteger(Fleet.member() * THREADS);
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
                    lease.ifPresent(held -> holdAndEnter(held, random.nextInt(30), ledger));
                } catch (LimiterBackendException e) {
                    // It was paused for so long that the lease had expired before the reply arrived.
                    System.err.println(e.getMessage());
                }
            }
        });
    }

    /** What is entered as valid was held from one entry to the other, as the holder believes. */
    private static void holdAndEnter(Lease lease, int millis, String ledger) {
        String hold = Fleet.member() + ":" + UUID.randomUUID();
        try (lease) {
            enter(ledger, "from " + hold);
            Thread.sleep(millis);
            enter(ledger, "to " + hold);
            if (lease.isHeld()) {
                enter(ledger, "valid " + hold);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void enter(String ledger, String entry) {
        RedisFixture.commands()
                .eval(LEDGER, ScriptOutputType.INTEGER, new String[] {ledger}, entry.getBytes(StandardCharsets.UTF_8));
    }
}
