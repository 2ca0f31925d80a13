package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Opener;
import io.limiter.benchmark.subject.RedisClients;
import io.limiter.benchmark.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A contender ready for a cell, with what belongs to it. */
final class OpenSubject implements AutoCloseable {

    private static final int PREPARING_THREADS = 16;
    private static final int MOST_GRANTS_OF_ONE_PERMIT = 1000;

    private final Contender contender;
    private final RedisClients clients;
    private final Subject subject;
    private final @Nullable LimitCheck check;

    private OpenSubject(Contender contender, RedisClients clients, Subject subject, @Nullable LimitCheck check) {
        this.contender = contender;
        this.clients = clients;
        this.subject = subject;
        this.check = check;
    }

    static OpenSubject open(Contender contender, Cell cell, String[] ids, BenchmarkRedis redis)
            throws InterruptedException {
        Outcome outcome = cell.outcome();
        Allowance allowance = outcome.allowance(cell.keys());
        RedisClients clients = redis.clients();
        Opener opener = contender.opener();
        Subject subject = outcome.instances() == 1
                ? opener.open(clients, allowance, ids)
                : Fleet.of(outcome.instances(), () -> opener.open(clients, allowance, ids));
        if (outcome.startsFresh()) {
            redis.awaitLateInASecond();
        }
        LimitCheck check = outcome.limits() && !contender.isFloor() ? new LimitCheck(allowance, ids.length) : null;
        OpenSubject open = new OpenSubject(contender, clients, subject, check);
        if (outcome == Outcome.REJECTED && check != null) {
            open.useUpPermits(ids.length, check);
        }
        return open;
    }

    Contender contender() {
        return contender;
    }

    RedisClients clients() {
        return clients;
    }

    Subject subject() {
        return subject;
    }

    /** Nothing where next to nothing is limited. */
    @Nullable
    LimitCheck check() {
        return check;
    }

    private void useUpPermits(int ids, LimitCheck counted) throws InterruptedException {
        int threads = Math.min(ids, PREPARING_THREADS);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int part = 0; part < threads; part++) {
                int first = part;
                parts.add(executor.submit(() -> IntStream.iterate(first, id -> id < ids, id -> id + threads)
                        .forEach(id -> useUp(id, counted))));
            }
            for (Future<?> part : parts) {
                part.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("could not use up the permits of " + contender.name(), e.getCause());
        } finally {
            executor.shutdown();
        }
    }

    private void useUp(int id, LimitCheck counted) {
        for (int i = 0; i < MOST_GRANTS_OF_ONE_PERMIT && subject.tryAcquire(id); i++) {
            counted.granted(id);
        }
    }

    @Override
    public void close() {
        subject.close();
        clients.close();
    }
}
