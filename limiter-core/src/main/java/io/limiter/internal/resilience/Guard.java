package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.OncePerMinute;
import io.limiter.spi.EngineObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a backend that does not answer from costing its callers more than they can bear. One for all engines of a factory.
 *
 * <ul>
 *   <li>Every decision has a <em>budget</em>: then its caller has it, or the failure. What had not been sent by then is
 *       withdrawn; what had been is ambiguous, counts as spent, and is never sent again.
 *   <li>What failed without being executed and may go well soon is tried again inside the budget, after pauses that grow.
 *   <li>After a handful of failures that say the backend is away, a {@link Breaker} fails all that comes at once, until a
 *       probe in the background is answered.
 * </ul>
 */
public final class Guard implements AutoCloseable {

    /** The {@linkplain LimiterBackendException#problem() problem} of a decision that took longer than it may. */
    public static final String OVERRAN = "timeout";

    private static final Logger log = LoggerFactory.getLogger(Guard.class);

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int LONGEST_PAUSE_DOUBLINGS = 5;

    private final Duration budget;
    private final Deadlines deadlines;
    private final Breaker breaker;
    private final PermanentFailures lasting;
    private final ListenerNotifier notices;
    private final EngineObserver observer;
    private final OncePerMinute overran = new OncePerMinute();
    private volatile long answeredNanos;

    /**
     * @param budget how long a decision may take, more than 0
     * @param breaker fails what comes while the backend is away
     */
    public Guard(Duration budget, Breaker breaker) {
        this(budget, breaker, new Deadlines(budget, Ticker.systemTicker()));
    }

    Guard(Duration budget, Breaker breaker, Deadlines deadlines) {
        this(budget, breaker, deadlines, ListenerNotifier.NONE, EngineObserver.NONE);
    }

    /**
     * As the other.
     *
     * @param firstBudget how long a decision may take until the backend has first answered, if that is longer
     * @param notices tells the listeners, and logs
     * @param observer is told of failures
     */
    public Guard(
            Duration budget, Duration firstBudget, Breaker breaker, ListenerNotifier notices, EngineObserver observer) {
        this(budget, breaker, new Deadlines(budget, firstBudget, Ticker.systemTicker()), notices, observer);
    }

    private Guard(
            Duration budget, Breaker breaker, Deadlines deadlines, ListenerNotifier notices, EngineObserver observer) {
        this.lasting = new PermanentFailures(notices, Ticker.systemTicker());
        this.notices = notices;
        this.observer = observer;
        this.budget = budget;
        this.deadlines = deadlines;
        this.breaker = breaker;
        this.answeredNanos = deadlines.now() - TimeUnit.DAYS.toNanos(1);
    }

    public Deadlines deadlines() {
        return deadlines;
    }

    /** How long a decision may take. */
    public Duration budget() {
        return budget;
    }

    long budgetNanos() {
        return deadlines.budgetNanos();
    }

    /** The time by which decisions are due; see {@link Deadlines#now}. */
    public long now() {
        return deadlines.now();
    }

    /** When a request that comes now has to have its decision. */
    public long deadlineNanos() {
        return now() + deadlines.budgetNanos();
    }

    /**
     * To be called before anything is asked.
     *
     * @throws LimiterBackendException if the backend is taken to be away, or the limiters were closed
     */
    public void check(String key) {
        breaker.check(key);
    }

    /** From now on there is somebody who asks the backend for nothing but an answer. */
    public void probeBy(Consumer<String> probe) {
        breaker.probeBy(probe);
    }

    public BackendState state() {
        return breaker.state().withFailing(lasting.all());
    }

    /**
     * The backend has answered.
     *
     * @param startNanos when that was asked for, by {@link #now}
     */
    public void answered(long startNanos) {
        long now = now();
        answeredNanos = now;
        deadlines.answered(now);
        if (now - startNanos < budgetNanos()) {
            breaker.answered();
        }
    }

    /** The requests of a key in a call have their decisions. */
    public void decided(String key) {
        lasting.decided(key);
    }

    /** A request has failed for good. */
    public void failed(LimiterBackendException failure) {
        if (failure.problem().equals(OVERRAN)) {
            overran(failure);
        } else {
            observer.failed(failure.problem());
        }
        if (failure.kind() == Kind.PERMANENT) {
            lasting.failed(failure);
        } else if (failure.kind() == Kind.RETRYABLE || failure.kind() == Kind.AMBIGUOUS) {
            breaker.failed(failure);
        }
    }

    /** The failure of a request that was not sent in time. */
    LimiterBackendException notSent(String key, long deadlineNanos, @Nullable LimiterBackendException lastFailure) {
        if (lastFailure != null) {
            failed(lastFailure);
            return lastFailure;
        }
        LimiterBackendException failure = LimiterBackendException.of(
                Kind.NOT_EXECUTED,
                OVERRAN,
                key,
                "it was not sent within " + deadlines.timeout() + ", and was withdrawn",
                null);
        overran(failure);
        // If others were answered meanwhile, it is only busy.
        if (answeredNanos - (deadlineNanos - budgetNanos()) < 0) {
            breaker.failed(failure);
        }
        return failure;
    }

    /** The failure of a request that was sent, and not answered in time. */
    LimiterBackendException notAnswered(String key) {
        LimiterBackendException failure = LimiterBackendException.of(
                Kind.AMBIGUOUS, OVERRAN, key, "there was no answer within " + deadlines.timeout(), null);
        overran(failure);
        breaker.failed(failure);
        return failure;
    }

    private void overran(LimiterBackendException failure) {
        observer.failed(failure.problem());
        long unsaid = overran.unsaid(System.nanoTime());
        if (unsaid != OncePerMinute.NOT_NOW) {
            notices.run(() -> log.warn(
                    "A decision was not made in time, so its failure policy decided: {} ({} more since the last line; one"
                            + " line a minute at most)",
                    failure.getMessage(),
                    unsaid));
        }
    }

    /** How long to wait before something is tried again that has failed so many times before. */
    static long pauseNanos(int tries) {
        long most = SHORTEST_PAUSE_NANOS << Math.min(tries, LONGEST_PAUSE_DOUBLINGS);
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    }

    /**
     * Waits for an answer that has a deadline, with no timer, which costs a virtual thread more than all the rest. An
     * interrupt does not end the wait, but is set again at its end.
     */
    static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterBackendException failure) {
                throw failure.inThisThread();
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Fails whatever comes from now on. What is pending has its answer or its time. */
    @Override
    public void close() {
        breaker.close();
        deadlines.close();
    }
}
