package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import io.limiter.Reservation;
import io.limiter.algorithm.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A {@link Reservation} on an engine. */
final class BookedPermits implements Reservation {

    private final Decision decision;
    private final Ticker ticker;
    private final Runnable giveBack;
    private final Supplier<CompletableFuture<?>> giveBackAsync;
    private final long bookedNanos;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    BookedPermits(Decision decision, Ticker ticker, Runnable giveBack, Supplier<CompletableFuture<?>> giveBackAsync) {
        this.decision = decision;
        this.ticker = ticker;
        this.giveBack = giveBack;
        this.giveBackAsync = giveBackAsync;
        this.bookedNanos = ticker.read();
    }

    @Override
    public Decision decision() {
        return decision;
    }

    @Override
    public boolean cancel() {
        if (!isCancelledNow()) {
            return false;
        }
        giveBack.run();
        return true;
    }

    @Override
    public CompletableFuture<Boolean> cancelAsync() {
        return isCancelledNow()
                ? MappedFuture.of(giveBackAsync.get(), given -> true)
                : CompletableFuture.completedFuture(false);
    }

    private boolean isCancelledNow() {
        return decision.granted() && !isMoot() && cancelled.compareAndSet(false, true);
    }

    private boolean isMoot() {
        return TimeUnit.NANOSECONDS.toMicros(ticker.read() - bookedNanos) >= decision.fullAfterMicros();
    }

    @Override
    public String toString() {
        return "Reservation[" + decision + (cancelled.get() ? ", cancelled]" : "]");
    }
}
