package io.limiter.internal.lease;

import io.limiter.Lease;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.limiter.EngineConcurrencyLimiter;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.testing.NoTimers;
import io.limiter.testing.SteppingEngine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Callers wait for leases and close them: no caller waits while a permit is free, and the leases held are those of the
 * callers and of the backend. No timer fires, so a release that wakes no waiter is seen. Who gets a lease may depend on the order
 * of threads, so the operations have no results.
 */
public class LeasesLinearizability {

    private static final NoTimers TIME = new NoTimers();
    private static final ConcurrencyLimit LIMIT = ConcurrencyLimit.of(1);
    private static final KeySpace KEYS = new KeySpace("", "k", LIMIT.keySuffix());

    private final SteppingEngine backend = new SteppingEngine(() -> 1, new KnownRejections(0, TIME));
    private final Leases leases = new Leases(backend, TIME, new ExpiryClock(TIME, TIME), Leases.LARGE_BATCH);
    private final EngineConcurrencyLimiter limiter = new EngineConcurrencyLimiter(KEYS, LIMIT, backend, leases);
    private final ConcurrentLinkedQueue<CompletableFuture<Lease>> callers = new ConcurrentLinkedQueue<>();

    @Operation
    public void waitForLease() {
        callers.add(limiter.async().acquire(1, Duration.ofHours(1)));
    }

    /** Closes the lease of the caller that came first; or cancels its wait. */
    @Operation
    public void leave() {
        CompletableFuture<Lease> caller = callers.poll();
        if (caller != null && !caller.cancel(false)) {
            caller.join().close();
        }
    }

    @Validate
    public void noCallerWaitsForever() {
        List<CompletableFuture<Lease>> granted =
                callers.stream().filter(CompletableFuture::isDone).toList();
        long inUse = limiter.inUse();
        if (inUse != granted.size() || leases.count() != inUse || inUse == 0 && !callers.isEmpty()) {
            throw new IllegalStateException(granted.size() + " of " + callers.size() + " callers hold a lease, "
                    + leases.count() + " are held, and " + inUse + " are in use");
        }
    }
}
