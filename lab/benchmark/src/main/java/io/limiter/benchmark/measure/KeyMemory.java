package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;

/**
 * What one id of 16 characters takes in Redis.
 *
 * @param contender its name
 * @param afterOne bytes after one grant
 * @param afterThousand bytes after 1,000 grants within the limit's period
 */
public record KeyMemory(String contender, long afterOne, long afterThousand) {

    private static final int GRANTS = 1000;
    private static final Allowance ALLOWANCE = Allowance.perHour(100_000);

    /**
     * Deletes all keys, before and after.
     *
     * @throws IllegalStateException if a request is rejected
     */
    public static KeyMemory measure(Contender contender, BenchmarkRedis redis) {
        redis.deleteAllKeys();
        try (RedisClients clients = redis.clients(Cell.HOT_1_THREAD);
                Subject subject = contender.opener().open(clients, ALLOWANCE, OpenSubject.ids(contender, 1))) {
            acquire(contender, subject, 1);
            long afterOne = redis.bytesOfAllKeys();
            acquire(contender, subject, GRANTS - 1);
            return new KeyMemory(contender.name(), afterOne, redis.bytesOfAllKeys());
        } finally {
            redis.deleteAllKeys();
        }
    }

    private static void acquire(Contender contender, Subject subject, int times) {
        for (int i = 0; i < times; i++) {
            if (!subject.tryAcquire(0)) {
                throw new IllegalStateException(
                        contender.name() + " rejected one of 1,000 requests at 100,000 an hour");
            }
        }
    }
}
