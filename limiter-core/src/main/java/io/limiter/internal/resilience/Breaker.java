package io.limiter.internal.resilience;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.time.OncePerMinute;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resilience4j's circuit breaker, opened by what says that the backend is away, and closed by a probe in the background, so
 * that no caller pays for finding out.
 *
 * <p>It opens when at least {@value #FEWEST} of the last {@value #WINDOW} outcomes are failures, and as many as the
 * answers. Resilience4j counts under a lock, so answers are only counted after a failure, until {@value #WINDOW} came
 * without another: while all is well, an answer costs one read.
 *
 * <p>It is told of failures by threads for which others wait. So it throws nothing, takes no monitor, and logs on the thread
 * that tells the listeners.
 */
public final class Breaker implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Breaker.class);

    private static final int WINDOW = 10;
    private static final int FEWEST = 5;
    private static final int IDLE_SECONDS = 10;

    private final CircuitBreaker breaker;
    private final long probeNanos;
    private final ListenerNotifier notices;
    private final ScheduledThreadPoolExecutor prober;
    private final OncePerMinute unopened = new OncePerMinute();
    private final AtomicInteger answersToCount = new AtomicInteger();
    private volatile Consumer<String> probe = key -> {
        throw new IllegalStateException("nobody can probe");
    };
    private volatile boolean closed;
    // Not null while open. Whoever sets it opens, and the one who probes then closes; the two below are theirs.
    private final AtomicReference<@Nullable LimiterBackendException> openedBy = new AtomicReference<>();
    private final ProbePauses pauses;
    private long openedNanos;
    private final AtomicReference<BackendState> state =
            new AtomicReference<>(new BackendState(true, Instant.now(), null));

    /**
     * @param probeInterval how long to wait before a probe at most; see {@link ProbePauses}
     * @param notices tells the listeners
     */
    public Breaker(Duration probeInterval, ListenerNotifier notices) {
        this(probeInterval, notices, task -> {
            Thread thread = new Thread(task, "limiter-probe");
            thread.setDaemon(true);
            return thread;
        });
    }

    public Breaker(Duration probeInterval, ListenerNotifier notices, ThreadFactory probers) {
        this.probeNanos = probeInterval.toNanos();
        this.pauses = new ProbePauses(probeInterval);
        this.notices = notices;
        this.breaker = CircuitBreaker.of(
                "limiter",
                CircuitBreakerConfig.custom()
                        .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(WINDOW)
                        .minimumNumberOfCalls(FEWEST)
                        .failureRateThreshold(50)
                        .slowCallRateThreshold(100)
                        .slowCallDurationThreshold(Duration.ofDays(1))
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitDurationInOpenState(probeInterval)
                        .writableStackTraceEnabled(false)
                        .build());
        this.prober = new ScheduledThreadPoolExecutor(1, probers);
        prober.setRemoveOnCancelPolicy(true);
        prober.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        prober.allowCoreThreadTimeOut(true);
        prober.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * @param newProbe asks the backend for an answer, given a key that had none; throws {@link LimiterBackendException} if
     *     there is none
     */
    void probeBy(Consumer<String> newProbe) {
        this.probe = newProbe;
    }

    BackendState state() {
        return Objects.requireNonNull(state.get());
    }

    /** @throws LimiterBackendException if the backend is not to be asked */
    void check(String key) {
        if (closed) {
            throw LimiterBackendException.closed(key);
        }
        LimiterBackendException cause = openedBy.get();
        if (cause != null) {
            throw LimiterBackendException.notAsked(
                    key,
                    "Redis is taken to be away since its last failures, and is asked again in the background",
                    cause);
        }
    }

    void answered() {
        if (answersToCount.get() > 0 && answersToCount.getAndDecrement() > 0 && openedBy.get() == null) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
    }

    void failed(LimiterBackendException failure) {
        if (openedBy.get() != null || closed) {
            return;
        }
        try {
            answersToCount.set(WINDOW);
            breaker.onError(0, TimeUnit.NANOSECONDS, failure);
            if (breaker.getState() == CircuitBreaker.State.OPEN) {
                open(failure);
            } else {
                state.updateAndGet(before -> new BackendState(before.up(), before.since(), failure));
            }
        } catch (RuntimeException | Error e) {
            // Such as no thread for the probe. The next failure tries again.
            if (unopened.unsaid(System.nanoTime()) != OncePerMinute.NOT_NOW) {
                notices.run(() -> log.error("The breaker could not be opened; the backend is asked still.", e));
            }
        }
    }

    private void open(LimiterBackendException failure) {
        // First: if there can be no thread for the probe, nothing is closed that nobody would open again.
        prober.prestartCoreThread();
        if (!openedBy.compareAndSet(null, failure)) {
            return;
        }
        openedNanos = System.nanoTime();
        pauses.away(openedNanos);
        state.set(new BackendState(false, Instant.now(), failure));
        notices.run(() -> log.warn(
                "The backend does not answer and is not asked for now; the failure policy decides. It is probed every {} ms, and"
                        + " sooner at first.",
                TimeUnit.NANOSECONDS.toMillis(probeNanos),
                failure));
        notices.tell(listener -> listener.backendDown(failure));
        probeLater(failure.key());
    }

    private void probeLater(String key) {
        boolean asked = false;
        try {
            prober.schedule(() -> probe(key), pauses.next(), TimeUnit.NANOSECONDS);
            asked = true;
        } catch (RejectedExecutionException e) {
            // Closed: whoever asks is told so.
            return;
        } finally {
            if (!asked) {
                // Callers find out by themselves.
                openedBy.set(null);
            }
        }
    }

    private void probe(String key) {
        try {
            breaker.transitionToHalfOpenState();
            if (!breaker.tryAcquirePermission()) {
                throw new IllegalStateException("the breaker lets no probe through, it is " + breaker.getState());
            }
            probe.accept(key);
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            closedAgain();
        } catch (LimiterBackendException e) {
            if (e.kind() == Kind.PERMANENT) {
                // It answers, if only to refuse this.
                breaker.onSuccess(0, TimeUnit.NANOSECONDS);
                closedAgain();
            } else {
                stillAway(key, e);
            }
        } catch (RuntimeException | Error e) {
            notices.run(() -> log.warn("The backend could not be probed; trying again.", e));
            stillAway(key, e);
        }
    }

    private void stillAway(String key, Throwable why) {
        if (breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
            breaker.onError(0, TimeUnit.NANOSECONDS, why);
        }
        if (why instanceof LimiterBackendException failure) {
            state.updateAndGet(before -> new BackendState(false, before.since(), failure));
        }
        probeLater(key);
    }

    private void closedAgain() {
        breaker.transitionToClosedState();
        answersToCount.set(0);
        long now = System.nanoTime();
        pauses.back(now);
        Duration downtime = Duration.ofNanos(now - openedNanos);
        state.updateAndGet(before -> new BackendState(true, Instant.now(), before.failure()));
        openedBy.set(null);
        notices.run(() -> log.info("The backend answers again, after {} ms.", downtime.toMillis()));
        notices.tell(listener -> listener.backendUp(downtime));
    }

    /** Fails all that comes. */
    @Override
    public void close() {
        closed = true;
        prober.shutdown();
    }
}
