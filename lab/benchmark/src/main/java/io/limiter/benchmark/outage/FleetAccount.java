package io.limiter.benchmark.outage;

import io.limiter.benchmark.subject.Allowance;
import io.limiter.faults.account.Excess;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The calls of a fleet for one limit, around one fault.
 *
 * @param callsOfEach those of each instance, by thread
 * @param pause between two calls of a thread
 * @param healedNanos when the fault was over
 * @param statesLost how often Redis may have forgotten permits that were taken
 */
record FleetAccount(
        Allowance limit,
        List<List<Calls>> callsOfEach,
        Duration pause,
        long faultNanos,
        long healedNanos,
        int statesLost) {

    /** Whether Redis has decided for every instance since the fault was over. */
    static boolean isRecovered(List<List<Calls>> callsOfEach, long healedNanos) {
        return callsOfEach.stream()
                .allMatch(calls -> calls.stream().anyMatch(each -> each.isDecidedByRedisAfter(healedNanos)));
    }

    FleetResult result(Library library, Fault fault) {
        List<List<Call>> byInstance =
                callsOfEach.stream().map(FleetAccount::list).toList();
        List<Call> all = byInstance.stream().flatMap(List::stream).toList();
        OptionalLong recovered = recoveredNanos(byInstance);
        long endNanos = recovered.orElseGet(
                () -> all.stream().mapToLong(Call::returnedNanos).max().orElse(healedNanos));
        List<Call> affected = all.stream()
                .filter(call -> call.calledNanos() < endNanos && call.returnedNanos() >= faultNanos)
                .toList();
        Histogram took = new Histogram(3);
        affected.forEach(call ->
                took.recordValueWithExpectedInterval(Math.max(0, call.tookNanos()), Math.max(1, pause.toNanos())));
        List<Call> granted =
                all.stream().filter(call -> call.answer().isGranted()).toList();
        boolean ours = library == Library.LIMITER;
        return new FleetResult(
                library.title(),
                callsOfEach.size(),
                limit.title(),
                fault.title(),
                (healedNanos - faultNanos) / 1e9,
                affected.size(),
                affected.stream().filter(call -> call.answer().isGranted()).count(),
                count(affected, Answer.FAILED),
                count(affected, Answer.NONE),
                above(limit.permits(), limit.permitsPerSecond(), granted),
                ours ? documented((endNanos - faultNanos) / 1e9) : null,
                ours ? above(limit.permits() + extraPermits(), 2 * limit.permitsPerSecond(), granted) : 0,
                millis(took.getValueAtPercentile(50)),
                millis(took.getValueAtPercentile(99)),
                millis(affected.stream().mapToLong(Call::tookNanos).max().orElse(0)),
                recovered.isPresent() ? millis(recovered.getAsLong() - healedNanos) : null);
    }

    private static List<Call> list(List<Calls> threads) {
        Stream.Builder<Call> calls = Stream.builder();
        threads.forEach(thread -> thread.forEach(calls::add));
        return calls.build().toList();
    }

    /** When the last instance had its first decision by Redis; empty if one had none. */
    private OptionalLong recoveredNanos(List<List<Call>> byInstance) {
        long last = healedNanos;
        for (List<Call> calls : byInstance) {
            OptionalLong first = calls.stream()
                    .filter(call -> call.answer().isOfRedis() && call.returnedNanos() > healedNanos)
                    .mapToLong(Call::returnedNanos)
                    .min();
            if (first.isEmpty()) {
                return first;
            }
            last = Math.max(last, first.getAsLong());
        }
        return OptionalLong.of(last);
    }

    /** What docs/bounds.md adds to the limit in a fault of this length. */
    private long documented(double seconds) {
        return Math.round(extraPermits() + limit.permitsPerSecond() * seconds);
    }

    /** The capacity of all shares together, at least one permit for each instance, and one capacity each time that Redis forgets. */
    private long extraPermits() {
        int instances = callsOfEach.size();
        return instances * Math.max(1, limit.permits() / instances) + statesLost * limit.permits();
    }

    /** Whole permits: what times are rounded to is far less than half of one. */
    private static long above(double capacity, double rate, List<Call> granted) {
        return Math.max(0, Math.round(Excess.of(capacity, rate, granted)));
    }

    private static long count(List<Call> calls, Answer answer) {
        return calls.stream().filter(call -> call.answer() == answer).count();
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
