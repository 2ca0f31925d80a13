package io.limiter.faults.account;

import java.util.Comparator;
import java.util.List;

/**
 * The most permits that a JVM can have prefetched and not used when it is killed. One that is not killed returns them, so
 * for it there are none.
 *
 * <p>A call requests {@code e + 2 * sqrt(e)} permits, less what is left of earlier ones. Here {@code e} is what was requested since
 * the call before, {@code u}, as a rate, for the 0.3 prefetch times that it has to last: {@code u * 0.3 * time / since}, at most
 * {@code 4 * u}, which is so from {@code since = 0.075 * time} down. A time of any length is covered by so many of 0.075 prefetch
 * times that it is at most twice as long as they are in part, so {@code e} is at most eight times what was requested in the
 * busiest of these.
 */
public final class Held {

    private static final double SHORTEST = 0.075;
    private static final int MOST_GROWTH = 8;

    private Held() {}

    /** By the calls of one JVM. */
    public static long most(Limiters limiter, List<Entry> account) {
        long micros = (long) (SHORTEST * Limiters.PREFETCH.time().toNanos() / 1000);
        List<Entry> calls = account.stream()
                .filter(entry -> entry.limiter() == limiter && entry.permits() > 0)
                .sorted(Comparator.comparingLong(Entry::callMicros))
                .toList();
        long busiest = 0;
        long requested = 0;
        int first = 0;
        for (Entry call : calls) {
            requested += call.permits();
            while (call.callMicros() - calls.get(first).callMicros() > micros) {
                requested -= calls.get(first).permits();
                first++;
            }
            busiest = Math.max(busiest, requested);
        }
        double most = (double) MOST_GROWTH * busiest;
        return (long) Math.ceil(most + 2 * Math.sqrt(most));
    }
}
