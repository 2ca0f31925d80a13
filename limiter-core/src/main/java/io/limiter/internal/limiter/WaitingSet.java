package io.limiter.internal.limiter;

import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.waiting.WaitingRequest;
import io.limiter.step.LimitStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A request for permits of a set.
 */
final class WaitingSet extends WaitingRequest {

    private final List<SetPart> parts;
    private final boolean waits;
    private final long permits;
    private final long[] timeoutsMicros;
    private final EngineObserver.MayWait mayWait;

    private SetCheck last = new SetCheck();

    /**
     * @param waits whether it waits until the permits are there; otherwise it only reserves
     * @param timeouts none, one for all parts, or one for each
     */
    WaitingSet(List<SetPart> parts, boolean waits, long permits, Duration... timeouts) {
        this(parts, waits, permits, micros(parts.size(), timeouts), parts.get(0).limiter().bound);
    }

    private WaitingSet(List<SetPart> parts, boolean waits, long permits, long[] timeoutsMicros, BoundLimit<?> first) {
        super(first.waitingRoom(), longest(timeoutsMicros));
        this.parts = parts;
        this.waits = waits;
        this.permits = permits;
        this.timeoutsMicros = timeoutsMicros;
        this.mayWait = longest(timeoutsMicros) == 0
                ? EngineObserver.MayWait.NONE
                : first.counters().mayWait();
    }

    /** The timeout of every part. */
    private static long[] micros(int size, Duration... timeouts) {
        if (Objects.requireNonNull(timeouts, "timeouts").length > 1 && timeouts.length != size) {
            throw new IllegalArgumentException(
                    "timeouts must be one, or one for each of " + size + " limits, were " + timeouts.length);
        }
        long[] micros = new long[size];
        for (int i = 0; i < size && timeouts.length > 0; i++) {
            micros[i] = Timeouts.micros(timeouts[timeouts.length == 1 ? 0 : i]);
        }
        return micros;
    }

    private static long longest(long[] timeoutsMicros) {
        return Arrays.stream(timeoutsMicros).max().orElse(0);
    }

    @Override
    protected Outcome decideFirst() {
        return check().decide();
    }

    @Override
    protected Started startDecision() {
        return check().start();
    }

    /** The request of every part, under its current limit. */
    private SetCheck check() {
        SetCheck next = new SetCheck();
        for (int i = 0; i < parts.size(); i++) {
            next.add(parts.get(i), permits, nextMicros(timeoutsMicros[i]));
        }
        last = next;
        return next;
    }

    SetDecision toDecision(Outcome decisions) {
        return SetPart.toDecision(parts, decisions);
    }

    /** How long the caller waits until the permits of a grant come due. */
    long waitMicros(SetDecision decided) {
        return waits && decided.isGranted() ? decided.decision().waitMicros() : 0;
    }

    /** As {@link #waitMicros(SetDecision)}. */
    long waitMicros(Outcome decided) {
        return waits && decided.isGranted() ? decided.waitMicros() : 0;
    }

    SetReservation reservation(Outcome decisions) {
        List<Reservation> reserved = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size() && decisions.isGranted(); i++) {
            reserved.add(reservation(i, Objects.requireNonNull(decisions.part(i))));
        }
        return new EngineSetReservation(toDecision(decisions), parts.size(), List.copyOf(reserved));
    }

    Reservation reservation(int part, Outcome decision) {
        EngineLimiter<?> limiter = parts.get(part).limiter();
        return limiter.bound.reservation(
                limiter.path.text(),
                limiter.path.storedKey(),
                last.used(part),
                last.request(part).permits(),
                decision);
    }

    @Override
    protected long retryMicros(Outcome rejection) {
        long longest = FINAL;
        for (int i = 0; i < parts.size() && waits; i++) {
            Outcome decision = rejection.part(i);
            if (decision != null && !decision.isGranted()) {
                long micros = retryMicros(parts.get(i).limiter().effective().step(), decision, timeoutsMicros[i]);
                if (micros == FINAL) {
                    return FINAL;
                }
                longest = Math.max(longest, micros);
            }
        }
        return longest;
    }

    @Override
    protected long moreAfter(Outcome grant) {
        long fewest = Long.MAX_VALUE - 1;
        for (int i = 0; i < parts.size(); i++) {
            long remaining = Objects.requireNonNull(grant.part(i)).remaining();
            fewest = Math.min(fewest, remaining / parts.get(i).permitsFor(permits));
        }
        return fewest;
    }

    /**
     * Of the same limiters, because another plan of a limit has other permits left, and a limiter without live limits other ones
     * than one with them. With equal timeouts: a part with a shorter one than another can make a rejection final before the
     * deadline.
     */
    @Override
    protected Object queueKey() {
        List<Object> queueKey = new ArrayList<>(3 * parts.size());
        for (int i = 0; i < parts.size(); i++) {
            SetPart part = parts.get(i);
            LimitStep<?> limit = part.limiter().effective().step();
            queueKey.add(part.limiter().bound);
            queueKey.add(new BoundLimit.QueueKey(part.storedKey(), part.permitsFor(permits), limit));
            queueKey.add(timeoutsMicros[i]);
        }
        return queueKey;
    }

    @Override
    protected String key() {
        return parts.get(0).storedKey();
    }

    /** With the checks of the bans, which count a rejection also if it is that of another caller. */
    @Override
    protected boolean mayJoin() {
        return !check().decidesAtOnce();
    }

    @Override
    protected boolean mayWait() {
        return waits && longest(timeoutsMicros) > 0;
    }

    /**
     * Waits until the permits of a grant come due.
     *
     * @throws LimiterBackendException if the limiters are closed before; then the permits are returned
     */
    void await(SetReservation reserved) {
        long waitMicros = waitMicros(reserved.decision());
        if (waitMicros > 0) {
            SetPart.slowest(reserved.decision()).await(key(), waitMicros, reserved::cancelAsync);
        }
    }

    @Override
    protected Runnable waitBegins(Outcome rejection) {
        return SetPart.slowest(toDecision(rejection)).counters().waitBegins(mayWait);
    }

    /** Permits that were not taken because another part rejects do not count as granted. */
    @Override
    protected void count(Outcome decisions) {
        boolean granted = decisions.isGranted();
        for (int i = 0; i < parts.size(); i++) {
            Outcome decision = decisions.part(i);
            if (decision != null && (granted || !decision.isGranted())) {
                EngineLimiter<?> limiter = parts.get(i).limiter();
                limiter.bound
                        .counters()
                        .decided(
                                limiter.name(),
                                limiter.path.text(),
                                last.used(i).step(),
                                last.request(i).permits(),
                                decision);
                LimiterBan.Check ban = last.ban(i);
                if (ban != null) {
                    ban.decided(last.used(i).failover(), decision, last.ofBan(i));
                }
            }
        }
    }

    @Override
    protected void countFailure() {
        parts.forEach(part -> part.limiter().bound.counters().failed());
    }
}
