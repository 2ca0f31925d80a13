package io.limiter.faults.account;

import java.util.Arrays;
import java.util.Collection;

/**
 * Whether {@code taken in Redis = granted + ambiguous}, on a bucket practically without refill. An ambiguous call may have
 * been executed or not, so {@code granted <= taken <= granted + ambiguous}, and less than that by refunds that are ambiguous.
 *
 * @param taken permits that are missing from the buckets in Redis
 * @param granted permits that callers have from Redis, without those that they refunded
 * @param ambiguous permits of calls of which the callers know that they may have been executed, and of calls that were under
 *     way when their JVM was killed
 * @param ambiguousRefunds the same of permits refunded
 */
public record Conservation(long taken, long granted, long ambiguous, long ambiguousRefunds) {

    /** Of all keys together. */
    public static Conservation of(long taken, Collection<Entry> calls) {
        long granted = calls.stream()
                .filter(call -> call.granted() && call.answer().isOfRedis())
                .mapToLong(Entry::permits)
                .sum();
        long[] ambiguous = calls.stream()
                .filter(call -> call.answer() == Answer.PENDING || call.answer() == Answer.AMBIGUOUS)
                .mapToLong(Entry::permits)
                .toArray();
        return new Conservation(
                taken,
                granted,
                Arrays.stream(ambiguous).filter(permits -> permits > 0).sum(),
                -Arrays.stream(ambiguous).filter(permits -> permits < 0).sum());
    }

    /** Of both together. */
    public Conservation plus(Conservation other) {
        return new Conservation(
                taken + other.taken,
                granted + other.granted,
                ambiguous + other.ambiguous,
                ambiguousRefunds + other.ambiguousRefunds);
    }

    /** Permits taken that no caller has or may have: a call was executed twice, or one that was withdrawn was sent. */
    public long takenTooOften() {
        return Math.max(0, taken - granted - ambiguous);
    }

    /** Permits granted that Redis does not know as taken: its state was lost, or written over, or they were refunded twice. */
    public long forgotten() {
        return Math.max(0, granted - ambiguousRefunds - taken);
    }

    @Override
    public String toString() {
        return String.format("%,d taken, %,d granted, %,d ambiguous", taken, granted, ambiguous)
                + (ambiguousRefunds > 0 ? String.format(", %,d ambiguous refunds", ambiguousRefunds) : "");
    }
}
