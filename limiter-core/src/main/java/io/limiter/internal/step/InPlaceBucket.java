package io.limiter.internal.step;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.arithmetic.BucketArithmetic;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.arithmetic.Rounding;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link TokenBucket}, changed in place: decides what needs nothing but stored permits, without allocation.
 *
 * <p>What it grants and rejects, and the state it leaves, equal those of {@link TokenBucket#step} to the bit; it leaves the rest to
 * that. Not safe for use by multiple threads.
 */
public final class InPlaceBucket {

    /** What was decided. */
    public enum Result {
        /** Granted without a wait. */
        GRANTED,
        /** Rejected; the state has not changed. */
        REJECTED,
        /** Only {@link TokenBucket#step} can decide; the state has not changed. */
        UNDECIDED
    }

    private final TokenBucket limit;
    private final double maxPermits;
    private final double intervalMicros;
    private final long capacity;
    // As RedisPermits rounds; here they are not divided for every request.
    private final double negligibleMicros;
    private final double negligiblePermits;
    private double storedPermits;
    private double nextFreeMicros;
    private double remainderMicros;

    private InPlaceBucket(TokenBucket limit, RedisPermits state) {
        this.limit = limit;
        this.maxPermits = state.maxPermits();
        this.intervalMicros = limit.intervalMicros();
        this.capacity = limit.capacity();
        this.negligibleMicros = Rounding.negligibleMicros(intervalMicros);
        this.negligiblePermits = negligibleMicros / intervalMicros;
        this.storedPermits = state.storedPermits();
        this.nextFreeMicros = BucketArithmetic.wholeMicros(state.nextFreeTicketMillis());
        this.remainderMicros = state.remainderMicros();
    }

    /** A state to change in place; {@code null} if only {@link TokenBucket#step} can change it. */
    public static @Nullable InPlaceBucket of(TokenBucket limit, RedisPermits state) {
        boolean isPlain = limit.warmUp() == null
                && state.reservations() == null
                && state.demand() == null
                && state.maxPermits() == limit.maxPermits()
                && state.intervalMillis() == limit.intervalMillis();
        return isPlain ? new InPlaceBucket(limit, state) : null;
    }

    public TokenBucket limit() {
        return limit;
    }

    /** The state as it is now. */
    public RedisPermits state() {
        return new RedisPermits(
                maxPermits, storedPermits, limit.intervalMillis(), nextFreeMicros / 1000.0, remainderMicros);
    }

    /** The decision of {@link TokenBucket#step} if it grants stored permits; otherwise {@code null}, and nothing changes. */
    @Nullable
    Verdict tryTake(Request request, long nowMicros) {
        if (request.action() != Request.Action.TAKE
                || request.id() != 0
                || !request.isPlain()
                || tryTake(request.permits(), request.timeoutMicros(), nowMicros) != Result.GRANTED) {
            return null;
        }
        return Verdict.granted(capacity, (long) wholePermits(storedPermits), fullAfterMicros(nowMicros))
                .withTicketMicros(
                        BucketArithmetic.ticket(nextFreeMicros + (remainderMicros - storedPermits * intervalMicros)));
    }

    /** Takes permits if enough are stored. */
    public Result tryTake(long permits, long timeoutMicros, long nowMicros) {
        double now = nowMicros;
        if (nextFreeMicros - now > BucketArithmetic.HOUR_MICROS) {
            // The clock may have stepped back.
            return Result.UNDECIDED;
        }
        double stored = storedPermits;
        double nextFree = nextFreeMicros;
        double remainder = remainderMicros;
        if (now > nextFree && now > nextFree + roundUp(remainder)) {
            stored = BucketArithmetic.refilled(stored, maxPermits, now - nextFree - remainder, intervalMicros);
            nextFree = now;
            remainder = 0.0;
        }
        if (permits <= stored) {
            // Costs no time, so the steps below would change nothing else.
            storedPermits = stored - permits;
            nextFreeMicros = nextFree;
            remainderMicros = remainder;
            return Result.GRANTED;
        }
        boolean areStored = permits <= wholePermits(stored);
        if (!areStored && (timeoutMicros > 0 || limit.whoWaits() != WhoWaits.CALLER)) {
            return Result.UNDECIDED;
        }
        // What is missing to a whole permit costs time.
        double taken = Math.min(permits, stored);
        double micros = remainder + (permits - taken) * intervalMicros;
        double whole = Math.floor(micros);
        if (!areStored) {
            boolean isLater = nextFree + whole - now + roundUp(micros - whole) > 0.0;
            return isLater ? Result.REJECTED : Result.UNDECIDED;
        }
        storedPermits = stored - taken;
        nextFreeMicros = nextFree + whole;
        remainderMicros = micros - whole;
        return Result.GRANTED;
    }

    /** As {@link Verdict#fullAfterMicros()}. */
    public long fullAfterMicros(long nowMicros) {
        double micros = remainderMicros + (maxPermits - storedPermits) * intervalMicros;
        return (long) Math.max(0.0, nextFreeMicros - nowMicros + roundUp(micros));
    }

    /** As {@link TokenBucket#lifetimeMillis}, for the state that is full again after this time. */
    public long lifetimeMillis(long fullAfterMicros) {
        return Math.max(limit.expire().toMillis(), Ranges.lifetimeMillis(fullAfterMicros));
    }

    private double wholePermits(double permits) {
        return Math.floor(permits + negligiblePermits);
    }

    private double roundUp(double micros) {
        return Rounding.roundUp(micros, negligibleMicros);
    }
}
