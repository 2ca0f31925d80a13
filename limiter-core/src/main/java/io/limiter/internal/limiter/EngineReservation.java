package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.PendingRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A {@link Reservation} on an engine. */
final class EngineReservation implements Reservation {

    private final Decision decision;
    private final Ticker ticker;
    private final Supplier<PendingRequest> cancel;
    private final long reservedNanos;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    EngineReservation(Decision decision, Ticker ticker, Supplier<PendingRequest> cancel) {
        this.decision = decision;
        this.ticker = ticker;
        this.cancel = cancel;
        this.reservedNanos = ticker.read();
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public boolean cancel() {
        return startCancelling() && isExecuted(cancel.get().await());
    }

    @Override
    public CompletableFuture<Boolean> cancelAsync() {
        return startCancelling()
                ? AsyncFailures.map(cancel.get(), EngineReservation::isExecuted)
                : CompletableFuture.completedFuture(false);
    }

    private static boolean isExecuted(Decision cancellation) {
        return cancellation.source() != Decision.Source.POLICY;
    }

    /** Whether this call is the one that cancels the reservation. */
    private boolean startCancelling() {
        return decision.granted() && !isExpired() && cancelled.compareAndSet(false, true);
    }

    /** Whether the limit would be full by now even if the permits had been used. */
    private boolean isExpired() {
        return TimeUnit.NANOSECONDS.toMicros(ticker.read() - reservedNanos) >= decision.fullAfterMicros();
    }

    @Override
    public String toString() {
        return "Reservation[" + decision + (cancelled.get() ? ", cancelled]" : "]");
    }
}
