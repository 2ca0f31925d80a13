package io.limiter.algorithm;

import io.limiter.internal.arithmetic.BucketArithmetic;
import io.limiter.internal.arithmetic.Rounding;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The step of a {@link TokenBucket} at one moment.
 *
 * <p>The naive limiter has a counter for each key and a timer that increments it. It needs a timer for each key, and its rate is
 * as coarse as the timer. Like Guava's {@code SmoothRateLimiter}, this one has no timer and computes the permits from the
 * time. Its state has two variables:
 *
 * <ul>
 *   <li>{@code storedPermits}: unused permits, at most {@code maxPermits};
 *   <li>{@code nextFreeTicket}: the time up to which permits are accounted for. If it is in the past, permits have accrued
 *       since then and are not stored yet. If it is in the future, permits were granted that do not exist yet
 *       (<em>pre-consumption</em>), and it is the time when the last of them exists.
 * </ul>
 *
 * A request takes three steps, the first two as methods of {@link RedisPermits}:
 *
 * <pre>
 *   resync   if now &gt; nextFreeTicket:   storedPermits  += (now - nextFreeTicket) / interval, at most maxPermits
 *                                       nextFreeTicket  = now
 *   reserve  taken           = min(permits, storedPermits)
 *            storedPermits  -= taken
 *            nextFreeTicket += (permits - taken) * interval
 *   decide   wait = nextFreeTicket - now;  granted if wait &lt;= timeout, otherwise the state does not change
 * </pre>
 *
 * For example, at 1 permit/s and a burst of 10 s, a full bucket grants 10 permits immediately, and an 11th to a caller with a
 * timeout of 1 s: {@code nextFreeTicket} is then 1 s ahead. A caller who wants another permit 0.4 s later waits 0.6 s + 1 s.
 * The wait includes all earlier reservations; otherwise all callers would wake up at the same time.
 */
final class TokenBucketStep {

    /** Part of the prefetch time after which an instance may call again. */
    private static final double PREFETCH_PAUSE = 0.25;

    /** From here on a double does not hold every whole microsecond. */
    private static final double NEVER = 0x1p53;

    private final TokenBucket limit;
    private final @Nullable WarmUp warmUp;
    private final double maxPermits;
    private final double intervalMicros;
    private final double coolDownIntervals;
    private final double now;

    TokenBucketStep(TokenBucket limit, long nowMicros) {
        this.limit = limit;
        this.warmUp = limit.warmUp();
        this.maxPermits = limit.maxPermits();
        this.intervalMicros = limit.intervalMicros();
        this.coolDownIntervals = warmUp == null ? 1.0 : warmUp.coolDownIntervals();
        this.now = nowMicros;
    }

    /** Decides one request. */
    Step<RedisPermits> of(@Nullable RedisPermits state, Request request) {
        if (request.action() == Request.Action.REFUND) {
            return refund(state, request);
        }
        RedisPermits settled = settle(state);
        if (request.action() == Request.Action.PREFETCH) {
            return prefetch(state, settled, request);
        }
        return take(state, settled, request, request.takenOf(settled.wholePermits() - request.leave()));
    }

    /** @param permits how many of those of the request */
    private Step<RedisPermits> take(@Nullable RedisPermits state, RedisPermits settled, Request request, long permits) {
        long needed = request.neededFor(permits);
        RedisPermits reserved = reserve(settled, needed);
        // Stored permits are granted even if the clock has stepped back, or if other callers wait for more of them.
        boolean areStored = warmUp == null && needed <= settled.wholePermits();
        if (request.action() == Request.Action.CHARGE) {
            // Earlier reservations stay.
            double most = Math.max(limit.maxReservedMicros(), settled.reservedMicros(now));
            RedisPermits after = areStored
                    ? reserved
                    : reserved.boundReservation(now, most).furthest(Math.min(most, reserved.reservedMicros(now)));
            return Step.of(after, verdict(request, true, after, 0.0, 0.0, 0));
        }

        double allowed = Math.min(request.timeoutMicros(), limit.maxWaitMicros());
        double reservedMicros = reserved.reservedMicros(now);
        double wait =
                areStored ? 0.0 : limit.whoWaits() == WhoWaits.CALLER ? reservedMicros : settled.reservedMicros(now);
        boolean granted = areStored || wait <= allowed && reservedMicros <= limit.maxReservedMicros();
        if (!granted && permits > request.least()) {
            // In a warm-up, all that is stored can take longer than the longest wait.
            return take(state, settled, request, request.least());
        }
        double retry = granted ? 0.0 : retryAfterMicros(needed, wait, reservedMicros, allowed);
        if (request.isPeek()) {
            return Step.of(state, taken(request, permits, verdict(request, granted, settled, wait, retry, 0)));
        }
        if (granted) {
            RedisPermits taken = needed == permits ? reserved : reserve(settled, permits);
            RedisPermits after = areStored ? taken : taken.furthest(reservedMicros);
            long ticket = BucketArithmetic.ticket(tailMicros(after));
            return Step.of(after, taken(request, permits, verdict(request, true, after, wait, 0.0, ticket)));
        }
        Verdict rejected = verdict(request, false, settled, wait, retry, 0);
        boolean isForLeave = request.leave() > 0 && permits <= settled.wholePermits();
        return Step.of(afterRejection(state, settled), isForLeave ? rejected.withTaken(permits) : rejected);
    }

    private RedisPermits reserve(RedisPermits settled, long permits) {
        double fromStored = Math.min(permits, settled.storedPermits());
        double cost = storedToMicros(settled.storedPermits(), fromStored) + (permits - fromStored) * intervalMicros;
        return settled.reserve(fromStored, cost);
    }

    private static Verdict taken(Request request, long permits, Verdict verdict) {
        return request.takesFewer() && verdict.isGranted() ? verdict.withTaken(permits) : verdict;
    }

    /**
     * Takes an instance's share of the stored permits.
     *
     * <p>All instances want {@link Demand} in a period. If less is refilled in it, each gets as much of the refill
     * as it wants of all that is wanted, and the more the fuller the bucket is, so that it stays about half full:
     *
     * <pre>
     *   inflow = permits refilled in a period
     *   fill   = stored / (min(capacity, refilled in a prefetch time) / 2)
     *   share  = wanted / demand * inflow * fill²
     *   taken  = min(stored, wanted, max(1, share))          in whole permits
     * </pre>
     *
     * Permits that instances hold count as if they were still in the bucket, so both together never exceed the capacity.
     *
     * <p>Each call reserves the next free time for a call, a quarter of the prefetch time ahead or later. An instance that got
     * less than it wanted may call again at that time. Any other may call as soon as no call is more than twice as far ahead as
     * that, so that a few calls in a row, of which each requests more, do not wait.
     */
    private Step<RedisPermits> prefetch(@Nullable RedisPermits state, RedisPermits settled, Request request) {
        double pause = request.timeoutMicros() * PREFETCH_PAUSE;
        double wanted = request.permits();
        Demand known = settled.demand();
        double last = known == null ? 0.0 : known.nextCallMicros();
        double earliest = now + pause;
        double nextCall = Math.min(now + Demand.MOST_AHEAD_MICROS, Math.max(last + request.callMicros(), earliest));
        double period = Math.max(request.timeoutMicros(), nextCall - now);
        Demand demand = Demand.after(known, wanted, now, nextCall, period);
        double stored = settled.storedPermits();
        double fill = stored / (Math.min(maxPermits, request.timeoutMicros() / intervalMicros) / 2.0);
        double share = wanted / demand.permits() * (period / intervalMicros) * fill * fill;
        double taken = Math.floor(Math.min(Math.min(stored, wanted), Math.max(1.0, share)));
        // Here already, or a later rejection would leave a rounding error that the script has rounded away.
        RedisPermits after = settled.reserve(taken, 0.0)
                .withDemand(demand.holding(taken))
                .leavingRoomForHeld(now, coolDownIntervals);
        double retry = Math.max(0.0, nextCall - (taken < wanted ? now : earliest + pause));
        Verdict verdict = taken >= 1.0
                ? Verdict.granted(
                                (long) taken,
                                (long) after.wholePermits(),
                                micros(after.resetMicros(now, coolDownIntervals)))
                        .withTicketMicros(BucketArithmetic.ticket(tailMicros(after)))
                : Verdict.rejected(0, (long) after.wholePermits(), 0, micros(after.resetMicros(now, coolDownIntervals)))
                        .withWaitMicros(micros(untilPermit(settled)));
        RedisPermits saved = taken < 1.0 && state != null && limit.hasOtherDefinition(state)
                ? afterOther(state).withDemand(after.demand())
                : after;
        return Step.of(saved, verdict.withRetryAfterMicros(micros(Math.ceil(retry))));
    }

    private double untilPermit(RedisPermits settled) {
        double fromStored = Math.min(1.0, settled.storedPermits());
        return settled.reserve(fromStored, (1.0 - fromStored) * intervalMicros).reservedMicros(now);
    }

    /** Cancels the reservation with the ticket of the request, or refunds used permits if it has none. */
    private Step<RedisPermits> refund(@Nullable RedisPermits state, Request request) {
        RedisPermits after = null;
        if (state != null && request.ticketMicros() != 0) {
            after = cancel(state.boundClockStep(now), request);
        } else if (state != null && warmUp == null) {
            after = settle(state).refund(request.permits()).leavingRoomForHeld(now, coolDownIntervals);
        }
        return after == null
                ? Step.of(state, verdict(request, true, settle(state), 0.0, 0.0, 0))
                : Step.of(after, verdict(request, true, settle(after), 0.0, 0.0, 0));
    }

    /**
     * The state after a cancellation, or {@code null} if it has no such ticket. It keeps the definition of the state: limiters
     * with another one do not reserve here.
     *
     * <p>The last reservation is restored as a whole. Of any other, as much is restored as fits into the capacity in addition to all
     * that can come due after it. That is at most what was reserved later and what overlaps it because of earlier cancellations,
     * and at most what is not cancelled since the first cancelled reservation. The rest is restored once all reservations since
     * that one are cancelled.
     */
    private @Nullable RedisPermits cancel(RedisPermits found, Request request) {
        double ticket = request.ticketMicros();
        double until = found.reservedUntilMicros();
        if (ticket > until || warmUp != null && ticket <= now) {
            return null;
        }
        RedisPermits settled = found.resync(now, coolDownIntervals)
                .withOtherSince(0.0)
                .leavingRoomForHeld(now, coolDownIntervals)
                .forget(now, coolDownIntervals);
        Reservations known = settled.known();
        boolean overlaps = known.overlapMicros() > 0.0 && ticket <= known.lastTicketMicros();
        double tail = tailMicros(settled);
        boolean isLast = !overlaps && tail - ticket < settled.ticketTolerance();
        double cost = Math.min(ticket, request.permits() * intervalMicros);
        if (warmUp != null && isLast && settled.storedPermits() > 0.0 && !limit.hasOtherDefinition(settled)) {
            // Some stored permits are left, so all permits of the request were stored ones.
            double stored = Math.min(maxPermits, settled.storedPermits() + request.permits());
            cost = storedToMicros(stored, stored - settled.storedPermits());
            settled = settled.withStored(stored);
        }
        double restored = cost;
        if (!isLast) {
            double after = until - ticket + (overlaps ? known.overlapMicros() : 0.0);
            double from = settled.cancelledFromMicros(ticket - cost);
            if (from > 0.0) {
                after = Math.min(after, until - from - known.cancelledMicros() - cost);
            }
            restored = Math.min(cost, Math.max(0.0, roomMicros(settled, request.permits()) - after));
            settled = settled.withCancelled(tail, until, from, restored, cost - restored);
        }
        if (settled.liveMicros(tail - restored) < settled.ticketTolerance()) {
            restored += settled.known().cancelledMicros();
            settled = settled.withoutReservations();
        }
        // Permits that were reserved at another rate are stored again as the fewer of both.
        double microsPerPermit = Math.max(intervalMicros, settled.intervalMicros()) * coolDownIntervals;
        return settled.restore(now, restored, microsPerPermit)
                .leavingRoomForHeld(now, coolDownIntervals)
                .forget(now, coolDownIntervals);
    }

    /**
     * How many permits can come due together, in microseconds; with {@code CALLER} also one request for more. By the highest rate
     * at which any of them may be reserved, because a limit with a lower one takes the same time for fewer.
     */
    private double roomMicros(RedisPermits state, long permits) {
        double most = limit.whoWaits() == WhoWaits.CALLER ? Math.max(state.maxPermits(), permits) : state.maxPermits();
        double fastest = state.known().fastestMicros();
        double micros = Math.min(intervalMicros, state.intervalMicros());
        return warmUp != null ? 0.0 : most * (fastest > 0.0 ? Math.min(micros, fastest) : micros);
    }

    /** Stored permits cost time in a warm-up, so they say nothing about its tail. */
    private double tailMicros(RedisPermits state) {
        return state.tailMicros(warmUp == null ? state.storedPermits() : 0.0);
    }

    /**
     * How long a state is needed: until the bucket is full, the last ticket is due, and no instance holds prefetched
     * permits. Without that ticket, a cancellation could restore too much.
     */
    double neededMicros(RedisPermits state) {
        Demand demand = state.demand();
        double micros = Math.max(
                state.resetMicros(now, coolDownIntervals), demand == null ? 0.0 : demand.nextCallMicros() - now);
        if (state.reservations() == null) {
            return micros;
        }
        double last = state.reservations().lastTicketMicros();
        return Math.max(micros, last - now + (last > 0.0 ? state.maxPermits() * state.intervalMicros() : 0.0));
    }

    private RedisPermits settle(@Nullable RedisPermits state) {
        if (state == null) {
            double stored = limit.startsFull() ? maxPermits : 0.0;
            return new RedisPermits(maxPermits, stored, limit.intervalMillis(), now / 1000.0, 0.0);
        }
        RedisPermits found = state.boundClockStep(now);
        RedisPermits own = limit.hasOtherDefinition(state)
                ? found.resync(found.otherSinceMicros(now), coolDownIntervals)
                        .rescale(maxPermits, limit.intervalMillis())
                        .resync(now, coolDownIntervals)
                : found.resync(now, coolDownIntervals).withOtherSince(0.0);
        return own.leavingRoomForHeld(now, coolDownIntervals).forget(now, coolDownIntervals);
    }

    /**
     * A rejection also saves the state if the clock has stepped back, or if the bucket starts empty, which it would do again with
     * each call. A rejection under another definition saves since when that one applies, because its rate would otherwise take effect
     * only with a grant. It does not convert the state: permits of the one definition can be worth more than fit into
     * the other one, so a caller who takes nothing would deprive the others of them, also of what they cancel later.
     */
    private @Nullable RedisPermits afterRejection(@Nullable RedisPermits state, RedisPermits settled) {
        if (state == null) {
            return limit.startsFull() ? null : settled;
        }
        if (limit.hasOtherDefinition(state)) {
            return afterOther(state);
        }
        return state.boundClockStep(now) == state ? state : settled;
    }

    /** The state after a request under another definition than its own, which has taken nothing. */
    private RedisPermits afterOther(RedisPermits state) {
        RedisPermits found = state.boundClockStep(now);
        return found.withOtherSince(found.otherSinceMicros(now));
    }

    private double storedToMicros(double stored, double taken) {
        return warmUp == null ? 0.0 : warmUp.storedToMicros(stored, taken, intervalMicros);
    }

    /**
     * The time until the same request would be granted. Without other requests, the wait becomes shorter until the bucket is
     * full (with a warm-up, until all reservations are due). If it is too long even then, the request is never granted.
     */
    private double retryAfterMicros(long permits, double wait, double reservedMicros, double allowed) {
        boolean own = limit.whoWaits() == WhoWaits.CALLER;
        double missing = Math.max(0.0, permits - maxPermits);
        double best =
                warmUp == null ? Rounding.wholeMicros(missing * intervalMicros, intervalMicros) : reservedMicros - wait;
        if (best > (own ? allowed : limit.maxReservedMicros())) {
            return NEVER;
        }
        return own ? wait - allowed : Math.max(wait - allowed, reservedMicros - limit.maxReservedMicros());
    }

    private Verdict verdict(
            Request request, boolean granted, RedisPermits state, double wait, double retryAfter, long ticketMicros) {
        long remaining = (long) (warmUp != null && state.nextFreeMicros() > now ? 0.0 : state.wholePermits());
        long capacity = limit.capacity();
        if (request.leave() > 0) {
            capacity = Math.max(0, capacity - request.leave());
            remaining = Math.max(0, remaining - request.leave());
        }
        long full = micros(state.resetMicros(now, coolDownIntervals));
        long waitMicros = micros(wait);
        if (!granted) {
            long retry = micros(retryAfter);
            Verdict rejected = Verdict.rejected(capacity, remaining, retry, full);
            return waitMicros == retry ? rejected : rejected.withWaitMicros(waitMicros);
        }
        Verdict free = Verdict.granted(capacity, remaining, full);
        Verdict verdict = waitMicros == 0 ? free : free.withWaitMicros(waitMicros);
        return ticketMicros == 0 ? verdict : verdict.withTicketMicros(ticketMicros);
    }

    private static long micros(double micros) {
        return micros >= NEVER ? Verdict.NEVER_MICROS : (long) micros;
    }
}
