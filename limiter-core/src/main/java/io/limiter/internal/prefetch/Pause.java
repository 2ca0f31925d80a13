package io.limiter.internal.prefetch;

import io.limiter.Decision;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Verdict;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time until an instance may call again, as the backend has decided.
 *
 * @param end when it may call again
 * @param latest when a call should have been answered that is sent then
 * @param permit when there is a permit
 * @param last the verdict
 */
record Pause(
        ExpiryClock.Deadline end, ExpiryClock.Deadline latest, ExpiryClock.Deadline permit, long nanos, Verdict last) {

    /**
     * {@code null} if there is none.
     *
     * @param sent when the call was sent
     * @param mostNanos how long a call takes at most
     */
    static @Nullable Pause of(Verdict verdict, ExpiryClock.Deadline sent, long mostNanos) {
        long nanos = TimeUnit.MICROSECONDS.toNanos(verdict.retryAfterMicros());
        ExpiryClock.Deadline end = sent.plus(nanos);
        ExpiryClock.Deadline permit = sent.plus(TimeUnit.MICROSECONDS.toNanos(verdict.waitMicros()));
        return nanos == 0 ? null : new Pause(end, end.plus(mostNanos), permit, nanos, verdict);
    }

    /** Whether a request for so many permits is rejected. Not if a call is under way for too long: its failure decides. */
    boolean rejects(long permits, boolean isCalling) {
        return permits <= Math.max(1, last.limit()) && !(isCalling ? latest : end).isOverByMillis();
    }

    Outcome rejection(long capacity) {
        long untilCall = end.isOver() ? latest.leftMicros() : end.leftMicros();
        long retryMicros = Math.max(1, Math.max(untilCall, permit.leftMicros()));
        return new Outcome(
                Verdict.rejected(capacity, 0, retryMicros, Math.max(retryMicros, last.fullAfterMicros())),
                Decision.Source.PREFETCH);
    }
}
