package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.engine.Pending;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Decision timeout, retries and circuit breaker of a factory's backend, shared by all its limiters.
 *
 * <ul>
 *   <li>Every decision has a timeout. A request that was not sent until then is withdrawn; one that was sent is ambiguous,
 *       counts as executed, and is never retried.
 *   <li>Requests that failed without being executed are retried until their deadline, after growing pauses.
 *   <li>After a few failures, a {@link Breakers circuit breaker} fails all requests at once, until a probe in the background succeeds.
 * </ul>
 */
public final class Guard implements AutoCloseable {

    /** The {@linkplain LimiterBackendException#problem() problem} of a decision that took longer than it may. */
    public static final String TIMEOUT = "timeout";

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int LONGEST_PAUSE_DOUBLINGS = 5;

    private final Deadlines deadlines;
    private final Breakers breakers;
    private final PermanentFailures permanentFailures;
    private final EngineObserver observer;
    private final Executor outside;
    private volatile long answeredNanos;

    /** A guard without listeners and probes: once open, its circuit breaker stays open. */
    public static Guard silent(Duration decisionTimeout) {
        return new Guard(
                Breakers.silent(),
                new Deadlines(decisionTimeout, decisionTimeout, Ticker.systemTicker()),
                ListenerNotifier.NONE,
                EngineObserver.NONE);
    }

    /**
     * @param decisionTimeout decision timeout, more than 0
     * @param firstDecisionTimeout decision timeout until the backend has first answered, if longer; for that long at most
     *     after the first request
     * @param breakers fail requests at once while the backend is unavailable
     * @param notifier notifies the listeners
     * @param observer observes failures
     */
    public Guard(
            Duration decisionTimeout,
            Duration firstDecisionTimeout,
            Breakers breakers,
            ListenerNotifier notifier,
            EngineObserver observer) {
        this(breakers, new Deadlines(decisionTimeout, firstDecisionTimeout, Ticker.systemTicker()), notifier, observer);
    }

    Guard(Breakers breakers, Deadlines deadlines, ListenerNotifier notifier, EngineObserver observer) {
        this.permanentFailures = new PermanentFailures(notifier, Ticker.systemTicker());
        this.observer = observer;
        this.deadlines = deadlines;
        this.outside = deadlines::outside;
        this.breakers = breakers;
        this.answeredNanos = deadlines.now() - TimeUnit.DAYS.toNanos(1);
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    /** The decision timeout. */
    public Duration decisionTimeout() {
        return Duration.ofNanos(deadlines.decisionTimeoutNanos());
    }

    /**
     * Begins a request: from now on it has a deadline.
     *
     * @return when it begins, by {@link Deadlines#now}
     * @throws LimiterBackendException if the circuit breaker of one of its keys is open, or the limiters were closed
     */
    public long begin(Pending<?> pending) {
        long now = deadlines.now();
        pending.dueAt(now + deadlines.decisionTimeoutNanos());
        for (int i = 0; i < pending.size(); i++) {
            breakers.check(pending.key(i));
        }
        return now;
    }

    /**
     * Sets the probe of the circuit breakers. To be called before any request.
     *
     * @param nodes which have a circuit breaker each
     * @param probe calls the backend for a key; throws {@link LimiterBackendException} if that fails
     */
    public void probeBy(Nodes nodes, Consumer<String> probe) {
        breakers.probeBy(nodes, probe);
    }

    public BackendState state() {
        return breakers.state().withFailing(permanentFailures.all());
    }

    /**
     * Records that the backend has answered.
     *
     * @param key a key that it has decided
     * @param startNanos when the request was started, by {@link Deadlines#now}
     */
    public void answered(String key, long startNanos) {
        long now = deadlines.now();
        answeredNanos = now;
        deadlines.answered(now);
        breakers.answered(key, now, now - startNanos < deadlines.decisionTimeoutNanos());
    }

    /** Records that requests for a key were decided. */
    public void decided(String key) {
        permanentFailures.decided(key);
    }

    /**
     * Records the failure of a request that is not retried.
     *
     * @param isFirst whether the circuit breaker has not counted another one of the same cause
     * @return whether the circuit breaker counts it
     */
    public boolean failed(LimiterBackendException failure, boolean isFirst) {
        boolean queueFull = BackendFailures.isQueueFull(failure);
        boolean isCounted =
                isFirst && !queueFull && (failure.kind() == Kind.RETRYABLE || failure.kind() == Kind.AMBIGUOUS);
        observer.failed(failure.problem());
        if (failure.kind() == Kind.PERMANENT || queueFull) {
            permanentFailures.failed(failure);
        }
        if (isCounted) {
            breakers.failed(failure, answeredNanos);
        }
        return isCounted;
    }

    /** Fails a request of which nothing was sent and which is not retried, and records that. */
    public void fail(Pending<?> pending, LimiterBackendException failure) {
        failed(failure, true);
        pending.fail(failure, outside);
    }

    /** Records the failure of a request that was not sent in time. */
    private LimiterBackendException notSent(Pending<?> pending) {
        LimiterBackendException lastFailure = pending.lastFailure();
        if (lastFailure != null) {
            failed(lastFailure, true);
            return lastFailure;
        }
        LimiterBackendException failure = timeout(
                pending,
                Kind.NOT_EXECUTED,
                "it was not sent within " + deadlines.timeout(pending.deadlineNanos()) + ", and was withdrawn");
        failed(failure, true);
        long startNanos = pending.deadlineNanos() - deadlines.decisionTimeoutNanos();
        // If the node has answered others meanwhile, it is only busy.
        if (breakers.answeredNanos(pending.key(), answeredNanos) - startNanos < 0) {
            breakers.failed(failure, answeredNanos);
        }
        return failure;
    }

    /**
     * Records the failure of a request that was sent, and not answered in time. Of a set it is not known which node did not
     * answer; with a probe, the others recover at once, and the set is not sent again before all have.
     */
    private LimiterBackendException notAnswered(Pending<?> pending) {
        LimiterBackendException failure = timeout(
                pending, Kind.AMBIGUOUS, "there was no answer within " + deadlines.timeout(pending.deadlineNanos()));
        failed(failure, true);
        Set<String> nodes = new HashSet<>(List.of(breakers.nodeOf(pending.key())));
        for (int i = 1; i < pending.size(); i++) {
            if (nodes.add(breakers.nodeOf(pending.key(i)))) {
                breakers.failed(failure.forKey(pending.key(i)), answeredNanos);
            }
        }
        return failure;
    }

    private static LimiterBackendException timeout(Pending<?> pending, Kind kind, String text) {
        return LimiterBackendException.ofOtherThread(kind, TIMEOUT, pending.key(), text);
    }

    /** The pause before a retry, in nanoseconds; 0 if it must not be retried or its deadline is too close. */
    public long pauseNanos(Pending<?> pending, LimiterBackendException failure, long nowNanos) {
        if (failure.kind() != Kind.RETRYABLE || pending.isEnding()) {
            return 0;
        }
        long pause = pauseNanos(pending.failedOnce(failure));
        return pause < pending.deadlineNanos() - nowNanos ? pause : 0;
    }

    private static long pauseNanos(int tries) {
        long most = SHORTEST_PAUSE_NANOS << Math.min(tries, LONGEST_PAUSE_DOUBLINGS);
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    }

    /** Fails a pending request at its deadline. To be called again if it throws. */
    public void expire(Pending<?> pending) {
        if (pending.isEnding()) {
            return;
        }
        pending.fail(pending.withdraw() ? notSent(pending) : notAnswered(pending), outside);
    }

    /** Runs callers' code; see {@link Deadlines#outside}. */
    public Executor outside() {
        return outside;
    }

    /** Fails all later requests. Pending ones still have their answer or their deadline. */
    @Override
    public void close() {
        breakers.close();
        deadlines.close();
    }
}
