package io.limiter.testing;

import io.limiter.algorithm.TokenBucket;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An account of when permits come due, independent of the limiter's algorithm: the most permits that are due in any interval,
 * beyond the permits that the limit allows in it.
 */
public final class Ledger {

    private final List<Entry> entries = new ArrayList<>();
    private double returned;
    private long most;

    /** Permits that may be used from a moment on, unless they are cancelled. */
    public static final class Entry {

        private final long dueMicros;
        private final long reserved;
        private long permits;

        private Entry(long dueMicros, long permits) {
            this.dueMicros = dueMicros;
            this.reserved = permits;
            this.permits = permits;
        }

        public void cancel() {
            cancel(permits);
        }

        /** Cancels some of them. */
        public void cancel(long fewer) {
            permits -= fewer;
        }
    }

    /** One that goes on by itself. */
    public Ledger copy() {
        Ledger copy = new Ledger();
        entries.stream().filter(entry -> entry.permits > 0).forEach(copy.entries::add);
        copy.returned = returned;
        copy.most = most;
        return copy;
    }

    public Entry granted(long dueMicros, long permits) {
        Entry entry = new Entry(dueMicros, permits);
        entries.add(entry);
        most = Math.max(most, permits);
        return entry;
    }

    /** Permits that were used, and still come back. */
    public void refunded(long permits) {
        returned += permits;
    }

    /**
     * The most by which what is due in an interval exceeds {@code capacity + rate * length}, or what is refunded on top. A
     * request for more than the capacity is due immediately. Dues are whole microseconds, so an interval may be two of them
     * longer than it looks.
     */
    public double excess(double capacity, double permitsPerSecond) {
        List<Entry> due = due();
        double sum = 0.0;
        double least = Double.POSITIVE_INFINITY;
        double worst = 0.0;
        for (Entry entry : due) {
            double allowed = permitsPerSecond * (entry.dueMicros - due.get(0).dueMicros) / 1e6;
            least = Math.min(least, sum - allowed);
            sum += entry.permits;
            worst = Math.max(worst, sum - allowed - least);
        }
        return beyond(Math.max(capacity, most), worst, permitsPerSecond);
    }

    /** The same for the largest capacity and the highest rate of several definitions that take turns. */
    public double excess(List<TokenBucket> definitions) {
        double capacity =
                definitions.stream().mapToDouble(TokenBucket::maxPermits).max().orElseThrow();
        double rate = definitions.stream()
                .mapToDouble(TokenBucket::permitsPerSecond)
                .max()
                .orElseThrow();
        return excess(capacity, rate);
    }

    /** The same where the next caller waits: of the requests that are due in an interval, one more than that. */
    public double excessButOne(double capacity, double permitsPerSecond) {
        List<Entry> due = due();
        double worst = 0.0;
        for (int first = 0; first < due.size(); first++) {
            double sum = 0.0;
            long largest = 0;
            for (Entry entry : due.subList(first, due.size())) {
                sum += entry.permits;
                largest = Math.max(largest, entry.permits);
                double allowed = permitsPerSecond * (entry.dueMicros - due.get(first).dueMicros) / 1e6;
                worst = Math.max(worst, sum - largest - allowed);
            }
        }
        return beyond(capacity, worst, permitsPerSecond);
    }

    private List<Entry> due() {
        return entries.stream()
                .filter(entry -> entry.permits > 0)
                .sorted(Comparator.comparingLong(entry -> entry.dueMicros))
                .toList();
    }

    private double beyond(double allowed, double worst, double permitsPerSecond) {
        double blur = 2e-6 * permitsPerSecond + 1e-6;
        return Math.max(0.0, worst - allowed - returned - blur);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        entries.forEach(entry -> text.append(entry.permits)
                .append(entry.permits == entry.reserved ? "" : " of " + entry.reserved)
                .append('@')
                .append(entry.dueMicros)
                .append(' '));
        return text.toString();
    }
}
