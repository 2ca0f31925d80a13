package io.limiter.internal.limiter;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.Reservation;
import io.limiter.SetDecision;
import io.limiter.SetReservation;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.PendingRequest;
import io.limiter.internal.engine.PendingSet;
import io.limiter.internal.override.InEffect;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.time.Timeouts;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
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
            LimiterBan ban = part.limiter.ban();
            if (ban != null && !keys.add(ban.keyOf(part.backendKey()))) {
                throw new IllegalArgumentException("the same ban of '" + part
                        + "' is twice in one set, of two kinds of limit: give one of them another name, or no ban");
            }
        }
    }

    static LimitSet of(EngineLimiter<?> first, int permits) {
        return new EngineLimitSet(List.of(new Part(first, permits)));
    }

    /** Of a limiter alone, which has a ban. */
    static EngineLimitSet alone(BoundLimit<?> bound, @Nullable String key, String backendKey) {
        KeyPath path = new KeyPath(List.of(), key, key, backendKey);
        return new EngineLimitSet(List.of(new Part(new EngineLimiter<>(bound, path), 1)));
    }

    /** {@link #decide} of a set of one. */
    Decision decideAlone(int permits, long timeoutMicros) {
        return only(decide(permits, toDuration(timeoutMicros)));
    }

    /** {@link #decideAlone}, without blocking the calling thread. */
    <T> CompletableFuture<T> decideAloneAsync(int permits, long timeoutMicros, Function<Decision, T> result) {
        return decideAsync(
                new WaitingSet(true, permits, toDuration(timeoutMicros)), decided -> result.apply(only(decided)));
    }

    /** {@link #reserve} of a set of one; a rejected reservation is one, too. */
    Reservation reserveAlone(int permits, long timeoutMicros) {
        WaitingSet waiting = new WaitingSet(false, permits, toDuration(timeoutMicros));
        return waiting.reservation(0, only(toDecision(waiting.decideNow())));
    }

    /** {@link #reserveAlone}, without blocking the calling thread. */
    CompletableFuture<Reservation> reserveAloneAsync(int permits, long timeoutMicros) {
        WaitingSet waiting = new WaitingSet(false, permits, toDuration(timeoutMicros));
        return decideAsync(waiting, decided -> waiting.reservation(0, only(decided)));
    }

    private static Decision only(SetDecision decided) {
        return decided.parts().get(0).decision();
    }

    private static Duration toDuration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    @Override
    public LimitSet and(Limiter other, int permits) {
        Part first = parts.get(0);
        if (!(other instanceof EngineLimiter<?> limiter)
                || !limiter.bound
                        .engine()
                        .engine()
                        .equals(first.limiter().bound.engine().engine())) {
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
        SetDecision decided = toDecision(new WaitingSet(true, permits, timeouts).decideNow());
        await(decided);
        return decided;
    }

    @Override
    public SetReservation reserve(int permits, Duration... timeouts) {
        return reserve(new WaitingSet(false, permits, timeouts));
    }

    /** As {@link #reserve}, and waits as {@link #decide} does. */
    public SetReservation reserveAndAwait(int permits, Duration... timeouts) {
        SetReservation reserved = reserve(new WaitingSet(true, permits, timeouts));
        await(reserved.decision());
        return reserved;
    }

    private SetReservation reserve(WaitingSet waiting) {
        return waiting.reservation(toDecision(waiting.decideNow()));
    }

    /** As {@link #reserveAndAwait}, without blocking the calling thread. Futures are those of {@link LimitSet.Async}. */
    public CompletableFuture<SetReservation> reserveAndAwaitAsync(int permits, Duration... timeouts) {
        return reserveAsync(true, permits, timeouts);
    }

    private CompletableFuture<SetReservation> reserveAsync(boolean waits, int permits, Duration... timeouts) {
        WaitingSet waiting = new WaitingSet(waits, permits, timeouts);
        return decideAsync(waiting, waiting::reservation);
    }

    @Override
    public SetDecision peek(int permits) {
        return await(startEach(part -> part.peek(permits)));
    }

    @Override
    public SetDecision refund(int permits) {
        return await(startEach(part -> part.refund(permits)));
    }

    /** The timeout of every part. */
    private long[] micros(Duration... timeouts) {
        if (Objects.requireNonNull(timeouts, "timeouts").length > 1 && timeouts.length != parts.size()) {
            throw new IllegalArgumentException(
                    "timeouts must be one, or one for each of " + parts.size() + " limits, were " + timeouts.length);
        }
        long[] micros = new long[parts.size()];
        for (int i = 0; i < micros.length && timeouts.length > 0; i++) {
            micros[i] = Timeouts.micros(timeouts[timeouts.length == 1 ? 0 : i]);
        }
        return micros;
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

    private <T> CompletableFuture<T> decideAsync(WaitingSet waiting, Function<SetDecision, T> result) {
        waiting.start();
        return new AwaitedDecision<>(
                waiting::giveUp,
                waiting.thenApply(this::toDecision),
                waiting::waitMicros,
                parts.get(0).limiter().bound.sleeper(),
                waiting::waitBegins,
                result);
    }

    /** Starts a request for each part, independent of the others. They share calls. */
    private List<StartedPart> startEach(Function<Part, Request> request) {
        // All of them first: permits out of range start none.
        List<Request> requests = parts.stream().map(request).toList();
        List<StartedPart> started = new ArrayList<>(parts.size());
        for (int i = 0; i < parts.size(); i++) {
            started.add(parts.get(i).start(requests.get(i)));
        }
        return started;
    }

    private SetDecision await(List<StartedPart> started) {
        List<@Nullable Decision> decisions = new ArrayList<>(started.size());
        started.forEach(each -> decisions.add(each.await()));
        return toDecision(decisions);
    }

    private CompletableFuture<SetDecision> whenAllDone(List<StartedPart> started) {
        CompletableFuture<?>[] all =
                started.stream().flatMap(each -> each.all().stream()).toArray(CompletableFuture[]::new);
        return AsyncFailures.map(CompletableFuture.allOf(all), done -> await(started));
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

        String backendKey() {
            return limiter.path.backendKey();
        }

        /** A peek looks at the ban, too. */
        StartedPart start(Request request) {
            InEffect<?> used = limiter.inEffect();
            PendingRequest own = used.engine().start(backendKey(), used.limit(), request);
            LimiterBan ban = request.isPeek() ? limiter.ban() : null;
            return new StartedPart(
                    used.limit(),
                    own,
                    ban == null ? null : used.engine().start(ban.keyOf(backendKey()), ban.ban(), Request.peek(1, 0)));
        }

        Request peek(int permitsOfSet) {
            return Request.peek(permitsFor(permitsOfSet), 0);
        }

        Request refund(int permitsOfSet) {
            return Request.refund(permitsFor(permitsOfSet));
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

    /** A request for a part that is under way, beside one at its ban; {@code null} if it has none. */
    private record StartedPart(
            Limit<?> limit, PendingRequest own, @Nullable PendingRequest ofBan) {

        List<PendingRequest> all() {
            return ofBan == null ? List.of(own) : List.of(own, ofBan);
        }

        @Nullable
        Decision await() {
            return LimiterBan.combined(limit, own.await(), ofBan == null ? null : ofBan.await());
        }
    }

    /** Decisions of all parts, in order; {@code null} for a part that is not decided because another one is rejected by the cache. */
    private final class WaitingSet extends WaitingRequest<List<@Nullable Decision>> {

        private final boolean waits;
        private final int permits;
        private final long[] timeoutsMicros;
        private final EngineObserver.MayWait mayWait;

        private Check last = new Check();

        /**
         * @param waits whether it waits until the permits are there; otherwise it only reserves
         */
        WaitingSet(boolean waits, int permits, Duration... timeouts) {
            this(waits, permits, micros(timeouts), parts.get(0).limiter().bound);
        }

        private WaitingSet(boolean waits, int permits, long[] timeoutsMicros, BoundLimit<?> first) {
            super(first, longest(timeoutsMicros));
            this.waits = waits;
            this.permits = permits;
            this.timeoutsMicros = timeoutsMicros;
            this.mayWait = longest(timeoutsMicros) == 0
                    ? EngineObserver.MayWait.NONE
                    : first.counters().mayWait();
        }

        private static long longest(long[] timeoutsMicros) {
            return Arrays.stream(timeoutsMicros).max().orElse(0);
        }

        List<@Nullable Decision> decideNow() {
            List<@Nullable Decision> first;
            try {
                first = check().decide();
            } catch (LimiterBackendException e) {
                countFailure();
                throw e;
            }
            return AsyncFailures.join(decided(first));
        }

        @Override
        WaitingRequest.Started<List<@Nullable Decision>> startDecision() {
            return check().start();
        }

        /** The request of every part, under its current limit. */
        private Check check() {
            Check next = new Check();
            for (int i = 0; i < parts.size(); i++) {
                next.add(parts.get(i), permits, nextMicros(timeoutsMicros[i]));
            }
            last = next;
            return next;
        }

        long waitMicros(SetDecision decided) {
            return waits ? EngineLimitSet.waitMicros(decided) : 0;
        }

        SetReservation reservation(SetDecision decided) {
            List<Reservation> reserved = new ArrayList<>(parts.size());
            for (int i = 0; i < parts.size() && decided.granted(); i++) {
                reserved.add(reservation(i, decided.parts().get(i).decision()));
            }
            return new EngineSetReservation(decided, parts.size(), List.copyOf(reserved));
        }

        Reservation reservation(int part, Decision decision) {
            EngineLimiter<?> limiter = parts.get(part).limiter();
            return limiter.bound.reservation(
                    limiter.path.countedKey(),
                    limiter.path.backendKey(),
                    last.used.get(part),
                    last.all.get(part).request().permits(),
                    decision);
        }

        @Override
        boolean isGranted(List<@Nullable Decision> decisions) {
            return decisions.stream().allMatch(decision -> decision != null && decision.granted());
        }

        @Override
        long retryMicros(List<@Nullable Decision> rejection) {
            long longest = FINAL;
            for (int i = 0; i < parts.size() && waits; i++) {
                Decision decision = rejection.get(i);
                if (decision != null && !decision.granted()) {
                    long micros = retryMicros(parts.get(i).limiter().limit(), decision, timeoutsMicros[i]);
                    if (micros == FINAL) {
                        return FINAL;
                    }
                    longest = Math.max(longest, micros);
                }
            }
            return longest;
        }

        @Override
        long moreAfter(List<@Nullable Decision> grant) {
            long fewest = Long.MAX_VALUE - 1;
            for (int i = 0; i < parts.size(); i++) {
                long remaining = Objects.requireNonNull(grant.get(i)).remaining();
                fewest = Math.min(fewest, remaining / parts.get(i).permitsFor(permits));
            }
            return fewest;
        }

        /** With equal timeouts: a part with a shorter one than another can make a rejection final before the deadline. */
        @Override
        Object alike() {
            List<Object> alike = new ArrayList<>(2 * parts.size());
            for (int i = 0; i < parts.size(); i++) {
                alike.add(new BoundLimit.Alike(
                        parts.get(i).backendKey(), parts.get(i).permitsFor(permits)));
                alike.add(timeoutsMicros[i]);
            }
            return alike;
        }

        @Override
        Runnable waitBegins(List<@Nullable Decision> rejection) {
            return waitBegins(toDecision(rejection));
        }

        Runnable waitBegins(SetDecision decided) {
            return slowest(decided).counters().waitBegins(mayWait);
        }

        /** Permits that were not taken because another part rejects do not count as granted. */
        @Override
        void count(List<@Nullable Decision> decisions) {
            boolean granted = isGranted(decisions);
            for (int i = 0; i < parts.size(); i++) {
                Decision decision = decisions.get(i);
                if (decision != null && (granted || !decision.granted())) {
                    EngineLimiter<?> limiter = parts.get(i).limiter();
                    String key = limiter.path.countedKey();
                    limiter.bound.counters().decided(limiter.name(), key, decision);
                    LimiterBan ban = last.bans.get(i);
                    if (ban != null && key != null) {
                        ban.decided(
                                key, limiter.path.backendKey(), last.used.get(i).engine(), decision);
                    }
                }
            }
        }

        @Override
        void countFailure() {
            parts.forEach(part -> part.limiter().bound.counters().failed());
        }
    }

    /** One check of the set: parts whose key a live limit exempts or bans are decided at once, the others by the engine. */
    private static final class Check {

        // By part.
        private final List<InEffect<?>> used = new ArrayList<>();
        private final List<KeyRequests<?>> all = new ArrayList<>();
        // Null for those that the engine decides.
        private final List<@Nullable Decision> atOnce = new ArrayList<>();
        // Null for those without one, or that are decided at once.
        private final List<@Nullable LimiterBan> bans = new ArrayList<>();

        // Of those that the engine decides, each followed by its ban.
        private final List<KeyRequests<?>> requests = new ArrayList<>();
        private final List<Failover> engines = new ArrayList<>();
        private boolean rejected;
        private boolean merges;

        void add(Part part, int permitsOfSet, long timeoutMicros) {
            InEffect<?> byPart = part.limiter.inEffect();
            long waitMicros = byPart.limit().reservesAhead() ? timeoutMicros : 0;
            Request request = Request.take(part.permitsFor(permitsOfSet), waitMicros);
            KeyRequests<?> ofPart = KeyRequests.of(part.backendKey(), byPart.limit(), request);
            Decision decision = byPart.atOnce(request);
            used.add(byPart);
            all.add(ofPart);
            atOnce.add(decision);
            LimiterBan ban = decision == null ? part.limiter.ban() : null;
            bans.add(ban);
            merges |= ban != null || decision != null;
            if (decision != null) {
                rejected |= !decision.granted();
                return;
            }
            decideByEngine(ofPart, byPart.engine());
            if (ban != null) {
                decideByEngine(ban.check(part.backendKey()), byPart.engine());
            }
        }

        private void decideByEngine(KeyRequests<?> request, Failover engine) {
            requests.add(request);
            engines.add(engine);
        }

        /** Whether no part is left for the engine: a banned one rejects the set, and nothing is taken of the others. */
        private boolean isDecided() {
            return rejected || requests.isEmpty();
        }

        List<@Nullable Decision> decide() {
            return isDecided()
                    ? atOnce
                    : merged(Failover.start(requests, engines).await());
        }

        WaitingRequest.Started<List<@Nullable Decision>> start() {
            if (isDecided()) {
                PendingSet decided = new PendingSet(all, null);
                decided.decided(atOnce::get);
                return new WaitingRequest.Started<>(decided, decided);
            }
            PendingSet pending = Failover.start(requests, engines);
            return new WaitingRequest.Started<>(pending, merges ? pending.thenApply(this::merged) : pending);
        }

        /** The decisions of all parts, in their order. */
        private List<@Nullable Decision> merged(List<@Nullable Decision> byEngine) {
            Iterator<@Nullable Decision> next = byEngine.iterator();
            List<@Nullable Decision> merged = new ArrayList<>(all.size());
            for (int i = 0; i < all.size(); i++) {
                Decision known = atOnce.get(i);
                Decision own = known == null ? next.next() : known;
                Decision ofBan = bans.get(i) == null ? null : next.next();
                merged.add(LimiterBan.combined(used.get(i).limit(), own, ofBan));
            }
            return merged;
        }
    }

    private final class AsyncView implements LimitSet.Async {

        @Override
        public CompletableFuture<SetDecision> decide(int permits, Duration... timeouts) {
            return decideAsync(new WaitingSet(true, permits, timeouts), Function.identity());
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits, Duration... timeouts) {
            return decideAsync(new WaitingSet(true, permits, timeouts), SetDecision::granted);
        }

        @Override
        public CompletableFuture<SetReservation> reserve(int permits, Duration... timeouts) {
            return reserveAsync(false, permits, timeouts);
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
