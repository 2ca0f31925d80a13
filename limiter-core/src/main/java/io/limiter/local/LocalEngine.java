package io.limiter.local;

import com.google.common.base.Ticker;
import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.LimitFailures;
import io.limiter.internal.failure.BackendFailures;
import io.limiter.spi.Engine;
import io.limiter.spi.PendingDecision;
import io.limiter.spi.PendingRequest;
import io.limiter.spi.PendingSet;
import io.limiter.spi.SetPart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides in this process, on a bounded map. Time is the JVM's monotonic clock, which no change of the wall clock
 * moves, counted from what the wall clock showed when the engine was made; windows that are aligned to it drift from it as
 * far as the two do.
 *
 * <p>The bound is the one thing this engine cannot do exactly: when more keys are in use than it holds, it forgets those
 * that would be full again soonest, and says so in the log. Forgetting one gives its caller at most what it was about to
 * get back anyway; permits that are held, of a {@link io.limiter.algorithm.ConcurrencyLimit}, it never forgets.
 */
public final class LocalEngine implements Engine {

    /** How many keys are held at most, unless set. */
    public static final int DEFAULT_MAX_KEYS = 100_000;

    private static final Logger log = LoggerFactory.getLogger(LocalEngine.class);

    private static final long WARNING_INTERVAL_MICROS = 60_000_000;

    /** Of what is not forgotten before it has expired. */
    private static final long NEVER_FULL = Long.MAX_VALUE;

    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicBoolean evicting = new AtomicBoolean();
    private final int maxKeys;
    private final Ticker ticker;
    private final long startMicros;
    private final long origin;
    private volatile boolean closed;
    // Guarded by evicting.
    private long quietUntilMicros;

    public LocalEngine() {
        this(DEFAULT_MAX_KEYS);
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1
     */
    public LocalEngine(int maxKeys) {
        this(maxKeys, Ticker.systemTicker(), System.currentTimeMillis() * 1000);
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1
     * @param startMicros what the wall clock shows now, in microseconds since the epoch
     */
    public LocalEngine(int maxKeys, Ticker ticker, long startMicros) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
        }
        this.maxKeys = maxKeys;
        this.ticker = ticker;
        this.startMicros = startMicros;
        this.origin = ticker.read();
    }

    /** Completes before it returns: there is no backend to wait for. */
    @Override
    public void decide(PendingDecision<?> pending) {
        try {
            if (pending instanceof PendingSet set) {
                set.complete(decideSet(set.parts()));
            } else {
                ((PendingRequest) pending).complete(decideOne(pending.key(), pending.limit(0), pending.request(0)));
            }
        } catch (RuntimeException | Error e) {
            pending.fail(failure(pending.key(), e), Runnable::run);
        }
        evictIfFull();
    }

    @Override
    public Decision decideAtOnce(String key, Limit<?> limit, Request request) {
        Decision decision = decideOne(key, limit, request);
        evictIfFull();
        return decision;
    }

    private static LimiterBackendException failure(String key, Throwable thrown) {
        return thrown instanceof LimiterBackendException failure
                ? failure
                : BackendFailures.ambiguous(key, "it could not be decided: " + thrown, thrown);
    }

    /**
     * All at one moment. Each key is held meanwhile, and they are held in the order of their names, so that of two sets one
     * waits for the other and never each for each.
     */
    private List<@Nullable Decision> decideSet(List<SetPart<?>> parts) {
        Map<String, @Nullable Entry> found = new HashMap<>();
        Held held = new Held();
        try {
            parts.stream().map(SetPart::key).sorted().forEach(key -> found.put(key, hold(key, held)));
            return stepAll(parts, found);
        } finally {
            found.forEach(this::release);
            held.released.countDown();
        }
    }

    /**
     * @param held what was found for each key; what is to be kept takes its place
     */
    private List<@Nullable Decision> stepAll(List<SetPart<?>> parts, Map<String, @Nullable Entry> held) {
        long nowMicros = nowMicros();
        List<Turn<?>> turns = new ArrayList<>(parts.size());
        List<@Nullable Decision> decisions = new ArrayList<>(parts.size());
        boolean granted = true;
        for (SetPart<?> part : parts) {
            checkOpen(part.key());
            Turn<?> turn = turn(part, held.get(part.key()), nowMicros);
            Decision decision = turn.step(part.request());
            turns.add(turn);
            decisions.add(decision);
            granted &= decision.granted();
        }
        // All first: one that throws must not leave half of them taken.
        Map<String, @Nullable Entry> kept = new HashMap<>();
        for (int i = 0; i < turns.size(); i++) {
            SetPart<?> part = parts.get(i);
            Decision decision = decisions.get(i);
            if (granted || decision == null || !decision.granted()) {
                kept.put(part.key(), turns.get(i).entry());
            } else {
                Turn<?> look = turn(part, held.get(part.key()), nowMicros);
                decisions.set(i, look.step(part.request().as(Request.Action.PEEK)));
            }
        }
        held.putAll(kept);
        return decisions;
    }

    private static <S> Turn<S> turn(SetPart<S> part, @Nullable Entry entry, long nowMicros) {
        return new Turn<>(part.key(), part.limit(), entry, nowMicros);
    }

    /** Locks a key until it is released. Returns its entry. */
    private @Nullable Entry hold(String key, Held held) {
        while (true) {
            @Nullable Entry[] found = new Entry[1];
            entries.compute(key, (same, entry) -> {
                found[0] = entry;
                return entry instanceof Held ? entry : held;
            });
            if (!(found[0] instanceof Held)) {
                return found[0];
            }
            awaitRelease(key);
        }
    }

    private void release(String key, @Nullable Entry entry) {
        if (entry == null) {
            entries.remove(key);
        } else {
            entries.put(key, entry);
        }
    }

    private void awaitRelease(String key) {
        if (entries.get(key) instanceof Held held) {
            Uninterruptibles.awaitUninterruptibly(held.released);
        }
    }

    @Override
    public void reset(String key) {
        while (entries.computeIfPresent(key, (same, entry) -> entry instanceof Held ? entry : null) != null) {
            awaitRelease(key);
        }
    }

    /** Fails whatever comes later. */
    @Override
    public void close() {
        closed = true;
    }

    private void checkOpen(String key) {
        if (closed) {
            throw BackendFailures.closed(key);
        }
    }

    /** How many keys are held. */
    public int size() {
        return entries.size();
    }

    private long nowMicros() {
        return startMicros + (ticker.read() - origin) / 1000;
    }

    private <S> Decision decideOne(String key, Limit<S> limit, Request request) {
        checkOpen(key);
        Decision[] decision = new Decision[1];
        while (true) {
            entries.compute(key, (same, entry) -> {
                if (entry instanceof Held) {
                    return entry;
                }
                Turn<S> turn = new Turn<>(key, limit, entry, nowMicros());
                decision[0] = turn.step(request);
                return turn.entry();
            });
            if (decision[0] != null) {
                return decision[0];
            }
            awaitRelease(key);
        }
    }

    private void evictIfFull() {
        if (entries.size() > maxKeys) {
            evict(nowMicros());
        }
    }

    /** Drops what has expired, and if that is not enough, what would be full again soonest; one thread at a time. */
    private void evict(long nowMicros) {
        if (!evicting.compareAndSet(false, true)) {
            return;
        }
        try {
            entries.values().removeIf(entry -> entry.expiresAtMicros <= nowMicros);
            int tooMany = entries.size() - maxKeys;
            if (tooMany > 0) {
                // Some more than needed, so that not every new key pays for a scan.
                int drop = tooMany + maxKeys / 16;
                warn(nowMicros);
                entries.entrySet().stream()
                        .filter(entry -> entry.getValue().fullAtMicros != NEVER_FULL)
                        .sorted(Comparator.comparingLong(entry -> entry.getValue().fullAtMicros))
                        .limit(drop)
                        .toList()
                        .forEach(entry -> entries.remove(entry.getKey(), entry.getValue()));
            }
        } finally {
            evicting.set(false);
        }
    }

    private void warn(long nowMicros) {
        if (nowMicros >= quietUntilMicros) {
            quietUntilMicros = nowMicros + WARNING_INTERVAL_MICROS;
            log.warn(
                    "More than {} keys are in use; those that would be full again soonest are evicted and start anew. Raise"
                            + " limiter.local.max-keys, or maxKeys of the factory. Logged once a minute at most.",
                    maxKeys);
        }
    }

    /** Steps on one locked key, at one moment. */
    private static final class Turn<S> {

        private final String key;
        private final Limit<S> limit;
        private final @Nullable Entry entry;
        private final long nowMicros;
        private final @Nullable S before;
        private @Nullable S state;
        private long resetMicros;

        /**
         * @param nowMicros read within the turn: whoever is overtaken must not bring a time from before
         */
        Turn(String key, Limit<S> limit, @Nullable Entry entry, long nowMicros) {
            this.key = key;
            this.limit = limit;
            this.entry = entry;
            this.nowMicros = nowMicros;
            this.before = entry == null || entry.expiresAtMicros <= nowMicros ? null : entry.state(key, limit);
            this.state = before;
        }

        Decision step(Request request) {
            Step<S> step;
            try {
                step = limit.step(state, nowMicros, request);
            } catch (RuntimeException e) {
                throw LimitFailures.of(key, limit, e, false);
            }
            state = step.state();
            resetMicros = step.decision().fullAfterMicros();
            return step.decision();
        }

        /** What is to be kept. */
        @Nullable
        Entry entry() {
            if (state == null || state == before) {
                return before == null ? null : entry;
            }
            // A state stored under another definition may have to be kept longer than this one needs.
            try {
                long expiresAtMicros = Math.max(
                        nowMicros + limit.lifetimeMillis(state, nowMicros) * 1000,
                        before == null || entry == null ? 0 : entry.expiresAtMicros);
                long fullAtMicros = limit.isEvictable() ? nowMicros + resetMicros : NEVER_FULL;
                return new Entry(state, fullAtMicros, expiresAtMicros);
            } catch (RuntimeException e) {
                throw LimitFailures.of(key, limit, e, false);
            }
        }
    }

    private static class Entry {

        private final Object state;
        private final long fullAtMicros;
        private final long expiresAtMicros;

        Entry(Object state, long fullAtMicros, long expiresAtMicros) {
            this.state = state;
            this.fullAtMicros = fullAtMicros;
            this.expiresAtMicros = expiresAtMicros;
        }

        <S> S state(String key, Limit<S> limit) {
            Class<S> type = limit.stateType();
            if (!type.isInstance(state)) {
                throw new LimiterBackendException(
                        Kind.PERMANENT,
                        "unreadable",
                        key,
                        "it holds " + state + ", which is another kind of limit's; use another name or prefix",
                        null,
                        null);
            }
            return type.cast(state);
        }
    }

    /** Locks a key while a limit set is decided. */
    private static final class Held extends Entry {

        private final CountDownLatch released = new CountDownLatch(1);

        Held() {
            super("held", NEVER_FULL, Long.MAX_VALUE);
        }
    }
}
