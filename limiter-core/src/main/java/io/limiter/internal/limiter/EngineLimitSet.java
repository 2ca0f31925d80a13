package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Sleeper;
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
import org.jspecify.annotations.Nullable;

/** A {@link LimitSet} on an engine. */
final class EngineLimitSet implements LimitSet {

    private final List<Part> parts;
    private final Sleeper sleeper;

    private EngineLimitSet(List<Part> parts) {
        this.parts = List.copyOf(parts);
        // Limiters whose callers never wait for permits have the default sleeper.
        this.sleeper = parts.stream()
                .map(part -> part.bound().sleeper())
                .filter(each -> each != Sleeper.UNINTERRUPTIBLE)
                .findFirst()
                .orElse(Sleeper.UNINTERRUPTIBLE);
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
        if (!(other instanceof EngineLimiter<?> limiter)
                || !limiter.bound
                        .engine()
                        .engine()
                        .equals(parts.get(0).bound().engine().engine())) {
            throw new IllegalArgumentException("all limiters of a set must be built by one factory, but "
                    + parts.get(0).limiter().name() + " and "
                    + Objects.requireNonNull(other, "other").name() + " were not");
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
    public SetDecision decide(int permits) {
        return decideAndWait(requests(permits));
    }

    @Override
    public SetDecision decide(int permits, Duration... timeouts) {
        return decideAndWait(requests(permits, timeouts));
    }

    @Override
    public SetDecision peek(int permits) {
        return await(startEach(peekOf(permits)));
    }

    @Override
    public SetDecision refund(int permits) {
        return await(startEach(refundOf(permits)));
    }

    private static Function<Part, Request> peekOf(int permits) {
        return part -> Request.peek(part.permitsFor(permits), 0);
    }

    private static Function<Part, Request> refundOf(int permits) {
        return part -> Request.refund(part.permitsFor(permits));
    }

    /** The request of every part, under its current limit. */
    private List<KeyRequests<?>> requests(int permits, Duration... timeouts) {
        if (Objects.requireNonNull(timeouts, "timeouts").length > 1 && timeouts.length != parts.size()) {
            throw new IllegalArgumentException(
                    "timeouts must be one, or one for each of " + parts.size() + " limits, were " + timeouts.length);
        }
        List<KeyRequests<?>> requests = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            long timeoutMicros = timeouts.length == 0 ? 0 : Timeouts.micros(timeouts[timeouts.length == 1 ? 0 : i]);
            requests.add(part.with(Request.take(part.permitsFor(permits), timeoutMicros)));
        }
        return requests;
    }

    private SetDecision decideAndWait(List<KeyRequests<?>> requests) {
        SetDecision decided = decideNow(requests);
        long waitMicros = waitMicros(decided);
        if (waitMicros > 0) {
            LimiterCounters longest = longestWait(decided);
            Runnable end = longest.waitBegins(longest.mayWait());
            try {
                sleeper.sleep(waitMicros);
            } finally {
                end.run();
            }
        }
        return decided;
    }

    private static long waitMicros(SetDecision decided) {
        return decided.granted() ? decided.decision().waitMicros() : 0;
    }

    private SetDecision decideNow(List<KeyRequests<?>> requests) {
        try {
            SetDecision decided = toDecision(Failover.start(requests, engines()).await());
            count(decided);
            return decided;
        } catch (LimiterBackendException e) {
            failed();
            throw e;
        }
    }

    private <T> CompletableFuture<T> decideAndWaitAsync(
            List<KeyRequests<?>> requests, Function<SetDecision, T> result) {
        EngineObserver.MayWait mayWait = parts.get(0).bound().counters().mayWait();
        PendingSet pending = Failover.start(requests, engines());
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
                EngineLimitSet::waitMicros,
                sleeper,
                decision -> longestWait(decision).waitBegins(mayWait),
                result);
    }

    /** One for each part, all on one engine. */
    private List<Failover> engines() {
        List<Failover> engines = new ArrayList<>(parts.size());
        for (Part part : parts) {
            engines.add(part.bound().engine());
        }
        return engines;
    }

    private static void count(SetDecision decided) {
        boolean granted = decided.granted();
        decided.parts().forEach(each -> count(each, granted));
    }

    /** Permits that were not taken because another part rejects do not count as granted. */
    private static void count(SetDecision.OfPart decided, boolean setGranted) {
        if (setGranted || !decided.decision().granted()) {
            EngineLimiter<?> limiter = (EngineLimiter<?>) decided.limiter();
            limiter.bound.counters().decided(limiter.name(), limiter.path.countedKey(), decided.decision());
        }
    }

    private void failed() {
        parts.forEach(part -> part.bound().counters().failed());
    }

    /** The counters of the limiter that the caller waits for. */
    private static LimiterCounters longestWait(SetDecision decided) {
        SetDecision.OfPart longest = Collections.max(
                decided.parts(),
                Comparator.comparingLong(each -> each.decision().waitMicros()));
        return ((EngineLimiter<?>) longest.limiter()).bound.counters();
    }

    /** Starts a request for each part, independent of the others. They share calls. */
    private List<PendingRequest> startEach(Function<Part, Request> request) {
        List<Request> requests = parts.stream().map(request).toList();
        List<PendingRequest> started = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            started.add(part.bound()
                    .engine()
                    .start(part.backendKey(), part.limiter().limit(), requests.get(i)));
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

        BoundLimit<?> bound() {
            return limiter.bound;
        }

        String backendKey() {
            return limiter.path.backendKey();
        }

        int permitsFor(int permitsOfSet) {
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

        KeyRequests<?> with(Request request) {
            return KeyRequests.of(backendKey(), limiter.limit(), request);
        }

        @Override
        public String toString() {
            return limiter.name();
        }
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(int permits) {
            return decideAndWaitAsync(requests(permits), Function.identity());
        }

        @Override
        public CompletableFuture<SetDecision> decide(int permits, Duration... timeouts) {
            return decideAndWaitAsync(requests(permits, timeouts), Function.identity());
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits) {
            return decideAndWaitAsync(requests(permits), SetDecision::granted);
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits, Duration... timeouts) {
            return decideAndWaitAsync(requests(permits, timeouts), SetDecision::granted);
        }

        @Override
        public CompletableFuture<SetDecision> peek(int permits) {
            return whenAllDone(startEach(peekOf(permits)));
        }

        @Override
        public CompletableFuture<SetDecision> refund(int permits) {
            return whenAllDone(startEach(refundOf(permits)));
        }
    }
}
