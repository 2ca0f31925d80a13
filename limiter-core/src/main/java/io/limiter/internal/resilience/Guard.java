package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.backend.Nodes;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Decision timeout, retries and circuit breaker of a factory's backend, shared by all its limiters.
 *
 * <ul>
 *   <li>Every decision has a timeout. A request that was not sent until then is withdrawn; one that was sent is ambiguous,
 *       counts as executed, and is never retried.
 *   <li>Requests that failed without being executed are retried until their deadline, after growing pauses.
 *   <li>After a few failures, a {@link Breakers circuit breaker} fails all requests immediately, until a probe succeeds.
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
     * @param breakers fail requests immediately while the backend is unavailable
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
     * @return {@code false} if it has failed already, because the circuit breaker of one of its keys is open, or the limiters were
     *     closed
     */
    public boolean begin(Ask ask) {
        ask.dueAt(deadlines.now() + deadlines.decisionTimeoutNanos());
        try {
            for (int i = 0; i < ask.size(); i++) {
                breakers.check(ask.key(i));
            }
            return true;
        } catch (LimiterBackendException e) {
            ask.fail(e, outside);
            return false;
        }
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
     * Ends requests whose call has failed, except those that may succeed before their deadline.
     *
     * @param isFirst whether the circuit breaker has not counted another failure of the same cause
     * @param retry sends the latter again after a pause in nanoseconds; {@code null} to end them too
     * @return whether the circuit breaker counts the failure
     */
    public boolean ended(
            List<Ask> asks,
            LimiterBackendException failure,
            boolean isFirst,
            @Nullable ObjLongConsumer<List<Ask>> retry) {
        long now = deadlines.now();
        long shortestPause = Long.MAX_VALUE;
        List<Ask> retries = new ArrayList<>(0);
        boolean anyFailed = false;
        for (Ask ask : asks) {
            long pause = retry == null ? 0 : pauseNanos(ask, failure, now);
            if (pause > 0) {
                ask.waitAgain();
                retries.add(ask);
                shortestPause = Math.min(shortestPause, pause);
            } else if (!ask.isEnding() && !ask.isWithdrawn()) {
                anyFailed = true;
                ask.fail(failure, outside);
            }
        }
        boolean isCounted = anyFailed && failed(failure, isFirst);
        if (retry != null && !retries.isEmpty()) {
            retry.accept(retries, shortestPause);
        }
        return isCounted;
    }

    /**
     * Records the failure of a request that is not retried.
     *
     * @param isFirst whether the circuit breaker has not counted another one of the same cause
     * @return whether the circuit breaker counts it
     */
    private boolean failed(LimiterBackendException failure, boolean isFirst) {
        boolean queueFull = BackendFailures.isQueueFull(failure);
        boolean isAnswer = failure.problem().equals(BackendFailures.REPEATED);
        boolean isCounted = isFirst
                && !queueFull
                && !isAnswer
                && (failure.kind() == Kind.RETRYABLE || failure.kind() == Kind.AMBIGUOUS);
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
    public void fail(Ask ask, LimiterBackendException failure) {
        failed(failure, true);
        ask.fail(failure, outside);
    }

    /** Records the failure of a request that was not sent in time. */
    private LimiterBackendException notSent(Ask ask) {
        LimiterBackendException lastFailure = ask.lastFailure();
        if (lastFailure != null) {
            failed(lastFailure, true);
            return lastFailure;
        }
        LimiterBackendException failure = timeout(
                ask,
                Kind.NOT_EXECUTED,
                "it was not sent within " + deadlines.timeout(ask.deadlineNanos()) + ", and was withdrawn");
        failed(failure, true);
        long startNanos = ask.deadlineNanos() - deadlines.decisionTimeoutNanos();
        // If the node has answered others since then, it is only busy.
        if (breakers.answeredNanos(ask.key(), answeredNanos) - startNanos < 0) {
            breakers.failed(failure, answeredNanos);
        }
        return failure;
    }

    /**
     * Records the failure of a request that was sent, and not answered in time. Of a set it is not known which node did not
     * answer; with a probe, the others recover immediately, and the set is not sent again before all have.
     */
    private LimiterBackendException notAnswered(Ask ask) {
        LimiterBackendException failure =
                timeout(ask, Kind.AMBIGUOUS, "there was no answer within " + deadlines.timeout(ask.deadlineNanos()));
        failed(failure, true);
        Set<String> nodes = new HashSet<>(List.of(breakers.nodeOf(ask.key())));
        for (int i = 1; i < ask.size(); i++) {
            if (nodes.add(breakers.nodeOf(ask.key(i)))) {
                breakers.failed(failure.forKey(ask.key(i)), answeredNanos);
            }
        }
        return failure;
    }

    private static LimiterBackendException timeout(Ask ask, Kind kind, String text) {
        return LimiterBackendException.ofOtherThread(kind, TIMEOUT, ask.key(), text);
    }

    /** The pause before a retry, in nanoseconds; 0 if it must not be retried or its deadline is too close. */
    private long pauseNanos(Ask ask, LimiterBackendException failure, long nowNanos) {
        if (failure.kind() != Kind.RETRYABLE || ask.isEnding()) {
            return 0;
        }
        long pause = pauseNanos(ask.failedOnce(failure));
        return pause < ask.deadlineNanos() - nowNanos ? pause : 0;
    }

    private static long pauseNanos(int tries) {
        long most = SHORTEST_PAUSE_NANOS << Math.min(tries, LONGEST_PAUSE_DOUBLINGS);
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    }

    /** Fails a pending request at its deadline. To be called again if it throws. */
    public void expire(Ask ask) {
        if (ask.isEnding()) {
            return;
        }
        ask.fail(ask.withdraw() ? notSent(ask) : notAnswered(ask), outside);
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
