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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** A lease that is closed by one thread and lost in another: it ends once, and each action for its loss runs once. */
public class CountedLeaseLinearizability {

    private static final NoTimers TIME = new NoTimers();
    private static final ConcurrencyLimit LIMIT = ConcurrencyLimit.of(1);
    private static final KeySpace KEYS = new KeySpace("", "k", LIMIT.keySuffix());

    private final SteppingEngine backend = new SteppingEngine(() -> 1, new KnownRejections(0, TIME));
    private final Leases leases = new Leases(backend, TIME, new ExpiryClock(TIME, TIME), Leases.LARGE_BATCH);
    private final Lease lease = new EngineConcurrencyLimiter(KEYS, LIMIT, backend, leases).acquire(1, Duration.ZERO);
    private final AtomicInteger actions = new AtomicInteger();
    private final AtomicIntegerArray runs = new AtomicIntegerArray(20);
    private volatile boolean reset;
    private volatile boolean closed;

    @Operation
    public boolean isHeld() {
        return lease.isHeld();
    }

    @Operation
    public void onLost() {
        int action = actions.getAndIncrement();
        lease.onLost(() -> runs.incrementAndGet(action));
    }

    @Operation
    public void reset() {
        reset = true;
        leases.reset(KEYS.own());
    }

    @Operation
    public void close() {
        closed = true;
        lease.close();
    }

    @Validate
    public void eachActionHasRunOnceIfTheLeaseWasLost() {
        for (int i = 0; i < actions.get(); i++) {
            int ran = runs.get(i);
            if (ran > 1 || ran == 1 && !reset || ran == 0 && reset && !closed) {
                throw new IllegalStateException("action " + i + " has run " + ran + " times");
            }
        }
    }

    /** The same, one after the other. */
    public static final class Sequential {

        private boolean held = true;

        public boolean isHeld() {
            return held;
        }

        public void onLost() {}

        public void reset() {
            held = false;
        }

        public void close() {
            held = false;
        }
    }
}
