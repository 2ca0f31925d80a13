package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.measure.Caller.Answer;
import io.limiter.benchmark.measure.CallerResults.Phase;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contenders;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs cells: every subject in every round, one after the other, in an order that is turned by one place from round to
 * round, so that what slows the machine down for a while does not hit the same subject each time.
 */
public final class CellRunner {

    private static final long LONGEST_WAIT_SECONDS = 30;

    private final BenchmarkRedis redis;
    private final Timing timing;
    private final Consumer<String> progress;

    /**
     * @param progress gets a line for each slice
     */
    public CellRunner(BenchmarkRedis redis, Timing timing, Consumer<String> progress) {
        this.redis = redis;
        this.timing = timing;
        this.progress = progress;
    }

    /** Those of the contenders that the cell suits. One that throws where it must not takes no further part in it. */
    public CellResult run(Cell cell, List<Contender> contenders) throws InterruptedException {
        CellResult result = new CellResult(cell);
        List<Contender> taking =
                new ArrayList<>(contenders.stream().filter(cell::suits).toList());
        int[] requests = cell.keys().requests();
        redis.deleteAllKeys();
        Map<Contender, OpenSubject> open = new LinkedHashMap<>();
        try {
            for (int round = 0; round < timing.rounds(); round++) {
                for (Contender contender : inTurn(taking, round)) {
                    try {
                        result.add(contender, slice(cell, contender, open, requests, round));
                    } catch (RuntimeException e) {
                        taking.remove(contender);
                        result.addProblem(contender, e.toString());
                        progress.accept(cell.name() + "  " + contender.name() + "  given up: " + e);
                    }
                }
            }
        } finally {
            open.values().forEach(OpenSubject::close);
        }
        return result;
    }

    /** A subject is opened once, or for every slice if those begin with full buckets. */
    private Slice slice(Cell cell, Contender contender, Map<Contender, OpenSubject> open, int[] requests, int round)
            throws InterruptedException {
        OpenSubject subject = open.get(contender);
        if (subject == null) {
            subject = OpenSubject.open(contender, cell, ids(contender, requests), redis);
            open.put(contender, subject);
        }
        try {
            return slice(cell, subject, requests, round);
        } finally {
            if (cell.outcome().startsFresh()) {
                open.remove(contender);
                subject.close();
                redis.deleteAllKeys();
            }
        }
    }

    private Slice slice(Cell cell, OpenSubject open, int[] requests, int round) throws InterruptedException {
        CallerResults results = new CallerResults(cell.load().callers(), requests, open.check());
        Driver driver = Driver.start(cell.load(), open.subject(), results);
        Slice slice;
        try {
            double warmUp = timing.warmUpSeconds(round);
            sleep(warmUp);
            results.limitTimings(warmUp);
            slice = measure(cell, open, results);
        } finally {
            results.enter(Phase.STOPPED);
            driver.awaitEnd();
        }
        report(cell, open.contender(), round, slice, results);
        return slice;
    }

    private Slice measure(Cell cell, OpenSubject open, CallerResults results) throws InterruptedException {
        RedisStats redisBefore = redis.stats();
        ClientStats clientBefore = ClientStats.now();
        long sentBefore = open.clients().commandsSent();
        long startNanos = System.nanoTime();
        results.enter(Phase.MEASURED);
        sleep(Math.max(timing.seconds(), cell.outcome().leastSeconds()));
        awaitAnAnswer(results);
        results.enter(Phase.COOL_DOWN);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long sent = open.clients().commandsSent() - sentBefore;
        ClientStats client = ClientStats.now();
        RedisStats used = redis.stats().since(redisBefore);
        LimitCheck check = open.check();
        return new Slice(
                seconds,
                results.count(Phase.MEASURED, Answer.GRANTED),
                results.count(Phase.MEASURED, Answer.REJECTED),
                results.count(Phase.MEASURED, Answer.FAILED),
                results.latencies(),
                sent,
                used,
                client.cpuNanosSince(clientBefore),
                client.allocatedBytesSince(clientBefore),
                check == null ? 0 : check.above());
    }

    /** So that a slice of a slow subject is longer, rather than empty. */
    private static void awaitAnAnswer(CallerResults results) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
        while (results.count(Phase.MEASURED, Answer.values()) == 0 && System.nanoTime() - deadline < 0) {
            Thread.sleep(1);
        }
    }

    private void report(Cell cell, Contender contender, int round, Slice slice, CallerResults results) {
        Throwable failure = results.failure();
        progress.accept(String.format(
                Locale.ROOT,
                "%-28s %d/%d  %-22s %,12.0f/s%s%s",
                cell.name(),
                round + 1,
                timing.rounds(),
                contender.name(),
                slice.decisionsPerSecond(),
                slice.above() > 0 ? "  " + slice.above() + " above the limit" : "",
                failure == null ? "" : "  " + slice.failed() + " failed, the first with " + failure));
    }

    private static void sleep(double seconds) throws InterruptedException {
        Thread.sleep(Math.round(seconds * 1000));
    }

    private static List<Contender> inTurn(List<Contender> contenders, int round) {
        List<Contender> turned = new ArrayList<>(contenders);
        Collections.rotate(turned, -round);
        return turned;
    }

    private static String[] ids(Contender contender, int[] requests) {
        return ids(contender, 1 + IntStream.of(requests).max().orElse(0));
    }

    /** Of 16 characters each, and others for every contender, as they are all on one Redis. */
    static String[] ids(Contender contender, int count) {
        String start = String.format(Locale.ROOT, "s%02d", Contenders.ALL.indexOf(contender) + 1);
        String[] ids = new String[count];
        for (int i = 0; i < count; i++) {
            ids[i] = start + String.format(Locale.ROOT, "-%012d", i);
        }
        return ids;
    }
}
