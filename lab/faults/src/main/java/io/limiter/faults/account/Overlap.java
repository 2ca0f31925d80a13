package io.limiter.faults.account;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The most permits that were held at one moment. A lease counts from when its caller had it to when it was last seen held, so
 * whatever is counted was held.
 */
public final class Overlap {

    private Overlap() {}

    public static long of(Collection<Entry> leases) {
        List<Change> changes = new ArrayList<>();
        for (Entry lease : leases) {
            changes.add(new Change(lease.callMicros(), lease.permits()));
            changes.add(new Change(lease.returnMicros(), -lease.permits()));
        }
        // At one moment, those that end go first.
        changes.sort(Comparator.comparingLong(Change::atMicros).thenComparingInt(Change::permits));
        long held = 0;
        long most = 0;
        for (Change change : changes) {
            held += change.permits;
            most = Math.max(most, held);
        }
        return most;
    }

    private record Change(long atMicros, int permits) {}
}
