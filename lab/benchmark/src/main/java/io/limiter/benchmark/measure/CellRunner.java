package io.limiter.benchmark.measure;

import io.limiter.benchmark.load.Cell;
import io.limiter.benchmark.load.Outcome;
import io.limiter.benchmark.measure.Callers.Answer;
import io.limiter.benchmark.measure.Callers.Phase;
import io.limiter.benchmark.measure.Slice.Latency;
import io.limiter.benchmark.subject.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Runs cells: first every subject is warmed up; then every subject in every round, one after the other, in an order that is
 * turned by one place from round to round, so that what slows the machine down for a while does not hit the same subject
 * each time. At the end every subject gets the same demand on a limit below it, and its grants are checked.
 */
public record CellRunner(BenchmarkRedis redis, Timing timing) {

    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final double NEXT_TO_NOTHING = 0.01;

    /** Runs a cell with those of the contenders that it suits. One that throws where it must not takes no further part in it. */
    public CellResult run(Cell cell, List<Contender> contenders) throws InterruptedException {
        CellResult result = saturate(cell, contenders);
        if (!cell.outcome().limits()) {
            List<Contender> checked = contenders.stream().filter(result::has).toList();
            try (Turns turns = new Turns(cell.limited(), checked, result)) {
                turns.take(0, new Step(timing.settleSeconds(), timing.seconds(), false));
            }
        }
        return result;
    }

    /** Without the check at the end. */
    CellResult saturate(Cell cell, List<Contender> contenders) throws InterruptedException {
        CellResult result = new CellResult(cell, redis.roundTrip(cell));
        redis.deleteAllKeys();
        try (Turns turns = new Turns(cell, contenders, result)) {
            turns.take(0, new Step(timing.warmUpSeconds(), NEXT_TO_NOTHING, false));
            for (int round = 0; round < timing.rounds(); round++) {
                turns.take(round, new Step(timing.settleSeconds(), timing.seconds(), true));
            }
        }
        return result;
    }

    /**
     * One slice of each subject.
     *
     * @param counts whether it is part of the figures
     */
    private record Step(double unmeasuredSeconds, double seconds, boolean counts) {}

    /** The slices of all subjects under one load. */
    private final class Turns implements AutoCloseable {

        private final Cell cell;
        private final List<Contender> taking;
        private final int[] requests;
        private final CellResult result;
        private final Map<Contender, OpenSubject> open = new LinkedHashMap<>();

        Turns(Cell cell, List<Contender> contenders, CellResult result) {
            this.cell = cell;
            this.taking =
                    new ArrayList<>(contenders.stream().filter(cell::suits).toList());
            this.requests = cell.keys().requests();
            this.result = result;
        }

        /** A slice of each. */
        void take(int round, Step step) throws InterruptedException {
            List<Contender> inTurn = new ArrayList<>(taking);
            Collections.rotate(inTurn, -round);
            for (Contender contender : inTurn) {
                try {
                    take(contender, step);
                } catch (RuntimeException e) {
                    taking.remove(contender);
                    result.giveUp(contender, e);
                }
            }
        }

        /** A subject is opened once, or for every slice if those begin with full buckets. */
        private void take(Contender contender, Step step) throws InterruptedException {
            OpenSubject subject = open.get(contender);
            if (subject == null) {
                int ids = 1 + IntStream.of(requests).max().orElse(0);
                subject = OpenSubject.open(contender, cell, ids, redis);
                open.put(contender, subject);
            }
            try {
                Callers callers = new Callers(cell.callers(), requests, subject.check());
                Slice slice = slice(cell, subject, callers, step);
                if (step.counts()) {
                    result.add(contender, slice);
                }
                result.addOutcome(contender, subject.check(), callers.failure());
            } finally {
                if (cell.outcome() == Outcome.LIMITED) {
                    open.remove(contender);
                    subject.close();
                    redis.deleteAllKeys();
                }
            }
        }

        @Override
        public void close() {
            open.values().forEach(OpenSubject::close);
        }
    }

    private Slice slice(Cell cell, OpenSubject open, Callers callers, Step step) throws InterruptedException {
        Driver driver = Driver.start(cell, open.subject(), callers);
        try {
            sleep(step.unmeasuredSeconds());
            callers.limitTimings(step.unmeasuredSeconds());
            return measure(open, callers, step.seconds());
        } finally {
            callers.enter(Phase.STOPPED);
            driver.awaitEnd();
        }
    }

    private Slice measure(OpenSubject open, Callers callers, double atLeastSeconds) throws InterruptedException {
        double redisBefore = redis.cpuMicros();
        ClientStats clientBefore = ClientStats.now();
        long sentBefore = open.clients().commandsSent();
        long startNanos = System.nanoTime();
        callers.enter(Phase.MEASURED);
        sleep(atLeastSeconds);
        // So that a slice of a slow subject is longer, rather than empty.
        long deadline = System.nanoTime() + LONGEST_WAIT_NANOS;
        while (callers.count(Phase.MEASURED, Answer.values()) == 0 && System.nanoTime() - deadline < 0) {
            Thread.sleep(1);
        }
        callers.enter(Phase.COOL_DOWN);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long sent = open.clients().commandsSent() - sentBefore;
        ClientStats client = ClientStats.now();
        double redisCpuMicros = redis.cpuMicros() - redisBefore;
        return new Slice(
                seconds,
                callers.count(Phase.MEASURED, Answer.GRANTED),
                callers.count(Phase.MEASURED, Answer.REJECTED),
                callers.count(Phase.MEASURED, Answer.FAILED),
                Latency.of(callers.latencies()),
                sent,
                redisCpuMicros,
                client.cpuNanosSince(clientBefore),
                client.allocatedBytesSince(clientBefore));
    }

    private static void sleep(double seconds) throws InterruptedException {
        Thread.sleep(Math.round(seconds * 1000));
    }
}
