package io.limiter.benchmark.scale;

import io.limiter.algorithm.TokenBucket;
import java.util.Locale;
import java.util.function.Consumer;

/** The table of what a fleet of 100 instances grants without Redis, for a limit of 1,000 permits a second. */
final class ShareTable {

    private static final long SEED = 42;
    private static final long SECOND_NANOS = CountedFleet.SECOND_NANOS;
    private static final long OUTAGE_NANOS = 10 * SECOND_NANOS;
    private static final TokenBucket LIMIT = TokenBucket.perSecond(1_000).withCapacity(1_000);

    private ShareTable() {}

    static String rows() {
        return "| 100 instances, 10 s without Redis | share 1 / n | 100 expected | share 1 |\n"
                + "| --- | ---: | ---: | ---: |\n"
                + row("all have run for a minute", ShareTable::lost, 60)
                + row("half were killed a second before", ShareTable::killed, 60)
                + row("half do not reach Redis", at -> at.cutOff(50, 60 * SECOND_NANOS), 60)
                + row("the same for a minute, then the others do not either", ShareTable::partitioned, 120)
                + row("100 more have started within the last minute", ShareTable::doubled, 120)
                + row("100 have started within the last 10 s, after none had run", ShareTable::backFromZero, 671)
                + row("100 more start meanwhile", ShareTable::joined, 60)
                + worstRow("100 more start within a minute, then 100 end", ShareTable::rollout, 60, 190);
    }

    /** Scenarios begin with 100 instances that have started within ten seconds. */
    private static CountedFleet fleet(Consumer<CountedFleet> scenario, int expected) {
        CountedFleet fleet = new CountedFleet(SEED, expected);
        fleet.start(100, 0, 10 * SECOND_NANOS);
        scenario.accept(fleet);
        return fleet;
    }

    static void lost(CountedFleet fleet) {
        fleet.lose(60 * SECOND_NANOS);
    }

    private static void killed(CountedFleet fleet) {
        fleet.kill(50, 59 * SECOND_NANOS);
        fleet.lose(60 * SECOND_NANOS);
    }

    static void partitioned(CountedFleet fleet) {
        fleet.cutOff(50, 60 * SECOND_NANOS);
        fleet.lose(120 * SECOND_NANOS);
    }

    static void doubled(CountedFleet fleet) {
        fleet.start(100, 60 * SECOND_NANOS, 120 * SECOND_NANOS);
        fleet.lose(120 * SECOND_NANOS);
    }

    static void backFromZero(CountedFleet fleet) {
        fleet.end(100, 60 * SECOND_NANOS, 61 * SECOND_NANOS);
        fleet.start(100, 661 * SECOND_NANOS, 671 * SECOND_NANOS);
        fleet.lose(671 * SECOND_NANOS);
    }

    static void joined(CountedFleet fleet) {
        fleet.lose(60 * SECOND_NANOS);
        fleet.start(100, 60 * SECOND_NANOS + 1, 70 * SECOND_NANOS);
    }

    private static void rollout(CountedFleet fleet) {
        fleet.start(100, 60 * SECOND_NANOS, 120 * SECOND_NANOS);
        fleet.end(100, 120 * SECOND_NANOS, 180 * SECOND_NANOS);
    }

    /** @param fixed whether each decides under the whole limit, whatever it knows */
    static double granted(Consumer<CountedFleet> scenario, int fromSecond, int expected, boolean fixed) {
        long from = fromSecond * SECOND_NANOS;
        return fleet(scenario, expected).granted(LIMIT, from, from + OUTAGE_NANOS, fixed);
    }

    /** The most, of an outage that begins in any second. */
    static double worst(Consumer<CountedFleet> scenario, int firstSecond, int lastSecond, int expected, boolean fixed) {
        double worst = 0;
        for (int second = firstSecond; second <= lastSecond; second++) {
            long from = second * SECOND_NANOS;
            worst = Math.max(worst, granted(scenario.andThen(fleet -> fleet.lose(from)), second, expected, fixed));
        }
        return worst;
    }

    private static String row(String name, Consumer<CountedFleet> scenario, int fromSecond) {
        return row(
                name,
                granted(scenario, fromSecond, 1, false),
                granted(scenario, fromSecond, 100, false),
                granted(scenario, fromSecond, 1, true));
    }

    private static String worstRow(String name, Consumer<CountedFleet> scenario, int firstSecond, int lastSecond) {
        return row(
                name + ", at the worst moment",
                worst(scenario, firstSecond, lastSecond, 1, false),
                worst(scenario, firstSecond, lastSecond, 100, false),
                worst(scenario, firstSecond, lastSecond, 1, true));
    }

    private static String row(String name, double ofPart, double expected, double ofWhole) {
        return String.format(Locale.ROOT, "| %s | %.2f | %.2f | %.0f |\n", name, ofPart, expected, ofWhole);
    }
}
