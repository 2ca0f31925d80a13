package io.limiter.benchmark.outage;

import io.limiter.faults.account.Excess;

/**
 * One call for one permit.
 *
 * @param calledNanos when the caller called, as {@link System#nanoTime} tells
 * @param returnedNanos when the call returned, or when the run ended if it had not
 */
public record Call(long calledNanos, long returnedNanos, Answer answer) implements Excess.NanosGrant {

    public long tookNanos() {
        return returnedNanos - calledNanos;
    }
}
