package io.limiter.benchmark.measure;

import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.benchmark.load.FleetLoad;
import io.limiter.benchmark.measure.Slice.Latency;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Measures what prefetch keeps and lets through in a fleet; with and without it take turns in every round. */
public record FleetRunner(BenchmarkRedis redis, Timing timing) {

    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The load before each round, in which a full bucket is used up: twice what a limit grants needs a second for that. */
    private static final double SETTLE_SECONDS = 1.5;

    /**
     * What a fleet did under a load.
     *
     * @param prefetching whether its instances prefetched permits
     * @param rounds one for each
     */
    public record Result(FleetLoad load, boolean prefetching, List<Round> rounds) implements Rounds<Round> {

        /** The most permits that a key may be granted beyond its refill. */
        public double bound() {
            return load.capacity()
                    + (prefetching ? load.capacity() * Fleet.prefetchTime().toNanos() / 1e9 : 0);
        }

        /** In words, if the bound was exceeded; empty if it held. */
        public String problem() {
            double most = spread(Round::aboveRefill).most();
            return most > bound()
                    ? String.format(
                            Locale.ROOT,
                            "%s%s: %.1f were granted beyond the refill, where at most %.1f may be",
                            load.title(),
                            prefetching ? ", prefetch" : "",
                            most,
                            bound())
                    : "";
        }
    }

    /**
     * The figures of a round.
     *
     * @param latency from the arrival of a request
     * @param calls commands that the instances sent to Redis, for each decision
     * @param prefetched the part of the decisions for which permits were prefetched
     * @param ofPossible grants, for each that one bucket would have granted
     * @param rejectedEarly the part of the decisions that rejected although one bucket would have had a permit
     * @param aboveRefill the most that a key was granted in any time beyond its refill
     */
    public record Round(
            Latency latency,
            double calls,
            double prefetched,
            double ofPossible,
            double rejectedEarly,
            double aboveRefill) {}

    private static double settleSeconds(Timing timing) {
        return Math.min(SETTLE_SECONDS, timing.seconds());
    }

    /** About how long it takes. */
    public static double plannedSeconds(Timing timing, List<List<FleetLoad>> fleets) {
        return fleets.stream()
                .mapToDouble(loads -> 2 * timing.warmUpSeconds()
                        + 2 * loads.size() * timing.rounds() * (settleSeconds(timing) + timing.seconds() + 0.1))
                .sum();
    }

    /** @param fleets the loads of each, which are of one size and at least one */
    public List<Result> run(List<List<FleetLoad>> fleets) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (List<FleetLoad> loads : fleets) {
            try (Fleet fleet = Fleet.open(loads.get(0).instances(), redis)) {
                FleetLoad busiest = loads.stream()
                        .max((one, other) -> Integer.compare(one.perSecond(), other.perSecond()))
                        .orElseThrow();
                for (boolean prefetching : new boolean[] {false, true}) {
                    measure(fleet, new Run("warm-up", busiest, prefetching), 0, timing.warmUpSeconds());
                }
                for (int i = 0; i < loads.size(); i++) {
                    results.addAll(takeTurns(fleet, "load-" + i, loads.get(i)));
                    redis.deleteAllKeys();
                }
            }
        }
        return results;
    }

    private List<Result> takeTurns(Fleet fleet, String name, FleetLoad load) throws InterruptedException {
        List<Run> runs = List.of(new Run(name, load, false), new Run(name, load, true));
        List<Result> results = runs.stream()
                .map(run -> new Result(load, run.prefetching, new ArrayList<>()))
                .toList();
        for (int round = 0; round < timing.rounds(); round++) {
            for (int i = 0; i < runs.size(); i++) {
                results.get(i).rounds().add(measure(fleet, runs.get(i), settleSeconds(timing), timing.seconds()));
            }
        }
        return results;
    }

    /** With and without prefetch are limits of their own, so that a round of one finds the bucket full again after a round of the other. */
    private record Run(String name, FleetLoad load, boolean prefetching) {

        List<RateLimiter.Async> limiters(Fleet fleet) {
            return fleet.limiters(
                    name + (prefetching ? "-prefetched" : ""), TokenBucket.perSecond(load.capacity()), prefetching);
        }
    }

    private static Round measure(Fleet fleet, Run run, double settleSeconds, double seconds)
            throws InterruptedException {
        List<RateLimiter.Async> limiters = run.limiters(fleet);
        FleetLoad load = run.load;
        long[] due = load.dueNanos(settleSeconds + seconds);
        int[] targets = load.targets(due.length);
        int[] drawn = load.keys().requests();
        int[] keys = IntStream.range(0, due.length)
                .map(i -> drawn[i & (drawn.length - 1)])
                .toArray();
        String[] ids = IntStream.range(0, load.keys().ids())
                .mapToObj(id -> String.format(Locale.ROOT, "%016d", id))
                .toArray(String[]::new);
        int first = (int) IntStream.range(0, due.length)
                .filter(i -> due[i] < settleSeconds * 1e9)
                .count();
        FleetAccount account = new FleetAccount(keys, due);
        long start = System.nanoTime() + LEAD_NANOS;
        long callsBefore = fleet.commandsSent();
        for (int i = 0; i < due.length; i++) {
            await(start + due[i]);
            if (i == first) {
                callsBefore = fleet.commandsSent();
            }
            int request = i;
            account.sent(request, System.nanoTime() - start);
            limiters.get(targets[i]).decide(ids[keys[i]]).whenComplete((decision, error) -> {
                if (error == null) {
                    account.answered(request, System.nanoTime() - start, decision);
                } else {
                    account.failed(error);
                }
            });
        }
        account.awaitAnswers();
        double decisions = due.length - first;
        return new Round(
                account.latency(first),
                (fleet.commandsSent() - callsBefore) / decisions,
                account.prefetched(first),
                account.grantedOfPossible(first, load.capacity(), load.capacity()),
                account.rejectedEarly(first, load.capacity(), load.capacity()),
                account.mostAboveRefill(load.capacity()));
    }

    private static void await(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
