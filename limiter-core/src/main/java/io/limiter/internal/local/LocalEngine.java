package io.limiter.internal.local;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ServerTime;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides in this process, on a bounded map. Time is the JVM's monotonic clock, which no change of the wall clock moves, counted from what
 * the wall clock showed when the engine was made. Which period of the calendar it is depends on the time of Redis if this is its fallback,
 * and otherwise drifts from the wall clock as far as the two clocks do.
 *
 * <p>When more keys are in use than it holds, each new key compares eight keys drawn at random. Those that have expired are
 * evicted, or else the one that would be full again soonest, and a warning is logged. An evicted key starts as if never used: its caller
 * gets at most the permits that it was about to get back anyway. Leases of a {@link io.limiter.algorithm.ConcurrencyLimit} are
 * never evicted, so together with them it may hold some more keys.
 */
public final class LocalEngine implements ImmediateEngine {

    /** How many keys are held at most, unless set. */
    public static final int DEFAULT_MAX_KEYS = 100_000;

    private static final long SWEEP_MICROS = 60_000_000;

    private final KeyStates states;
    private final AtomicReference<@Nullable Runnable> sweep = new AtomicReference<>();
    private final ServerTime time;
    private final ServerTime calendarTime;
    private volatile @Nullable Sleeper sweeper;
    private volatile boolean closed;

    public LocalEngine() {
        this(DEFAULT_MAX_KEYS);
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1
     */
    public LocalEngine(int maxKeys) {
        this(maxKeys, ServerTime.ofThisMachine(Ticker.systemTicker()));
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1
     */
    public LocalEngine(int maxKeys, ServerTime time) {
        this(maxKeys, time, time);
    }

    /**
     * @param maxKeys how many keys are held at most, at least 1
     * @param time by which permits come back
     * @param calendarTime of Redis, whose fallback this is, so that periods of the calendar end when they would there. Nothing else is
     *     counted by it, because each reply corrects it, and a correction by 20 ms would give back the permits of 20 ms
     */
    public LocalEngine(int maxKeys, ServerTime time, ServerTime calendarTime) {
        this(maxKeys, time, calendarTime, bound -> ThreadLocalRandom.current().nextInt(bound));
    }

    LocalEngine(int maxKeys, ServerTime time, IntUnaryOperator random) {
        this(maxKeys, time, time, random);
    }

    private LocalEngine(int maxKeys, ServerTime time, ServerTime calendarTime, IntUnaryOperator random) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys must be at least 1, was " + maxKeys);
        }
        this.states = new KeyStates(maxKeys, random);
        this.time = time;
        this.calendarTime = calendarTime;
    }

    /**
     * Drops expired keys each minute as long as there are keys. For a fallback, because after an outage no new key evicts any.
     *
     * @param sleeper sets the timers; nothing is dropped so if its time does not advance on its own
     */
    public void dropExpiredBy(Sleeper sleeper) {
        sweeper = sleeper.runsByItself() ? sleeper : null;
    }

    /** Completes before it returns: there is no backend to wait for. */
    @Override
    public void decide(Ask ask) {
        try {
            if (ask.size() == 1) {
                ask.answer(decide(ask.key(), ask.limit(0), ask.request(0)));
            } else {
                ask.answerEach(decideAll(ask.parts())::get);
            }
        } catch (RuntimeException | Error e) {
            ask.fail(failure(ask.key(), e), Runnable::run);
        }
    }

    @Override
    public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        KeyState held = limit instanceof TokenBucket && !closed ? states.find(key) : null;
        if (held == null) {
            return Known.UNKNOWN;
        }
        // Read before, so that the lock is held for a shorter time.
        long nowMicros = time.nowMicros();
        held.lock.lock();
        try {
            return held.tryTake((TokenBucket) limit, permits, timeoutMicros, nowMicros);
        } finally {
            held.lock.unlock();
        }
    }

    private static LimiterBackendException failure(String key, Throwable thrown) {
        return thrown instanceof LimiterBackendException failure
                ? failure
                : BackendFailures.ambiguous(key, "it could not be decided: " + thrown, thrown);
    }

    @Override
    public Outcome decide(String key, LimitStep<?> limit, Request request) {
        checkOpen(key);
        Outcome decision;
        boolean added;
        do {
            KeyState held = states.findOrAdd(key);
            held.lock.lock();
            try {
                boolean isNew = held.isNew();
                decision = held.isRemoved() ? null : decideHeld(held, limit, request);
                added = isNew && held.isHeld();
            } finally {
                held.lock.unlock();
            }
        } while (decision == null);
        if (added) {
            keyAdded();
        }
        return decision;
    }

    private <S> Outcome decideHeld(KeyState held, LimitStep<S> limit, Request request) {
        try {
            // The time is read with the lock: a thread that was overtaken must not bring an earlier one.
            KeyState.Turn<S> turn = held.turn(limit, nowMicros(limit));
            Outcome outcome = Outcome.of(turn.step(request));
            turn.save();
            return outcome;
        } finally {
            states.settle(held);
        }
    }

    /** All or nothing. */
    private List<@Nullable Outcome> decideAll(List<KeyRequests<?>> parts) {
        checkOpen(parts.get(0).key());
        List<@Nullable Outcome> decisions;
        List<KeyState> added = new ArrayList<>();
        do {
            Map<String, KeyState> held = new TreeMap<>();
            for (KeyRequests<?> part : parts) {
                held.put(part.key(), states.findOrAdd(part.key()));
            }
            decisions = decideLocked(parts, held, held.values().iterator(), added);
        } while (decisions == null);
        added.forEach(key -> keyAdded());
        return decisions;
    }

    /**
     * Holds all locks. All sets take them in the order of the keys' names, so no two wait for each other.
     *
     * @param added is given those that the map did not hold before
     * @return {@code null} if a key was removed before its lock was held
     */
    private @Nullable List<@Nullable Outcome> decideLocked(
            List<KeyRequests<?>> parts, Map<String, KeyState> held, Iterator<KeyState> unlocked, List<KeyState> added) {
        if (unlocked.hasNext()) {
            KeyState next = unlocked.next();
            next.lock.lock();
            try {
                return next.isRemoved() ? null : decideLocked(parts, held, unlocked, added);
            } finally {
                next.lock.unlock();
            }
        }
        held.values().stream().filter(KeyState::isNew).forEach(added::add);
        try {
            return stepAll(parts, held);
        } finally {
            held.values().forEach(states::settle);
            added.removeIf(KeyState::isRemoved);
        }
    }

    private List<@Nullable Outcome> stepAll(List<KeyRequests<?>> parts, Map<String, KeyState> held) {
        List<KeyState.Turn<?>> turns = new ArrayList<>(parts.size());
        List<@Nullable Outcome> decisions = new ArrayList<>(parts.size());
        boolean granted = true;
        for (KeyRequests<?> part : parts) {
            KeyState.Turn<?> turn = turn(part, held);
            Outcome decision = Outcome.of(turn.step(part.request()));
            turns.add(turn);
            decisions.add(decision);
            granted &= decision.isGranted();
        }
        for (int i = 0; i < parts.size(); i++) {
            KeyRequests<?> part = parts.get(i);
            Outcome decision = decisions.get(i);
            if (!granted && decision != null && decision.isGranted()) {
                KeyState.Turn<?> peek = turn(part, held);
                decisions.set(i, Outcome.of(peek.step(part.request().asPeek())));
                turns.set(i, peek);
            }
        }
        // Last: a limit that throws must not leave some of them taken.
        turns.forEach(KeyState.Turn::save);
        return decisions;
    }

    private KeyState.Turn<?> turn(KeyRequests<?> part, Map<String, KeyState> held) {
        return Objects.requireNonNull(held.get(part.key())).turn(part.limit(), nowMicros(part.limit()));
    }

    /** After a key was added. */
    private void keyAdded() {
        if (states.isFull()) {
            states.evict(earliestMicros());
        }
        Sleeper timers = sweeper;
        if (timers != null && sweep.get() == null) {
            sweepLater(timers);
        }
    }

    private void sweepLater(Sleeper timers) {
        Runnable begun = () -> {};
        if (!sweep.compareAndSet(null, begun)) {
            return;
        }
        Runnable cancel = null;
        try {
            cancel = timers.later(SWEEP_MICROS, () -> sweep(timers));
        } catch (RuntimeException | Error e) {
            // No thread could be started. The decision stands, and the next new key tries again.
        }
        sweep.compareAndSet(begun, cancel);
        if (closed && cancel != null) {
            cancel.run();
        }
    }

    private void sweep(Sleeper timers) {
        states.dropExpired(earliestMicros());
        sweep.set(null);
        // After that, because a key that is added in between finds no timer, or is counted here.
        if (!closed && states.size() > 0) {
            sweepLater(timers);
        }
    }

    @Override
    public CompletableFuture<Void> reset(String key) {
        KeyState held = states.find(key);
        if (held != null) {
            held.lock.lock();
            try {
                states.remove(held);
            } finally {
                held.lock.unlock();
            }
        }
        return CompletableFuture.completedFuture(null);
    }

    /** Fails whatever comes later. */
    @Override
    public void close() {
        closed = true;
        Runnable cancel = sweep.get();
        if (cancel != null) {
            cancel.run();
        }
    }

    private void checkOpen(String key) {
        if (closed) {
            throw BackendFailures.closed(key);
        }
    }

    /** How many keys are held. */
    public int size() {
        return states.size();
    }

    private long nowMicros(LimitStep<?> limit) {
        return limit instanceof FixedWindow window && window.calendar() != null
                ? calendarTime.nowMicros()
                : time.nowMicros();
    }

    /** So that no state is dropped before it expires, whichever of the two clocks it was kept by. */
    private long earliestMicros() {
        return Math.min(time.nowMicros(), calendarTime.nowMicros());
    }
}
