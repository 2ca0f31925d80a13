package io.limiter.internal.limiter;

import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.time.Timeouts;
import io.limiter.internal.waiting.CallerFuture;
import io.limiter.internal.waiting.WaitingRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for permits of a set. A request of a single limiter is that of a set of one, if the limiter has a ban, or if the request may
 * wait until it is decided again.
 */
final class SetRequest extends WaitingRequest {

    private final List<SetPart> parts;
    private final boolean waits;
    private final long permits;
    private final long[] timeoutsMicros;
    private final long timeoutMicros;
    private final EngineObserver.MayWait mayWait;

    private @Nullable SetCheck last;

    /**
     * @param waits whether it waits until the permits are there; otherwise it only reserves
     * @param timeouts none, one for all parts, or one for each
     */
    SetRequest(List<SetPart> parts, boolean waits, long permits, Duration... timeouts) {
        this(parts, waits, permits, micros(parts.size(), timeouts));
    }

    /** @param timeoutsMicros of each part */
    SetRequest(List<SetPart> parts, boolean waits, long permits, long... timeoutsMicros) {
        this(
                parts,
                waits,
                permits,
                timeoutsMicros,
                longest(timeoutsMicros),
                parts.get(0).limiter().bound);
    }

    private SetRequest(
            List<SetPart> parts,
            boolean waits,
            long permits,
            long[] timeoutsMicros,
            long timeoutMicros,
            BoundLimit<?> first) {
        super(first.waitingRoom(), timeoutMicros);
        this.parts = parts;
        this.waits = waits;
        this.permits = permits;
        this.timeoutsMicros = timeoutsMicros;
        this.timeoutMicros = timeoutMicros;
        this.mayWait = timeoutMicros == 0
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

    private static long longest(long... timeoutsMicros) {
        long longest = 0;
        for (long micros : timeoutsMicros) {
            longest = Math.max(longest, micros);
        }
        return longest;
    }

    /**
     * Decides, and waits until the permits of a grant come due.
     *
     * @throws LimiterBackendException if the limiters are closed before; then the permits are returned
     */
    Outcome decideAndWait() {
        Outcome decided = decideNow();
        if (waitMicros(decided) > 0) {
            await(reservation(decided));
        }
        return decided;
    }

    /** As {@link #decideAndWait}, and reserves. */
    SetReservation reserve() {
        SetReservation reserved = reservation(decideNow());
        await(reserved);
        return reserved;
    }

    /**
     * As {@link #decideAndWait}, without blocking the calling thread.
     *
     * @param result the caller's result
     */
    <T> CompletableFuture<T> future(Function<Outcome, T> result) {
        start();
        return new CallerFuture<>(
                key(),
                this::giveUp,
                this,
                // It counts itself.
                (decision, error) -> {},
                this::waitMicros,
                parts.get(0).limiter().bound.waits(),
                this::waitBegins,
                result);
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
        SetCheck next = new SetCheck(parts, permits, nextMicros(timeoutsMicros));
        last = next;
        return next;
    }

    private SetCheck.Part checked(int part) {
        return Objects.requireNonNull(last).part(part);
    }

    SetDecision toDecision(Outcome decisions) {
        return SetPart.toDecision(parts, decisions);
    }

    /** How long the caller waits until the permits of a grant come due. */
    private long waitMicros(Outcome decided) {
        return waits && decided.isGranted() ? decided.waitMicros() : 0;
    }

    SetReservation reservation(Outcome decisions) {
        List<Reservation> reserved = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size() && decisions.isGranted(); i++) {
            reserved.add(reservation(i, Objects.requireNonNull(decisions.part(i))));
        }
        return new EngineSetReservation(toDecision(decisions), parts.size(), List.copyOf(reserved));
    }

    /** The reservation of a set of one; a rejected one is a reservation, too. */
    Reservation reservationOfOne(Outcome decision) {
        return reservation(0, decision);
    }

    /** How many permits a set of one has got. */
    long takenOfOne(Outcome decision) {
        return decision.verdict().takenBy(checked(0).request);
    }

    private Reservation reservation(int part, Outcome decision) {
        EngineLimiter<?> limiter = parts.get(part).limiter();
        SetCheck.Part checked = checked(part);
        return limiter.bound.reservation(
                limiter.path.text(), limiter.path.storedKey(), checked.used, checked.request.permits(), decision);
    }

    @Override
    protected long retryMicros(Outcome rejection) {
        long longest = FINAL;
        for (int i = 0; i < parts.size() && waits; i++) {
            Outcome decision = rejection.part(i);
            if (decision != null && !decision.isGranted()) {
                long micros =
                        retryMicros(parts.get(i).limiter().effective().reservesAhead(), decision, timeoutsMicros[i]);
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
     * For as many permits of the same keys under the same limits. Of several parts, the limiters are the same, because another plan of
     * a limit has other permits left, and a limiter without live limits other ones than one with them; and so are the timeouts,
     * because a part with a shorter one than another can make a rejection final before the deadline.
     */
    @Override
    protected Object queueKey() {
        if (parts.size() == 1) {
            return parts.get(0).queueKey(permits);
        }
        List<Object> queueKey = new ArrayList<>(3 * parts.size());
        for (int i = 0; i < parts.size(); i++) {
            queueKey.add(parts.get(i).limiter().bound);
            queueKey.add(parts.get(i).queueKey(permits));
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
        return waits && timeoutMicros > 0;
    }

    private void await(SetReservation reserved) {
        SetDecision decided = reserved.decision();
        long waitMicros = waits && decided.isGranted() ? decided.decision().waitMicros() : 0;
        if (waitMicros > 0) {
            SetPart.slowest(decided).await(key(), waitMicros, reserved::cancelAsync);
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
                checked(i).count(decision);
            }
        }
    }

    @Override
    protected void countFailure() {
        parts.forEach(part -> part.limiter().bound.counters().failed());
    }
}
