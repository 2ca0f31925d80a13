package io.limiter.faults.account;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The calls of all JVMs of an experiment.
 *
 * @param ofEach the calls of each JVM, in the order of their returns
 * @param neighbours what other processes took of the machine meanwhile
 */
public record Accounts(List<List<Entry>> ofEach, List<Slice> neighbours) {

    /** The longest pause that counts for the decision timeout. */
    private static final long PAUSE_MICROS = 25_000;

    /** The share of the processors that other processes took in a slice of time. */
    public record Slice(long fromMicros, long toMicros, double share) {}

    public List<Entry> all() {
        return ofEach.stream().flatMap(List::stream).toList();
    }

    public static List<Entry> of(Collection<Entry> entries, Predicate<Entry> which) {
        return entries.stream().filter(which).toList();
    }

    /** The calls that were granted, by their key. */
    public static Map<Integer, List<Entry>> grantedByKey(Collection<Entry> entries, Predicate<Entry> which) {
        return entries.stream()
                .filter(entry -> entry.granted() && which.test(entry))
                .collect(Collectors.groupingBy(Entry::key));
    }

    /** The most JVMs that called at the same time. */
    public long atOnce() {
        return Overlap.of(ofEach.stream()
                .filter(account -> !account.isEmpty())
                .map(account -> new Entry(
                        account.stream().mapToLong(Entry::callMicros).min().orElseThrow(),
                        account.stream()
                                .mapToLong(entry -> Math.max(entry.callMicros(), entry.returnMicros()))
                                .max()
                                .orElseThrow(),
                        Limiters.ROOMY,
                        0,
                        1,
                        Answer.CONTROL,
                        false))
                .toList());
    }

    /**
     * For how long the machine had no processor for the experiment, in microseconds: the longer of two measures. One is when threads
     * that only park went on too late in all JVMs, because one that is paused alone has no excuse. The other is the share of the
     * processors that other processes took. Shorter pauses are what the limiter must bear.
     */
    public long machineTook(long fromMicros, long toMicros) {
        return Math.max(paused(fromMicros, toMicros), takenByOthers(fromMicros, toMicros));
    }

    private long takenByOthers(long fromMicros, long toMicros) {
        return (long) neighbours.stream()
                .mapToDouble(slice -> slice.share()
                        * Math.max(0, Math.min(slice.toMicros(), toMicros) - Math.max(slice.fromMicros(), fromMicros)))
                .sum();
    }

    private long paused(long fromMicros, long toMicros) {
        return ofEach.stream()
                .map(account -> of(account, entry -> entry.answer() == Answer.CONTROL))
                // Not of one that was started or killed meanwhile.
                .filter(parks -> parks.stream().anyMatch(park -> park.callMicros() <= fromMicros)
                        && parks.stream().anyMatch(park -> park.returnMicros() >= toMicros))
                .mapToLong(parks -> parks.stream()
                        .filter(park -> park.tookMicros() > PAUSE_MICROS)
                        .mapToLong(park -> Math.max(
                                0, Math.min(park.returnMicros(), toMicros) - Math.max(park.callMicros(), fromMicros)))
                        .sum())
                .min()
                .orElse(0);
    }
}
