package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Ledger;
import io.limiter.testing.Seed;
import io.limiter.testing.TraceLine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reservations on one bucket, which can be cancelled, and a ledger of when their permits come due. */
final class Account {

    private final List<Reserved> reservations = new ArrayList<>();
    private final List<Event> story = new ArrayList<>();
    private Ledger ledger = new Ledger();
    private TokenBucket limit;
    private @Nullable RedisPermits state;
    private long now = TraceLine.EPOCH_MICROS;

    /** A granted request, and the limit that granted it. */
    record Reserved(TokenBucket limit, long permits, long atMicros, Verdict decision, Ledger.Entry entry) {

        long waitMicros() {
            return decision.waitMicros();
        }

        /** When the bucket is full again, so that the reservation can no longer be cancelled. */
        long fullAtMicros() {
            return atMicros + decision.fullAfterMicros();
        }
    }

    private record Event(
            long micros,
            String what,
            long permits,
            Verdict decision,
            @Nullable RedisPermits state) {}

    Account(TokenBucket limit) {
        this.limit = limit;
    }

    /** The same bucket with the same permits due, which goes on by itself. */
    Account copy() {
        Account copy = new Account(limit);
        copy.ledger = ledger.copy();
        copy.state = state;
        copy.now = now;
        return copy;
    }

    /** The limit of the next requests. */
    void limit(TokenBucket newLimit) {
        limit = newLimit;
    }

    void pause(long micros) {
        now += micros;
    }

    /** Reserves however long it takes. */
    Reserved reserve(long permits) {
        Reserved reserved = take(permits, Long.MAX_VALUE);
        assertThat(reserved).as("a reservation of %d", permits).isNotNull();
        return reserved;
    }

    List<Reserved> reserveEach(long permits, int times) {
        List<Reserved> reserved = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            reserved.add(reserve(permits));
        }
        return reserved;
    }

    /** Returns the reservation, or null if it is rejected. */
    @Nullable
    Reserved take(long permits, long timeoutMicros) {
        return take(Request.take(permits, timeoutMicros));
    }

    /** As above, of a request that may take fewer permits. */
    @Nullable
    Reserved take(Request request) {
        Verdict decision = step("take", request);
        if (!decision.isGranted()) {
            return null;
        }
        long permits = decision.takenBy(request);
        Ledger.Entry entry = ledger.granted(now + decision.waitMicros(), permits);
        Reserved reserved = new Reserved(limit, permits, now, decision, entry);
        reservations.add(reserved);
        return reserved;
    }

    /** Cancels under the present limit. */
    void cancel(Reserved reserved) {
        cancel(reserved, reserved.permits);
    }

    /** Cancels some of its permits; the others are used. */
    void cancel(Reserved reserved, long permits) {
        step("cancel", reserved.limit.cancelSome(permits, reserved.permits, reserved.decision));
        reserved.entry.cancel(permits);
        reservations.remove(reserved);
    }

    void refund(long permits) {
        step("refund", Request.refund(permits));
        ledger.refunded(permits);
    }

    private Verdict step(String what, Request request) {
        Step<RedisPermits> step = limit.step(state, now, request);
        state = step.state();
        story.add(new Event(now, what, request.permits(), step.verdict(), state));
        return step.verdict();
    }

    /** Forgets the state if Redis would have let it expire by now. */
    void expire(long keptUntilMicros) {
        state = now >= keptUntilMicros ? null : state;
    }

    Verdict peek() {
        return limit.step(state, now, Request.peek(1, Long.MAX_VALUE)).verdict();
    }

    long remaining() {
        return peek().remaining();
    }

    /** Reservations that are not cancelled, the first one first. */
    List<Reserved> reservations() {
        return reservations;
    }

    Ledger ledger() {
        return ledger;
    }

    RedisPermits state() {
        assertThat(state).isNotNull();
        return state;
    }

    long now() {
        return now;
    }

    @Override
    public String toString() {
        return Seed.hint() + limit + ": " + ledger + "\n"
                + story.stream().map(Event::toString).collect(Collectors.joining("\n"));
    }
}
