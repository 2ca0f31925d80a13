package io.limiter.internal.prefetch;

import static io.limiter.testing.Expected.outcome;

import io.limiter.Prefetch;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.step.Request;
import io.limiter.testing.NoTimers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Every permit that the backend granted for a key is taken once, returned once, or still there. Which request gets it may
 * depend on the order of threads, so the operations have no results.
 */
public class PrefetchedKeyLinearizability {

    private static final NoTimers TIME = new NoTimers();
    private static final LogThrottle NOT_RETURNED = new LogThrottle(TIME);
    private static final ExpiryClock CLOCK = new ExpiryClock(TIME, TIME);

    private final AtomicInteger granted = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final PrefetchedKey key = new PrefetchedKey(
            "k",
            TokenBucket.of(1, 1),
            Prefetch.of(Duration.ofSeconds(1)),
            new GrantingEngine(granted),
            CLOCK,
            TIME,
            new InFlightCalls(),
            NOT_RETURNED);

    public PrefetchedKeyLinearizability() {
        // The second one makes it hot.
        passed();
    }

    @Operation
    public void passed() {
        key.passed(1);
    }

    @Operation
    public void rejects() {
        key.rejects(1);
    }

    @Operation
    public void take(@Param(gen = IntGen.class, conf = "1:4") int permits) {
        if (key.takeFrom(permits) != null) {
            taken.addAndGet(permits);
        }
    }

    @Operation(runOnce = true)
    public void close() {
        key.close();
    }

    @Validate
    public void noPermitIsLostOrTakenTwice() {
        if (granted.get() != taken.get() + key.left()) {
            throw new IllegalStateException("granted " + granted + ", but taken " + taken + " and left " + key.left());
        }
    }

    /** Grants every request and refund immediately. */
    private record GrantingEngine(AtomicInteger granted) implements Engine {

        @Override
        public void decide(Ask pending) {
            Request request = pending.request(0);
            int permits = (int) request.permits();
            granted.addAndGet(request.action() == Request.Action.REFUND ? -permits : permits);
            pending.answer(outcome(true, request.permits(), 100, 0, 0, 0));
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return CompletableFuture.completedFuture(null);
        }
    }
}
