package io.limiter.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What threads share behaves as if one thread after the other used it. So that this can be trusted, the checks also run on
 * copies in which one atomic step is split, and must find the race. The everyday build does so with the cheapest checks, the
 * soak profile with all.
 */
@Tag("threads")
class LinearizabilityTest {

    private static final String REJECTION_CACHE = "io.limiter.internal.cache.RejectionCacheLinearizability";
    private static final String LOCAL_ENGINE = "io.limiter.internal.local.LocalEngineLinearizability";
    private static final String PREFETCHED_PERMITS = "io.limiter.internal.prefetch.PrefetchedPermitsLinearizability";
    private static final String PREFETCHED_KEY = "io.limiter.internal.prefetch.PrefetchedKeyLinearizability";
    private static final String COUNTED_LEASE = "io.limiter.internal.lease.CountedLeaseLinearizability";
    private static final String LEASES = "io.limiter.internal.lease.LeasesLinearizability";
    private static final String LANE = "io.limiter.internal.batch.LaneLinearizability";

    @TempDir
    private Path races;

    /** Lincheck leaves a copy of a jar there. */
    @TempDir
    private Path temporary;

    @Test
    void concurrent_operations_are_linearizable() throws IOException, InterruptedException {
        check(Linearizability.SHORT, REJECTION_CACHE, LOCAL_ENGINE, PREFETCHED_PERMITS);
    }

    @Test
    @Tag("soak")
    void concurrent_operations_are_linearizable_in_many_more_orders() throws IOException, InterruptedException {
        check(
                Linearizability.LONG,
                REJECTION_CACHE,
                LOCAL_ENGINE,
                PREFETCHED_PERMITS,
                PREFETCHED_KEY,
                COUNTED_LEASE,
                LEASES,
                LANE);
    }

    @Test
    void a_planted_race_is_found() throws IOException, InterruptedException {
        PlantedRace.plant("io.limiter.internal.prefetch.PrefetchedPermits", "compareAndSet", races);
        check(Linearizability.PLANTED, PREFETCHED_PERMITS);
    }

    @Test
    @Tag("soak")
    void other_planted_races_are_found() throws IOException, InterruptedException {
        // The backend of the check, which decides and records the decision in the cache in one step. The cache itself
        // has no step that may not be split: a rejection that is lost costs a call.
        PlantedRace.plant("io.limiter.testing.SteppingEngine", PlantedRace.LOCKS, races);
        PlantedRace.plant("io.limiter.internal.local.LocalEngine", PlantedRace.LOCKS, races);
        PlantedRace.plant("io.limiter.internal.prefetch.PrefetchedKey", "compareAndSet", races);
        PlantedRace.plant("io.limiter.internal.lease.CountedLease", PlantedRace.LOCKS, races);
        PlantedRace.plant("io.limiter.internal.time.CallerQueue", "addAndGet", races);
        PlantedRace.plant("io.limiter.internal.batch.Lane", "addAndGet", races);
        check(Linearizability.PLANTED, REJECTION_CACHE, LOCAL_ENGINE, PREFETCHED_KEY, COUNTED_LEASE, LEASES, LANE);
    }

    private void check(String how, String... checks) throws IOException, InterruptedException {
        List<String> program = new ArrayList<>(List.of(
                // Stress tests find what the compiler of users reorders; the model checker finds planted races.
                "-XX:TieredStopAtLevel=" + (how.equals(Linearizability.PLANTED) ? 1 : 4),
                "-Djava.io.tmpdir=" + temporary,
                Linearizability.class.getName(),
                how));
        program.addAll(List.of(checks));
        ChildJvm.run(races + File.pathSeparator + System.getProperty("java.class.path"), program);
    }
}
