package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.SetDecision;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.EngineObserver;
import io.limiter.spi.PendingRequest;
import io.limiter.spi.SetPart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link LimitSet} on an engine. */
final class EngineLimitSet implements LimitSet {

    private final List<Part> parts;
    // One for each part, all on one engine.
    private final List<Failover> policies;
    private final Sleeper sleeper;

    /**
     * @param parts all on one engine
     */
    private EngineLimitSet(List<Part> parts) {
        this.parts = List.copyOf(parts);
        this.policies = parts.stream().map(part -> part.bound().engine()).toList();
        // Limiters whose callers never wait have the default.
        this.sleeper = parts.stream()
                .map(part -> part.bound().sleeper())
                .filter(each -> each != Sleeper.UNINTERRUPTIBLE)
                .findFirst()
                .orElse(Sleeper.UNINTERRUPTIBLE);
        Set<String> keys = new HashSet<>();
        for (Part part : parts) {
            if (!keys.add(part.backendKey())) {
                throw new IllegalArgumentException("the permits of '" + part
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
                || limiter.bound.engine().engine() != policies.get(0).engine()) {
            throw new IllegalArgumentException("all limiters of a set must be built by one factory, but "
                    + parts.get(0).limiter().name() + " and " + other.name() + " were not");
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
        return decideAndWait(asked(permits));
    }

    @Override
    public SetDecision decide(int permits, Duration... timeouts) {
        return decideAndWait(asked(permits, timeouts));
    }

    @Override
    public SetDecision peek(int permits) {
        return eachByItself(part -> new Request(part.permitsFor(permits), 0, true));
    }

    @Override
    public SetDecision refund(int permits) {
        return eachByItself(part -> Request.refund(part.permitsFor(permits)));
    }

    /** What every part is asked, under its limit of now. */
    private List<SetPart<?>> asked(int permits, Duration... timeouts) {
        if (timeouts.length > 1 && timeouts.length != parts.size()) {
            throw new IllegalArgumentException(
                    "timeouts must be one, or one for each of " + parts.size() + " limits, were " + timeouts.length);
        }
        List<SetPart<?>> asked = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            long timeoutMicros = timeouts.length == 0 ? 0 : Timeouts.micros(timeouts[timeouts.length == 1 ? 0 : i]);
            asked.add(part.asked(new Request(part.permitsFor(permits), timeoutMicros, false)));
        }
        return asked;
    }

    private SetDecision decideAndWait(List<SetPart<?>> asked) {
        SetDecision decided = decideNow(asked);
        long waitMicros = decided.granted() ? decided.decision().waitMicros() : 0;
        if (waitMicros > 0) {
            LimiterCounters longest = longestWait(decided);
            Runnable end = longest.mayWait().begins(longest);
            try {
                sleeper.sleep(waitMicros);
            } finally {
                end.run();
            }
        }
        return decided;
    }

    private SetDecision decideNow(List<SetPart<?>> asked) {
        try {
            return counted(toDecision(
                    asked.size() == 1
                            ? List.of(decide(asked.get(0)))
                            : Failover.start(asked, policies).await()));
        } catch (LimiterBackendException e) {
            failed();
            throw e;
        }
    }

    private CompletableFuture<SetDecision> decideAndWaitAsync(List<SetPart<?>> asked) {
        EngineObserver.MayWait mayWait = parts.get(0).bound().counters().mayWait();
        CompletableFuture<SetDecision> decided = asked.size() == 1
                ? decideAsync(asked.get(0)).thenApply(decision -> toDecision(List.of(decision)))
                : Failover.start(asked, policies).thenApply(this::toDecision);
        decided.whenComplete((decision, error) -> {
            if (error == null) {
                counted(decision);
            } else if (AsyncFailures.cause(error) instanceof LimiterBackendException) {
                failed();
            }
        });
        return new AwaitedDecision<>(
                decided,
                SetDecision::decision,
                sleeper,
                decision -> mayWait.begins(longestWait(decision)),
                granted -> giveBackUnused(asked, granted));
    }

    private SetDecision counted(SetDecision decided) {
        boolean granted = decided.granted();
        decided.parts().forEach(each -> count(each, granted));
        return decided;
    }

    /** Permits that were not taken because another part rejects are not granted. */
    private static void count(SetDecision.OfPart decided, boolean setGranted) {
        if (setGranted || !decided.decision().granted()) {
            EngineLimiter<?> limiter = (EngineLimiter<?>) decided.limiter();
            limiter.bound.counters().decided(limiter.name(), limiter.path.countedKey(), decided.decision());
        }
    }

    private void failed() {
        parts.forEach(part -> part.bound().counters().failed());
    }

    /** Of the limiter that makes the caller wait. */
    private static LimiterCounters longestWait(SetDecision decided) {
        SetDecision.OfPart longest = Collections.max(
                decided.parts(),
                Comparator.comparingLong(each -> each.decision().waitMicros()));
        return ((EngineLimiter<?>) longest.limiter()).bound.counters();
    }

    /** One part needs no set: it shares calls with others, and permits taken ahead, as its limiter does. */
    private Decision decide(SetPart<?> part) {
        return policies.get(0).decide(part.key(), part.limit(), part.request());
    }

    private CompletableFuture<Decision> decideAsync(SetPart<?> part) {
        return policies.get(0).start(part.key(), part.limit(), part.request());
    }

    /**
     * @param granted of every part, since all were granted
     */
    private void giveBackUnused(List<SetPart<?>> asked, SetDecision granted) {
        for (int i = 0; i < asked.size(); i++) {
            SetPart<?> part = asked.get(i);
            parts.get(i)
                    .bound()
                    .giveBackUnused(
                            granted.parts().get(i).decision(),
                            part.key(),
                            part.limit(),
                            part.request().permits());
        }
    }

    /** All at once: the batch queue makes few calls of them. */
    private SetDecision eachByItself(Function<Part, Request> request) {
        List<PendingRequest> pending = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            pending.add(policies.get(i).start(part.backendKey(), part.limiter().limit(), request.apply(part)));
        }
        return toDecision(
                pending.stream().<@Nullable Decision>map(PendingRequest::await).toList());
    }

    private SetDecision toDecision(List<@Nullable Decision> decisions) {
        List<SetDecision.OfPart> answered = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            Decision decision = decisions.get(i);
            if (decision != null) {
                answered.add(new SetDecision.OfPart(parts.get(i).limiter(), decision));
            }
        }
        return new SetDecision(answered);
    }

    @Override
    public String toString() {
        return "LimitSet" + parts;
    }

    /**
     * @param permits how many are taken for each one that is asked of the set
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

        /** How many this part takes if the set is asked for so many. */
        int permitsFor(int asked) {
            if (asked > Integer.MAX_VALUE / permits) {
                throw new IllegalArgumentException("permits must be at most " + Integer.MAX_VALUE / permits + " where "
                        + this + " takes " + permits + " for each, was " + asked);
            }
            return asked * permits;
        }

        SetPart<?> asked(Request request) {
            return new SetPart<>(backendKey(), limiter.limit(), request);
        }

        @Override
        public String toString() {
            return limiter.name() + limiter.key().map(key -> ":" + key).orElse("");
        }
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(int permits) {
            return decideAndWaitAsync(asked(permits));
        }

        @Override
        public CompletableFuture<SetDecision> decide(int permits, Duration... timeouts) {
            return decideAndWaitAsync(asked(permits, timeouts));
        }
    }
}
