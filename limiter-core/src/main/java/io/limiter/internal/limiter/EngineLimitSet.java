package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import io.limiter.internal.resilience.Failover;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A {@link LimitSet} on an engine. */
public final class EngineLimitSet implements LimitSet {

    private final List<Part> parts;

    private EngineLimitSet(List<Part> parts) {
        this.parts = List.copyOf(parts);
        Set<String> keys = new HashSet<>();
        for (Part part : parts) {
            if (!keys.add(part.backendKey())) {
                throw new IllegalArgumentException("the same permits of '" + part
                        + "' are twice in one set: take each once, or more permits at a time");
            }
        }
    }

    static LimitSet of(EngineLimiter<?> first, int permits) {
        return new EngineLimitSet(List.of(new Part(first, permits)));
    }

    @Override
    public LimitSet and(Limiter other, int permits) {
        Part first = parts.get(0);
        if (!(other instanceof EngineLimiter<?> limiter)
                || !limiter.bound.engine().engine().equals(first.engine().engine())) {
            throw new IllegalArgumentException("all limiters of a set must be built by one factory, but " + first
                    + " and " + Objects.requireNonNull(other, "other").name() + " were not");
        }
        List<Part> all = new ArrayList<>(parts);
        all.add(new Part(limiter, permits));
        return new EngineLimitSet(all);
    }

    @Override
    public List<Limiter> limiters() {
        return parts.stream().<Limiter>map(Part::limiter).toList();
    }

    @Override
    public LimitSet.Async async() {
        return new AsyncView();
    }

    @Override
    public SetDecision decide(int permits, Duration... timeouts) {
        SetDecision decided = decideNow(requests(permits, timeouts), engines());
        await(decided);
        return decided;
    }

    @Override
    public SetReservation reserve(int permits, Duration... timeouts) {
        List<KeyRequests<?>> requests = requests(permits, timeouts);
        List<Failover> engines = engines();
        return reservation(decideNow(requests, engines), requests, engines);
    }

    /** As {@link #reserve}, and waits for the slowest limit as {@link #decide} does. */
    public SetReservation reserveAndAwait(int permits, Duration... timeouts) {
        SetReservation reserved = reserve(permits, timeouts);
        await(reserved.decision());
        return reserved;
    }

    /** As {@link #reserveAndAwait}, without blocking the calling thread. Futures are those of {@link LimitSet.Async}. */
    public CompletableFuture<SetReservation> reserveAndAwaitAsync(int permits, Duration... timeouts) {
        return reserveAsync(EngineLimitSet::waitMicros, permits, timeouts);
    }

    private CompletableFuture<SetReservation> reserveAsync(
            ToLongFunction<SetDecision> waitMicros, int permits, Duration... timeouts) {
        List<KeyRequests<?>> requests = requests(permits, timeouts);
        List<Failover> engines = engines();
        return decideAsync(requests, engines, waitMicros, decided -> reservation(decided, requests, engines));
    }

    private SetReservation reservation(SetDecision decided, List<KeyRequests<?>> requests, List<Failover> engines) {
        List<Reservation> reserved = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size() && decided.granted(); i++) {
            KeyRequests<?> taken = requests.get(i);
            reserved.add(parts.get(i)
                    .limiter()
                    .bound
                    .reservation(
                            taken.key(),
                            engines.get(i),
                            taken.limit(),
                            taken.request().permits(),
                            decided.parts().get(i).decision()));
        }
        return new EngineSetReservation(decided, parts.size(), List.copyOf(reserved));
    }

    @Override
    public SetDecision peek(int permits) {
        return await(startEach(part -> part.peek(permits)));
    }

    @Override
    public SetDecision refund(int permits) {
        return await(startEach(part -> part.refund(permits)));
    }

    /** The request of every part, under its current limit. */
    private List<KeyRequests<?>> requests(int permits, Duration... timeouts) {
        if (Objects.requireNonNull(timeouts, "timeouts").length > 1 && timeouts.length != parts.size()) {
            throw new IllegalArgumentException(
                    "timeouts must be one, or one for each of " + parts.size() + " limits, were " + timeouts.length);
        }
        List<KeyRequests<?>> requests = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            long timeoutMicros = timeouts.length == 0 ? 0 : Timeouts.micros(timeouts[timeouts.length == 1 ? 0 : i]);
            requests.add(parts.get(i).take(permits, timeoutMicros));
        }
        return requests;
    }

    private static long waitMicros(SetDecision decided) {
        return decided.granted() ? decided.decision().waitMicros() : 0;
    }

    private static void await(SetDecision decided) {
        long waitMicros = waitMicros(decided);
        if (waitMicros > 0) {
            slowest(decided).await(waitMicros);
        }
    }

    /** The limit that the caller waits for. */
    private static BoundLimit<?> slowest(SetDecision decided) {
        SetDecision.OfPart slowest = Collections.max(
                decided.parts(),
                Comparator.comparingLong(each -> each.decision().waitMicros()));
        return ((EngineLimiter<?>) slowest.limiter()).bound;
    }

    private SetDecision decideNow(List<KeyRequests<?>> requests, List<Failover> engines) {
        try {
            SetDecision decided = toDecision(Failover.start(requests, engines).await());
            count(decided);
            return decided;
        } catch (LimiterBackendException e) {
            failed();
            throw e;
        }
    }

    private <T> CompletableFuture<T> decideAsync(
            List<KeyRequests<?>> requests,
            List<Failover> engines,
            ToLongFunction<SetDecision> waitMicros,
            Function<SetDecision, T> result) {
        BoundLimit<?> first = parts.get(0).limiter().bound;
        EngineObserver.MayWait mayWait = first.counters().mayWait();
        PendingSet pending = Failover.start(requests, engines);
        CompletableFuture<SetDecision> decided = pending.thenApply(this::toDecision);
        decided.whenComplete((decision, error) -> {
            if (error == null) {
                count(decision);
            } else if (AsyncFailures.cause(error) instanceof LimiterBackendException) {
                failed();
            }
        });
        return new AwaitedDecision<>(
                pending,
                decided,
                waitMicros,
                first.sleeper(),
                decision -> slowest(decision).counters().waitBegins(mayWait),
                result);
    }

    /** One for each part, all on one engine. */
    private List<Failover> engines() {
        List<Failover> engines = new ArrayList<>(parts.size());
        for (Part part : parts) {
            engines.add(part.engine());
        }
        return engines;
    }

    /** Permits that were not taken because another part rejects do not count as granted. */
    private static void count(SetDecision decided) {
        boolean granted = decided.granted();
        for (SetDecision.OfPart part : decided.parts()) {
            if (granted || !part.decision().granted()) {
                EngineLimiter<?> limiter = (EngineLimiter<?>) part.limiter();
                limiter.bound.counters().decided(limiter.name(), limiter.path.countedKey(), part.decision());
            }
        }
    }

    private void failed() {
        parts.forEach(part -> part.limiter().bound.counters().failed());
    }

    /** Starts a request for each part, independent of the others. They share calls. */
    private List<PendingRequest> startEach(Function<Part, KeyRequests<?>> request) {
        // All of them first: permits out of range start none.
        List<KeyRequests<?>> requests =
                parts.stream().<KeyRequests<?>>map(request).toList();
        List<PendingRequest> started = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            KeyRequests<?> each = requests.get(i);
            started.add(parts.get(i).engine().start(each.key(), each.limit(), each.request()));
        }
        return started;
    }

    private SetDecision await(List<PendingRequest> started) {
        return toDecision(
                started.stream().<@Nullable Decision>map(PendingRequest::await).toList());
    }

    private CompletableFuture<SetDecision> whenAllDone(List<PendingRequest> started) {
        return AsyncFailures.map(
                CompletableFuture.allOf(started.toArray(CompletableFuture[]::new)), done -> await(started));
    }

    private SetDecision toDecision(List<@Nullable Decision> decisions) {
        List<SetDecision.OfPart> decided = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Decision decision = decisions.get(i);
            if (decision != null) {
                decided.add(new SetDecision.OfPart(parts.get(i).limiter(), decision));
            }
        }
        return new SetDecision(decided);
    }

    @Override
    public String toString() {
        return "LimitSet" + parts;
    }

    /**
     * @param permits how many this part takes for each permit of the set
     */
    private record Part(EngineLimiter<?> limiter, int permits) {

        Part {
            if (permits < 1) {
                throw new IllegalArgumentException("permits must be at least 1, was " + permits);
            }
        }

        Failover engine() {
            return limiter.bound.engine();
        }

        String backendKey() {
            return limiter.path.backendKey();
        }

        KeyRequests<?> take(int permitsOfSet, long timeoutMicros) {
            return requests(Request.take(permitsFor(permitsOfSet), timeoutMicros));
        }

        KeyRequests<?> peek(int permitsOfSet) {
            return requests(Request.peek(permitsFor(permitsOfSet), 0));
        }

        KeyRequests<?> refund(int permitsOfSet) {
            return requests(Request.refund(permitsFor(permitsOfSet)));
        }

        private KeyRequests<?> requests(Request request) {
            return KeyRequests.of(backendKey(), limiter.limit(), request);
        }

        private int permitsFor(int permitsOfSet) {
            // Here: the product of a negative number can be positive.
            if (permitsOfSet < 1) {
                throw new IllegalArgumentException("permits must be at least 1, was " + permitsOfSet);
            }
            if (permitsOfSet > Integer.MAX_VALUE / permits) {
                throw new IllegalArgumentException("permits must be at most " + Integer.MAX_VALUE / permits + " where "
                        + this + " takes " + permits + " for each, was " + permitsOfSet);
            }
            return permitsOfSet * permits;
        }

        @Override
        public String toString() {
            return limiter.name();
        }
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(int permits, Duration... timeouts) {
            return decideAsync(permits, Function.identity(), timeouts);
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits, Duration... timeouts) {
            return decideAsync(permits, SetDecision::granted, timeouts);
        }

        private <T> CompletableFuture<T> decideAsync(
                int permits, Function<SetDecision, T> result, Duration... timeouts) {
            return EngineLimitSet.this.decideAsync(
                    requests(permits, timeouts), engines(), EngineLimitSet::waitMicros, result);
        }

        @Override
        public CompletableFuture<SetReservation> reserve(int permits, Duration... timeouts) {
            return reserveAsync(decided -> 0, permits, timeouts);
        }

        @Override
        public CompletableFuture<SetDecision> peek(int permits) {
            return whenAllDone(startEach(part -> part.peek(permits)));
        }

        @Override
        public CompletableFuture<SetDecision> refund(int permits) {
            return whenAllDone(startEach(part -> part.refund(permits)));
        }
    }
}
