package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import io.limiter.Decision;
import io.limiter.Reservation;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A {@link Reservation} on an engine. */
final class EngineReservation implements Reservation {

    private final Decision decision;
    private final long permits;
    private final Ticker ticker;
    private final LongFunction<Ask> cancel;
    private final LongFunction<Ask> charge;
    private final Consumer<Outcome> decided;
    private final long reservedNanos;
    private final AtomicBoolean settled = new AtomicBoolean();

    /**
     * @param permits as many as were requested
     * @param cancel starts to return so many of them
     * @param charge starts to charge so many more
     * @param decided is told of the outcome of either
     */
    EngineReservation(
            Outcome outcome,
            long permits,
            Ticker ticker,
            LongFunction<Ask> cancel,
            LongFunction<Ask> charge,
            Consumer<Outcome> decided) {
        this.decision = outcome.toDecision();
        this.permits = permits;
        this.ticker = ticker;
        this.cancel = cancel;
        this.charge = charge;
        this.decided = decided;
        this.reservedNanos = ticker.read();
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public boolean cancel() {
        return settle(0);
    }

    @Override
    public CompletableFuture<Boolean> cancelAsync() {
        return settleAsync(0);
    }

    @Override
    public boolean settle(long actual) {
        if (!startSettling(actual)) {
            return false;
        }
        Ask difference = difference(actual);
        return difference == null || isExecuted(difference.await());
    }

    @Override
    public CompletableFuture<Boolean> settleAsync(long actual) {
        boolean starts = startSettling(actual);
        Ask difference = starts ? difference(actual) : null;
        return difference == null
                ? CompletableFuture.completedFuture(starts)
                : AsyncFailures.map(difference, this::isExecuted);
    }

    /** Starts to return or to charge the difference; {@code null} if there is none. */
    private @Nullable Ask difference(long actual) {
        return actual == permits
                ? null
                : actual < permits ? cancel.apply(permits - actual) : charge.apply(actual - permits);
    }

    /** Neither a failure policy charges, nor what exempts or bans the key by now. */
    private boolean isExecuted(Outcome difference) {
        decided.accept(difference);
        return isTaken(difference.source());
    }

    private static boolean isTaken(Decision.Source source) {
        return source != Decision.Source.POLICY && source != Decision.Source.OVERRIDE;
    }

    /** Whether this call is the one that settles the reservation, and there is something to settle. */
    private boolean startSettling(long actual) {
        Ranges.actual(actual);
        return decision.isGranted()
                && isTaken(decision.source())
                && settled.compareAndSet(false, true)
                && !(actual < permits && isExpired());
    }

    /** Whether the limit would be full by now even if the permits had been used. */
    private boolean isExpired() {
        return TimeUnit.NANOSECONDS.toMicros(ticker.read() - reservedNanos) >= decision.fullAfterMicros();
    }

    @Override
    public String toString() {
        return "Reservation[" + decision + (settled.get() ? ", settled]" : "]");
    }
}
