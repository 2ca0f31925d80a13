package io.limiter.algorithm;

import io.limiter.algorithm.SlidingLog.State;
import java.util.Arrays;

/** A {@link SlidingLog}'s state as a limit finds it: which of its permits are kept, and which of these count in its period. */
final class LogView {

    private final State log;
    private final LogUses uses;
    private final double now;

    /** The first entry that is kept. */
    private final int first;

    /** The entry that it and its next ones become, or itself if there are not too many. */
    private final int oldest;

    /** How many permits of the log are before those that are kept. */
    private final double base;

    /** The first entry that counts. */
    private final int counting;

    /** How many permits count. */
    final double live;

    /** How many are kept before those. */
    final double earlier;

    /** @param periodMicros of the limit */
    LogView(State log, LogUses uses, long periodMicros, double now) {
        this.log = log;
        this.uses = uses;
        this.now = now;
        this.first = log.firstSince(now - uses.periodMicros() + 1.0);
        // Only charges exceed a limit, and the oldest permits then affect no decision before they leave. So the
        // oldest of more than twice the limit become one entry, and a log has at most twice its limit and two
        // entries.
        double old = log.before(log.firstSince(now)) - log.before(first);
        double beyond = old - 2.0 * uses.limit();
        this.oldest = beyond > 0.0 ? log.entryOf(log.before(first) + beyond, first) : first;
        // For the same reason they need not be counted to the last one. With a bound, what another period has been
        // charged always leaves room for what this one grants.
        this.base = log.before(first) + Math.max(0.0, old - State.MOST_OLD_PERMITS);
        int since = log.firstSince(now - periodMicros + 1.0);
        boolean merged = oldest > first && oldest >= since;
        this.counting = merged ? oldest : since;
        this.earlier = merged ? 0.0 : Math.max(0.0, log.before(since) - base);
        this.live = log.before(log.size()) - base - earlier;
    }

    /** The time of the n-th permit that counts. */
    double timeOf(double permits) {
        return log.timesMicros[log.entryOf(base + earlier + permits, counting)];
    }

    /** The number of permits that were granted at a moment and count. */
    double permitsAt(double micros) {
        int entry = log.firstSince(micros);
        return entry < counting || entry == log.size() || log.timesMicros[entry] != micros
                ? 0.0
                : log.totals[entry] - beforeEntry(entry);
    }

    private double beforeEntry(int entry) {
        return entry <= oldest ? base : log.before(entry);
    }

    /**
     * The log with only the oldest permits, and new ones granted now.
     *
     * @param kept how many permits stay, from 0 to all
     * @param added how many permits are granted now, at least 0
     */
    State replaced(double kept, double added) {
        int end = kept == 0.0 ? oldest : Math.max(oldest, log.entryOf(base + kept, first)) + 1;
        boolean joins = end > oldest && log.timesMicros[end - 1] == now;
        int size = end - oldest + (added > 0.0 && !joins ? 1 : 0);
        double[] times = Arrays.copyOfRange(log.timesMicros, oldest, oldest + size);
        double[] sums = Arrays.copyOfRange(log.totals, oldest, oldest + size);
        for (int i = 0; i < end - oldest; i++) {
            sums[i] = Math.min(kept, sums[i] - base);
        }
        if (added > 0.0) {
            times[size - 1] = now;
            sums[size - 1] = kept + added;
        }
        return State.of(times, sums, uses);
    }

    /**
     * The log without some permits granted at a moment.
     *
     * @param permits at least 1, and at most {@link #permitsAt} that moment
     */
    State without(double permits, double micros) {
        int entry = log.firstSince(micros);
        boolean empties = permits == log.totals[entry] - beforeEntry(entry);
        int size = log.size() - oldest - (empties ? 1 : 0);
        double[] times = new double[size];
        double[] sums = new double[size];
        for (int i = 0; i < size; i++) {
            int old = oldest + i + (empties && oldest + i >= entry ? 1 : 0);
            times[i] = log.timesMicros[old];
            sums[i] = log.totals[old] - base - (old >= entry ? permits : 0.0);
        }
        return State.of(times, sums, uses);
    }
}
