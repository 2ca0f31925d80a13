package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;

/**
 * The state of a {@link SlidingLog}: when permits were granted, oldest first. What was granted within one microsecond is
 * one entry. An entry holds the number of permits up to and including it, so "how many since" and "when have so many
 * left" are binary searches.
 *
 * <p>Immutable, and a value: equal if it says the same.
 */
public final class GrantLog {

    /** Counts stop here, far above every limit; so the packed form can let them go round in 32 bits. */
    static final double MOST_PERMITS = Integer.MAX_VALUE;

    static final GrantLog EMPTY = new GrantLog(new double[0], new double[0]);

    private static final double LATEST_MICROS = 0x1p53;

    private final double[] timesMicros;
    private final double[] totals;

    /**
     * @param timesMicros when, in whole microseconds since the epoch, ascending
     * @param totals how many permits up to and including each time, ascending; from 1 to 2,147,483,647
     * @throws IllegalArgumentException if they cannot be a log
     */
    @JsonCreator
    public GrantLog(
            @JsonProperty(value = "timesMicros", required = true) double[] timesMicros,
            @JsonProperty(value = "totals", required = true) double[] totals) {
        if (timesMicros.length != totals.length) {
            throw new IllegalArgumentException(
                    "not a log's state: " + timesMicros.length + " times and " + totals.length + " totals");
        }
        for (int i = 0; i < totals.length; i++) {
            double earlier = i == 0 ? -1.0 : timesMicros[i - 1];
            double fewer = i == 0 ? 0.0 : totals[i - 1];
            // Written so that NaN fails.
            if (!(timesMicros[i] > earlier
                    && timesMicros[i] < LATEST_MICROS
                    && timesMicros[i] % 1.0 == 0.0
                    && totals[i] > fewer
                    && totals[i] <= MOST_PERMITS
                    && totals[i] % 1.0 == 0.0)) {
                throw new IllegalArgumentException("not a log's state: " + totals[i] + " permits until "
                        + timesMicros[i] + ", after " + fewer + " until " + earlier);
            }
        }
        this.timesMicros = timesMicros.clone();
        this.totals = totals.clone();
    }

    /** Takes the arrays as they are, unchecked. */
    private static GrantLog of(double[] timesMicros, double[] totals) {
        return new GrantLog(timesMicros, totals, true);
    }

    private GrantLog(double[] timesMicros, double[] totals, @SuppressWarnings("unused") boolean trusted) {
        this.timesMicros = timesMicros;
        this.totals = totals;
    }

    @JsonProperty
    public double[] timesMicros() {
        return timesMicros.clone();
    }

    @JsonProperty
    public double[] totals() {
        return totals.clone();
    }

    /** How many entries there are. */
    public int size() {
        return totals.length;
    }

    /** The same log with what seems to lie in the future moved to now; this very log if there is nothing. */
    GrantLog notAfter(double nowMicros) {
        int size = size();
        if (size == 0 || timesMicros[size - 1] <= nowMicros) {
            return this;
        }
        int last = firstAfter(nowMicros - 1.0);
        double[] times = Arrays.copyOf(timesMicros, last + 1);
        double[] sums = Arrays.copyOf(totals, last + 1);
        times[last] = nowMicros;
        sums[last] = totals[size - 1];
        return of(times, sums);
    }

    /** The first entry after a moment; {@link #size()} if there is none. */
    int firstAfter(double micros) {
        int low = 0;
        int high = size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timesMicros[middle] > micros) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** How many permits an entry and all later ones hold. */
    double permitsFrom(int first) {
        return first == size() ? 0.0 : totals[size() - 1] - before(first);
    }

    /** When the newest permit was granted; there must be one. */
    double newestMicros() {
        return timesMicros[size() - 1];
    }

    /** When the last of so many permits was granted, counted from an entry; at least 1, and as many as there are. */
    double timeOf(double permits, int first) {
        return timesMicros[entryOf(permits, first)];
    }

    /**
     * The log from an entry on, with only the oldest of its permits, and others granted now behind them.
     *
     * <p>Only what is charged goes beyond a limit, and then the oldest permits do not decide anything before they leave.
     * So those ahead of the newest become one entry, and no log has more entries than twice its limit, and two.
     *
     * @param kept how many stay, from 0 to all there are
     * @param added how many come, at least 0
     */
    GrantLog replaced(int first, double kept, double added, double nowMicros, int limit) {
        int from = oldest(first, nowMicros, limit);
        int end = kept == 0.0 ? from : Math.max(from, entryOf(kept, first)) + 1;
        boolean joins = end > from && timesMicros[end - 1] == nowMicros;
        int size = end - from + (added > 0.0 && !joins ? 1 : 0);
        double[] times = Arrays.copyOfRange(timesMicros, from, from + size);
        double[] sums = Arrays.copyOfRange(totals, from, from + size);
        double before = before(first);
        for (int i = 0; i < end - from; i++) {
            sums[i] = Math.min(kept, sums[i] - before);
        }
        if (added > 0.0) {
            times[size - 1] = nowMicros;
            sums[size - 1] = kept + added;
        }
        return of(times, sums);
    }

    /** How many permits of a moment there are, counted from an entry, once the oldest are one; see {@link #replaced}. */
    double permitsAt(double micros, int first, double nowMicros, int limit) {
        int from = oldest(first, nowMicros, limit);
        int entry = firstAfter(micros - 1.0);
        return entry < from || entry == size() || timesMicros[entry] != micros
                ? 0.0
                : totals[entry] - before(entry == from ? first : entry);
    }

    /**
     * The log from an entry on, without some permits of one moment.
     *
     * @param permits at least 1, and at most {@link #permitsAt} that moment
     */
    GrantLog without(double permits, double micros, int first, double nowMicros, int limit) {
        int from = oldest(first, nowMicros, limit);
        int entry = firstAfter(micros - 1.0);
        boolean empties = permits == totals[entry] - before(entry == from ? first : entry);
        int size = size() - from - (empties ? 1 : 0);
        double[] times = new double[size];
        double[] sums = new double[size];
        double before = before(first);
        for (int i = 0; i < size; i++) {
            int old = from + i + (empties && from + i >= entry ? 1 : 0);
            times[i] = timesMicros[old];
            sums[i] = totals[old] - before - (old >= entry ? permits : 0.0);
        }
        return of(times, sums);
    }

    /** From which entry on a log is kept: the oldest of too many permits become one. */
    private int oldest(int first, double nowMicros, int limit) {
        double beyond = before(firstAfter(nowMicros - 1.0)) - before(first) - 2.0 * limit;
        return beyond > 0.0 ? entryOf(beyond, first) : first;
    }

    private double before(int first) {
        return first == 0 ? 0.0 : totals[first - 1];
    }

    private int entryOf(double permits, int first) {
        double total = before(first) + permits;
        int low = first;
        int high = size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (totals[middle] >= total) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GrantLog log
                && Arrays.equals(timesMicros, log.timesMicros)
                && Arrays.equals(totals, log.totals);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(timesMicros) + Arrays.hashCode(totals);
    }

    @Override
    public String toString() {
        return "GrantLog[timesMicros=" + Arrays.toString(timesMicros) + ", totals=" + Arrays.toString(totals) + "]";
    }
}
