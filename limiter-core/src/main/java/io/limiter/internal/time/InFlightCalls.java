package io.limiter.internal.time;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Calls that have begun and have not ended. Safe for use by multiple threads. */
public final class InFlightCalls {

    private final Set<CompletableFuture<?>> calls = ConcurrentHashMap.newKeySet();

    /** Begins a call. It is under way before it starts: whoever closes the limiters waits for it, or it sees that they are closed. */
    public <F extends CompletableFuture<?>> F begin(Supplier<F> start) {
        CompletableFuture<?> starting = new CompletableFuture<>();
        calls.add(starting);
        try {
            F call = start.get();
            calls.add(call);
            call.whenComplete((done, error) -> calls.remove(call));
            return call;
        } finally {
            calls.remove(starting);
            starting.complete(null);
        }
    }

    public boolean isEmpty() {
        return calls.isEmpty();
    }

    /** Waits until all have ended, even those that begin during the wait, but at most until a deadline of {@link System#nanoTime}. */
    public void await(long deadlineNanos) {
        while (!calls.isEmpty() && deadlineNanos - System.nanoTime() > 0) {
            CompletableFuture<?> all = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                    .exceptionally(error -> null);
            try {
                // Without completeOnTimeout, because a thread of the JDK for all its timers would inherit from this
                // one.
                Uninterruptibles.getUninterruptibly(all, deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                return;
            }
        }
    }
}
