package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A contender ready for a cell, with what belongs to it.
 *
 * @param check {@code null} where next to nothing is limited
 */
record OpenSubject(
        RedisClients clients, Subject subject, @Nullable LimitCheck check) implements AutoCloseable {

    private static final int MOST_GRANTS_OF_ONE_PERMIT = 1000;

    static OpenSubject open(Contender contender, Cell cell, int numberOfIds, BenchmarkRedis redis)
            throws InterruptedException {
        Outcome outcome = cell.outcome();
        Allowance allowance = outcome.allowance(cell.keys());
        String[] ids = ids(contender, numberOfIds);
        RedisClients clients = redis.clients(cell);
        Subject subject = contender.opener().open(clients, allowance, ids);
        if (outcome == Outcome.LIMITED) {
            redis.awaitLateInASecond();
        }
        LimitCheck check = outcome.limits() && !contender.isFloor() ? new LimitCheck(allowance, ids.length) : null;
        if (outcome == Outcome.REJECTED && check != null) {
            for (int id = 0; id < ids.length; id++) {
                for (int i = 0; i < MOST_GRANTS_OF_ONE_PERMIT && subject.tryAcquire(id); i++) {
                    check.granted(id);
                }
            }
        }
        return new OpenSubject(clients, subject, check);
    }

    /** Of 16 characters each, and others for every contender, as they are all on one Redis. */
    static String[] ids(Contender contender, int count) {
        String start = String.format(Locale.ROOT, "s%02d-", Contenders.ALL.indexOf(contender) + 1);
        return IntStream.range(0, count)
                .mapToObj(i -> start + String.format(Locale.ROOT, "%012d", i))
                .toArray(String[]::new);
    }

    @Override
    public void close() {
        subject.close();
        clients.close();
    }
}
