package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.Outcome;
import io.limiter.step.Request;
import java.time.Duration;
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
            if (!keys.add(part.storedKey())) {
                throw new IllegalArgumentException("the same permits of '" + part
                        + "' are twice in one set: take each once, or more permits at a time");
            }
            LimiterBan ban = part.limiter().ban();
            if (ban != null && !keys.add(ban.keyOf(part.storedKey()))) {
                throw new IllegalArgumentException("the same ban of '" + part
                        + "' is twice in one set, of two kinds of limit: give one of them another name, or no ban");
            }
        }
    }

    static EngineLimitSet of(EngineLimiter<?> first, long permits) {
        return new EngineLimitSet(List.of(new SetPart(first, permits)));
    }

    @Override
    public LimitSet and(Limiter other, long permits) {
        SetPart first = parts.get(0);
        if (!(other instanceof EngineLimiter<?> limiter)
                || !limiter.bound
                        .failover()
                        .engine()
                        .equals(first.limiter().bound.failover().engine())) {
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
        return SetPart.toDecision(parts, request(true, permits, timeouts).decideAndWait());
    }

    @Override
    public SetReservation reserve(long permits, Duration... timeouts) {
        return request(false, permits, timeouts).reserve();
    }

    /** As {@link #reserve}, and waits as {@link #decide} does. */
    public SetReservation reserveAndAwait(long permits, Duration... timeouts) {
        return request(true, permits, timeouts).reserve();
    }

    /** As {@link #reserveAndAwait}, without blocking the calling thread. Futures are those of {@link LimitSet.Async}. */
    public CompletableFuture<SetReservation> reserveAndAwaitAsync(long permits, Duration... timeouts) {
        return reserveAsync(true, permits, timeouts);
    }

    private CompletableFuture<SetReservation> reserveAsync(boolean waits, long permits, Duration... timeouts) {
        SetRequest request = request(waits, permits, timeouts);
        return request.future(request::reservation);
    }

    private SetRequest request(boolean waits, long permits, Duration... timeouts) {
        return new SetRequest(parts, waits, permits, timeouts);
    }

    @Override
    public SetDecision peek(long permits) {
        return await(startEach(part -> part.peek(permits)));
    }

    @Override
    public SetDecision refund(long permits) {
        return await(startEach(part -> part.refund(permits)));
    }

    /** Starts a request for each part, independent of the others. They share calls. */
    private List<SetPart.PartRequest> startEach(Function<SetPart, Request> request) {
        // All of them first: permits out of range start none.
        List<Request> requests = parts.stream().map(request).toList();
        List<SetPart.PartRequest> started = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            started.add(parts.get(i).start(requests.get(i)));
        }
        return started;
    }

    private SetDecision await(List<SetPart.PartRequest> started) {
        List<@Nullable Outcome> decisions = new ArrayList<>(started.size());
        started.forEach(each -> decisions.add(each.await()));
        return SetPart.toDecision(parts, Outcome.of(decisions));
    }

    private CompletableFuture<SetDecision> whenAllDone(List<SetPart.PartRequest> started) {
        CompletableFuture<?>[] all =
                started.stream().map(SetPart.PartRequest::future).toArray(CompletableFuture[]::new);
        return AsyncFailures.map(CompletableFuture.allOf(all), done -> await(started));
    }

    @Override
    public String toString() {
        return "LimitSet" + parts;
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(long permits, Duration... timeouts) {
            SetRequest request = request(true, permits, timeouts);
            return request.future(request::toDecision);
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(long permits, Duration... timeouts) {
            return request(true, permits, timeouts).future(Outcome::isGranted);
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
