package io.limiter.faults.account;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The most by which grants exceed {@code capacity + rate * d} in any interval of length {@code d}.
 *
 * <p>Of a grant only the call and the return are known; the limiter decided somewhere between. Whatever the moments were, the
 * grants <em>called at or after a and returned by b</em> were all made within {@code [a, b]}. So
 *
 * <pre>
 *   excess = max over a &lt;= b of   sum { permits i : a &lt;= call i, return i &lt;= b }  -  rate * (b - a)  -  capacity
 * </pre>
 *
 * is proven by the account: a limiter that kept its limit has none, however slow its callers were. (A real excess can be
 * larger, by what the limit refills while a call lasts.) The sum only changes at calls and returns, so {@code a} is one of
 * the calls and {@code b} one of the returns.
 *
 * <p>Computed in {@code O(n log n)}. The leaves of a tree are the calls in order of time, each with
 * {@code rate * call}; it counts from when a grant of it is added. Grants are added in the order of their returns. After a
 * grant is added, the best {@code a} for {@code b = return} is that with the greatest {@code rate * a + (permits added at a
 * or later)}. A node knows the permits below it and the greatest such value below it:
 *
 * <pre>
 *   permits = left.permits + right.permits
 *   best    = max(right.best, left.best + right.permits)
 * </pre>
 *
 * so that adding a grant changes {@code log n} nodes, and the root has the answer.
 */
public final class Excess {

    /** Permits that a caller got at some moment from its call to the return. */
    public interface Grant {

        long callMicros();

        long returnMicros();

        int permits();
    }

    /** One permit, with times in nanoseconds. They are rounded away from each other, so that no grant seems shorter than it was. */
    public interface NanosGrant extends Grant {

        long calledNanos();

        long returnedNanos();

        @Override
        default long callMicros() {
            return Math.floorDiv(calledNanos(), 1000);
        }

        @Override
        default long returnMicros() {
            return -Math.floorDiv(-returnedNanos(), 1000);
        }

        @Override
        default int permits() {
            return 1;
        }
    }

    private final long[] calls;
    private final double[] permits;
    private final double[] best;
    private final int leaves;
    private final long origin;
    private final double rate;

    private Excess(List<? extends Grant> grants, double rate) {
        calls = grants.stream().mapToLong(Grant::callMicros).sorted().distinct().toArray();
        origin = calls[0];
        leaves = Math.max(1, Integer.highestOneBit(calls.length - 1 | 1) << 1);
        permits = new double[2 * leaves];
        best = new double[2 * leaves];
        Arrays.fill(best, Double.NEGATIVE_INFINITY);
        this.rate = rate;
    }

    /**
     * The excess, or a negative number if no interval comes that close to the limit.
     *
     * @param rate permits per second
     * @param grants of one key
     */
    public static double of(double capacity, double rate, Collection<? extends Grant> grants) {
        if (grants.isEmpty()) {
            return -capacity;
        }
        List<? extends Grant> byReturn = grants.stream()
                .sorted(Comparator.comparingLong(Grant::returnMicros))
                .toList();
        Excess excess = new Excess(byReturn, rate);
        double worst = Double.NEGATIVE_INFINITY;
        for (Grant grant : byReturn) {
            excess.add(grant);
            worst = Math.max(worst, excess.best[1] - rate * excess.seconds(grant.returnMicros()));
        }
        return worst - capacity;
    }

    private void add(Grant grant) {
        int node = leaves + Arrays.binarySearch(calls, grant.callMicros());
        permits[node] += grant.permits();
        best[node] = permits[node] + rate * seconds(grant.callMicros());
        for (node /= 2; node > 0; node /= 2) {
            update(node);
        }
    }

    private void update(int node) {
        int left = 2 * node;
        int right = left + 1;
        permits[node] = permits[left] + permits[right];
        best[node] = Math.max(best[right], best[left] + permits[right]);
    }

    private double seconds(long micros) {
        return (micros - origin) / 1e6;
    }
}
