package io.limiter.benchmark.outage;

import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.RedisClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Puts fleets of one library under each fault. An instance has connections of its own, but shares this JVM with the others. Its threads
 * call two limits at the same time, both of which the fleet shares.
 *
 * <p>A caller that waits for ever does not hold up the run: the fault lasts as long as it is meant to, and the account is closed a while
 * later.
 */
public final class FleetOutage {

    /** How many instances there are. */
    public static final List<Integer> FLEETS = List.of(1, 4, 10);

    /** The limit that most callers call. */
    public static final Allowance FAST = Allowance.perSecond(1000);

    private static final Allowance SLOW = new Allowance(1, Duration.ofMinutes(1));

    /** How many threads of an instance call each limit. */
    private static final int FAST_THREADS = 8;

    private static final int SLOW_THREADS = 2;

    /** How often the fleet calls {@link #FAST} in a second, if calls take no time: twice as often as it grants. */
    private static final int CALLS_PER_SECOND = 2000;

    /** Until connections are open, code is compiled and the instances have counted each other. */
    private static final double WARM_UP_SECONDS = 2.5;

    /** How long Redis may take to decide again. */
    private static final double RECOVERY_SECONDS = 6;

    /** What shows after that. */
    private static final double AFTER_SECONDS = 0.5;

    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Opening and closing clients and servers. */
    private static final double OVERHEAD_SECONDS = 2.5;

    private static final int MOST_SECONDS = 120;

    private final Library library;
    private final int instances;
    private final Fault fault;
    private final Duration pause;

    private FleetOutage(Library library, int instances, Fault fault) {
        this.library = library;
        this.instances = instances;
        this.fault = fault;
        this.pause = Duration.ofSeconds(1)
                .multipliedBy((long) instances * FAST_THREADS)
                .dividedBy(CALLS_PER_SECOND);
    }

    /** About how long one library takes. */
    public static double plannedSeconds() {
        double seconds = 0;
        for (Fault fault : Fault.values()) {
            seconds += OVERHEAD_SECONDS + WARM_UP_SECONDS + Math.max(2, fault.seconds()) + AFTER_SECONDS;
        }
        return seconds * FLEETS.size();
    }

    /** All fleets of a library, under all faults. */
    public static List<FleetResult> run(Library library) throws InterruptedException {
        List<FleetResult> results = new ArrayList<>();
        for (int instances : FLEETS) {
            for (Fault fault : Fault.values()) {
                results.addAll(run(library, instances, fault, WARM_UP_SECONDS, fault.seconds()));
            }
        }
        return results;
    }

    /** One result for each limit. */
    static List<FleetResult> run(Library library, int instances, Fault fault, double warmUpSeconds, double faultSeconds)
            throws InterruptedException {
        try (FaultyRedis redis = FaultyRedis.start(fault)) {
            return new FleetOutage(library, instances, fault).run(redis, warmUpSeconds, faultSeconds);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<FleetResult> run(FaultyRedis redis, double warmUpSeconds, double faultSeconds)
            throws IOException, InterruptedException {
        try (Closing opened = new Closing()) {
            Load load = new Load((int) (MOST_SECONDS * 1_000_000_000L / pause.toNanos()));
            Map<Allowance, List<List<Calls>>> calls = start(load, open(redis, opened));
            sleep(warmUpSeconds);
            long faultNanos = System.nanoTime();
            int statesLost = redis.inflict(faultSeconds);
            long healedNanos = System.nanoTime();
            awaitRecovery(calls, healedNanos);
            load.end(PATIENCE);
            return calls.entrySet().stream()
                    .map(each -> new FleetAccount(
                                    each.getKey(), each.getValue(), pause, faultNanos, healedNanos, statesLost)
                            .result(library, fault))
                    .toList();
        }
    }

    private List<Function<Allowance, Decider>> open(FaultyRedis redis, Closing opened) {
        List<Function<Allowance, Decider>> all = new ArrayList<>();
        for (int i = 0; i < instances; i++) {
            RedisClients clients = redis.clients();
            opened.add(clients::close);
            all.add(library.open(clients, "instance-" + i, opened));
        }
        return all;
    }

    private Map<Allowance, List<List<Calls>>> start(Load load, List<Function<Allowance, Decider>> fleet) {
        Map<Allowance, List<List<Calls>>> calls = new LinkedHashMap<>();
        calls.put(FAST, new ArrayList<>());
        calls.put(SLOW, new ArrayList<>());
        for (Function<Allowance, Decider> instance : fleet) {
            calls.forEach((limit, ofEach) -> {
                Decider decider = instance.apply(limit);
                ofEach.add(load.start(limit == FAST ? FAST_THREADS : SLOW_THREADS, unused -> decider, pause));
            });
        }
        return calls;
    }

    private static void awaitRecovery(Map<Allowance, List<List<Calls>>> calls, long healedNanos)
            throws InterruptedException {
        long deadline = healedNanos + (long) (RECOVERY_SECONDS * 1e9);
        while (System.nanoTime() - deadline < 0
                && !calls.values().stream().allMatch(each -> FleetAccount.isRecovered(each, healedNanos))) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        sleep(AFTER_SECONDS);
    }

    private static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }
}
