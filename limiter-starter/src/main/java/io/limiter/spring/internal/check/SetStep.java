package io.limiter.spring.internal.check;

import io.limiter.Decision;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.limiter.EngineLimitSet;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Takes the permits of a set of limits, all or nothing. Some may be settled when the outcome of the call is known. */
final class SetStep extends CheckStep {

    private final List<CheckPart> parts;
    private final EngineLimitSet set;
    private final List<Limiter> limiters;
    private final Duration[] timeouts;
    private @Nullable CompletableFuture<SetReservation> reserved;

    SetStep(List<CheckPart> parts) {
        super(parts.get(0).limit());
        this.parts = parts;
        LimitSet all = null;
        for (CheckPart part : parts) {
            long permits = part.request().permits();
            all = all == null ? LimitSet.of(part.view(), permits) : all.and(part.view(), permits);
        }
        // That of any other limiter was rejected at the start.
        this.set = (EngineLimitSet) Objects.requireNonNull(all);
        this.limiters = set.limiters();
        this.timeouts = parts.stream().map(CheckPart::timeout).toArray(Duration[]::new);
    }

    private SetStep(SetStep known) {
        super(known.limit());
        this.parts = known.parts;
        this.set = known.set;
        this.limiters = known.limiters;
        this.timeouts = known.timeouts;
    }

    @Override
    SetStep again() {
        return new SetStep(this);
    }

    @Override
    void decide() {
        reserved = CompletableFuture.completedFuture(set.reserveAndAwait(1, timeouts));
    }

    @Override
    CompletableFuture<?> decideAsync() {
        return reserving(set.reserveAndAwaitAsync(1, timeouts));
    }

    /** Reserves the permits where that is possible, so that no timer waits until they are due. In shadow mode it has one part. */
    @Override
    CompletableFuture<?> decideInShadow() {
        return parts.get(0).reservesAhead() ? reserving(set.async().reserve(1, timeouts)) : decideAsync();
    }

    /** Not a future that depends on it, because a cancellation of that could lose a grant of the same moment. */
    private CompletableFuture<?> reserving(CompletableFuture<SetReservation> decision) {
        reserved = decision;
        return decision;
    }

    private SetReservation reserved() {
        return Objects.requireNonNull(reserved).join();
    }

    @Override
    @Nullable
    Rejection rejection() {
        SetDecision decision = reserved().decision();
        return decision.rejection()
                .map(rejected -> part(rejected).rejection(decision.decision()))
                .orElse(null);
    }

    /** Those that are not known, because the rejection cache has rejected by others, are there without a decision. */
    @Override
    List<LimitDecision> decisions() {
        List<SetDecision.OfPart> known = reserved().decision().parts();
        if (known.size() == parts.size()) {
            return known.stream().map(each -> part(each).of(each.decision())).toList();
        }
        @Nullable Decision[] decisions = new Decision[parts.size()];
        known.forEach(each -> decisions[limiters.indexOf(each.limiter())] = each.decision());
        return IntStream.range(0, decisions.length)
                .mapToObj(i -> parts.get(i).of(decisions[i]))
                .toList();
    }

    private CheckPart part(SetDecision.OfPart decided) {
        return parts.get(limiters.indexOf(decided.limiter()));
    }

    /** They are not settled later too. */
    @Override
    void cancel() {
        reserved().cancelAsync();
    }

    @Override
    boolean settles(Charge.When when) {
        return parts.stream().anyMatch(part -> settles(part, when));
    }

    private static boolean settles(CheckPart part, Charge.When when) {
        return part.charge() != null && part.charge().when() == when;
    }

    @Override
    List<UsageReader> readers() {
        return parts.stream()
                .map(CheckPart::charge)
                .filter(Objects::nonNull)
                .map(Charge::reader)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    @Override
    CompletableFuture<@Nullable Void> settle(Charge.When when, CallOutcome outcome) {
        SetReservation decided = reserved();
        List<CompletableFuture<?>> settled = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size() && decided.isGranted(); i++) {
            if (settles(parts.get(i), when)) {
                settled.add(settle(parts.get(i), decided.parts().get(i), outcome));
            }
        }
        return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
    }

    private static CompletableFuture<?> settle(CheckPart part, Reservation taken, CallOutcome outcome) {
        CompletableFuture<Boolean> settled;
        try {
            settled = taken.settleAsync(
                    outcome.status() == DecisionRecorder.REJECTED
                            ? 0
                            : Objects.requireNonNull(part.charge()).permits().applyAsLong(outcome));
        } catch (RuntimeException e) {
            settled = CompletableFuture.failedFuture(e);
        }
        return settled.exceptionally(e -> {
            part.limit().log().notSettled(AsyncFailures.cause(e));
            return false;
        });
    }
}
