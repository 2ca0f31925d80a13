package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.waiting.CallerFuture;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link LimitSet} on an engine. */
public final class EngineLimitSet implements LimitSet {

    private final List<SetPart> parts;

    private EngineLimitSet(List<SetPart> parts) {
        this.parts = List.copyOf(parts);
        Set<String> keys = new HashSet<>();
        for (SetPart part : parts) {
            if (!keys.add(part.backendKey())) {
                throw new IllegalArgumentException("the same permits of '" + part
                        + "' are twice in one set: take each once, or more permits at a time");
            }
            LimiterBan ban = part.limiter().ban();
            if (ban != null && !keys.add(ban.keyOf(part.backendKey()))) {
                throw new IllegalArgumentException("the same ban of '" + part
                        + "' is twice in one set, of two kinds of limit: give one of them another name, or no ban");
            }
        }
    }

    static EngineLimitSet of(EngineLimiter<?> first, long permits) {
        return new EngineLimitSet(List.of(new SetPart(first, permits)));
    }

    /** {@link #decide} of a set of one. */
    Decision decideAlone(long permits, long timeoutMicros) {
        return only(decide(permits, toDuration(timeoutMicros)));
    }

    /** {@link #decideAlone}, without blocking the calling thread. */
    <T> CompletableFuture<T> decideAloneAsync(long permits, long timeoutMicros, Function<Decision, T> result) {
        return decideAsync(
                new WaitingSet(parts, true, permits, toDuration(timeoutMicros)),
                decided -> result.apply(only(decided)));
    }

    /** {@link #reserve} of a set of one; a rejected reservation is one, too. */
    Reservation reserveAlone(long permits, long timeoutMicros) {
        WaitingSet waiting = new WaitingSet(parts, false, permits, toDuration(timeoutMicros));
        return waiting.reservation(0, only(waiting.decideSet()));
    }

    /** {@link #reserveAlone}, without blocking the calling thread. */
    CompletableFuture<Reservation> reserveAloneAsync(long permits, long timeoutMicros) {
        WaitingSet waiting = new WaitingSet(parts, false, permits, toDuration(timeoutMicros));
        return decideAsync(waiting, decided -> waiting.reservation(0, only(decided)));
    }

    private static Decision only(SetDecision decided) {
        return decided.parts().get(0).decision();
    }

    private static Duration toDuration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    @Override
    public LimitSet and(Limiter other, long permits) {
        SetPart first = parts.get(0);
        if (!(other instanceof EngineLimiter<?> limiter)
                || !limiter.bound
                        .engine()
                        .engine()
                        .equals(first.limiter().bound.engine().engine())) {
            throw new IllegalArgumentException("all limiters of a set must be built by one factory, but " + first
                    + " and " + Objects.requireNonNull(other, "other").name() + " were not");
        }
        List<SetPart> all = new ArrayList<>(parts);
        all.add(new SetPart(limiter, permits));
        return new EngineLimitSet(all);
    }

    @Override
    public List<Limiter> limiters() {
        return parts.stream().<Limiter>map(SetPart::limiter).toList();
    }

    @Override
    public LimitSet.Async async() {
        return new AsyncView();
    }

    @Override
    public SetDecision decide(long permits, Duration... timeouts) {
        WaitingSet waiting = new WaitingSet(parts, true, permits, timeouts);
        SetDecision decided = waiting.decideSet();
        if (waiting.waitMicros(decided) > 0) {
            waiting.await(waiting.reservation(decided));
        }
        return decided;
    }

    @Override
    public SetReservation reserve(long permits, Duration... timeouts) {
        return reserve(new WaitingSet(parts, false, permits, timeouts));
    }

    /** As {@link #reserve}, and waits as {@link #decide} does. */
    public SetReservation reserveAndAwait(long permits, Duration... timeouts) {
        WaitingSet waiting = new WaitingSet(parts, true, permits, timeouts);
        SetReservation reserved = reserve(waiting);
        waiting.await(reserved);
        return reserved;
    }

    private SetReservation reserve(WaitingSet waiting) {
        return waiting.reservation(waiting.decideSet());
    }

    /** As {@link #reserveAndAwait}, without blocking the calling thread. Futures are those of {@link LimitSet.Async}. */
    public CompletableFuture<SetReservation> reserveAndAwaitAsync(long permits, Duration... timeouts) {
        return reserveAsync(true, permits, timeouts);
    }

    private CompletableFuture<SetReservation> reserveAsync(boolean waits, long permits, Duration... timeouts) {
        WaitingSet waiting = new WaitingSet(parts, waits, permits, timeouts);
        return decideAsync(waiting, waiting::reservation);
    }

    @Override
    public SetDecision peek(long permits) {
        return await(startEach(part -> part.peek(permits)));
    }

    @Override
    public SetDecision refund(long permits) {
        return await(startEach(part -> part.refund(permits)));
    }

    private <T> CompletableFuture<T> decideAsync(WaitingSet waiting, Function<SetDecision, T> result) {
        waiting.start();
        return new CallerFuture<>(
                parts.get(0).backendKey(),
                waiting::giveUp,
                waiting.thenApply(waiting::toDecision),
                waiting::waitMicros,
                parts.get(0).limiter().bound.waits(),
                waiting::waitBegins,
                result);
    }

    /** Starts a request for each part, independent of the others. They share calls. */
    private List<SetPart.Started> startEach(Function<SetPart, Request> request) {
        // All of them first: permits out of range start none.
        List<Request> requests = parts.stream().map(request).toList();
        List<SetPart.Started> started = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            started.add(parts.get(i).start(requests.get(i)));
        }
        return started;
    }

    private SetDecision await(List<SetPart.Started> started) {
        List<@Nullable Decision> decisions = new ArrayList<>(started.size());
        started.forEach(each -> decisions.add(each.await()));
        return SetPart.toDecision(parts, decisions);
    }

    private CompletableFuture<SetDecision> whenAllDone(List<SetPart.Started> started) {
        CompletableFuture<?>[] all =
                started.stream().flatMap(each -> each.all().stream()).toArray(CompletableFuture[]::new);
        return AsyncFailures.map(CompletableFuture.allOf(all), done -> await(started));
    }

    @Override
    public String toString() {
        return "LimitSet" + parts;
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(long permits, Duration... timeouts) {
            return decideAsync(new WaitingSet(parts, true, permits, timeouts), Function.identity());
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(long permits, Duration... timeouts) {
            return decideAsync(new WaitingSet(parts, true, permits, timeouts), SetDecision::granted);
        }

        @Override
        public CompletableFuture<SetReservation> reserve(long permits, Duration... timeouts) {
            return reserveAsync(false, permits, timeouts);
        }

        @Override
        public CompletableFuture<SetDecision> peek(long permits) {
            return whenAllDone(startEach(part -> part.peek(permits)));
        }

        @Override
        public CompletableFuture<SetDecision> refund(long permits) {
            return whenAllDone(startEach(part -> part.refund(permits)));
        }
    }
}
