package io.limiter.internal.resilience;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.statistics.ListenerNotifier;
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

/**
 * Circuit breaker of Resilience4j, opened by failures of the backend and closed by a probe in the background, so that
 * no caller pays for the probe.
 *
 * <p>It opens when at least {@value #FEWEST} of the last {@value #WINDOW} outcomes are failures, and at least half of
 * all. Resilience4j counts under a lock, so successes are counted only after a failure, until {@value #WINDOW} came
 * without another: in normal operation a success costs one read.
 *
 * <p>Failures are reported by threads that other callers depend on. So nothing is thrown, and no monitor is taken.
 */
public final class Breaker implements AutoCloseable {

    private static final AsyncLog log = AsyncLog.of(Breaker.class);

    private static final int WINDOW = 10;
    private static final int FEWEST = 5;
    private static final int IDLE_SECONDS = 10;

    private final CircuitBreaker breaker;
    private final long probeNanos;
    private final ListenerNotifier notifier;
    private final ScheduledThreadPoolExecutor prober;
    private final LogThrottle openFailures = new LogThrottle();
    private final LogThrottle probeFailures = new LogThrottle();
    private final AtomicInteger answersToCount = new AtomicInteger();
    private volatile Consumer<String> probe = key -> {
        throw new IllegalStateException("nobody can probe");
    };
    private volatile boolean closed;
    // Not null while open. The two below are confined to the thread that sets this, and then to the probing thread.
    private final AtomicReference<@Nullable LimiterBackendException> openedBy = new AtomicReference<>();
    private final ProbePauses pauses;
    private long openedNanos;
    private final AtomicReference<BackendState> state =
            new AtomicReference<>(new BackendState(true, Instant.now(), null));

    /**
     * @param probeInterval longest pause between probes; see {@link ProbePauses}
     * @param notifier notifies the listeners
     */
    public Breaker(Duration probeInterval, ListenerNotifier notifier) {
        this(probeInterval, notifier, task -> {
            Thread thread = new Thread(task, "limiter-probe");
            thread.setDaemon(true);
            return thread;
        });
    }

    public Breaker(Duration probeInterval, ListenerNotifier notifier, ThreadFactory probers) {
        this.probeNanos = probeInterval.toNanos();
        this.pauses = new ProbePauses(probeInterval);
        this.notifier = notifier;
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
     * @param newProbe calls the backend in the slot of the given key; throws {@link LimiterBackendException} if that
     *     fails
     */
    void probeBy(Consumer<String> newProbe) {
        this.probe = newProbe;
    }

    BackendState state() {
        return Objects.requireNonNull(state.get());
    }

    /**
     * @throws LimiterBackendException if the breaker is open or closed for good
     */
    void check(String key) {
        if (closed) {
            throw LimiterBackendException.closed(key);
        }
        LimiterBackendException cause = openedBy.get();
        if (cause != null) {
            throw LimiterBackendException.notAsked(
                    key,
                    "the circuit breaker is open after the last failures; Redis is probed in the background",
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
            // For example OutOfMemoryError for the probe's thread. The next failure tries again.
            log.error(
                    openFailures,
                    "The circuit breaker could not be opened, so callers still wait for the backend. The next failure tries again.",
                    e);
        }
    }

    private void open(LimiterBackendException failure) {
        // First: without a thread for the probe, an open breaker would never be closed again.
        prober.prestartCoreThread();
        if (!openedBy.compareAndSet(null, failure)) {
            return;
        }
        openedNanos = System.nanoTime();
        pauses.away(openedNanos);
        state.set(new BackendState(false, Instant.now(), failure));
        log.warn(
                "The backend is unavailable: the circuit breaker is open and failure policies decide. It is probed at least"
                        + " every {} ms, and closes as soon as the backend answers.",
                TimeUnit.NANOSECONDS.toMillis(probeNanos),
                failure);
        notifier.tell(listener -> listener.backendDown(failure));
        probeLater(failure.key());
    }

    private void probeLater(String key) {
        boolean scheduled = false;
        try {
            prober.schedule(() -> probe(key), pauses.next(), TimeUnit.NANOSECONDS);
            scheduled = true;
        } catch (RejectedExecutionException e) {
            // Closed: check() throws.
            return;
        } finally {
            if (!scheduled) {
                // Without a probe, callers try the backend themselves.
                openedBy.set(null);
            }
        }
    }

    private void probe(String key) {
        try {
            breaker.transitionToHalfOpenState();
            if (!breaker.tryAcquirePermission()) {
                throw new IllegalStateException("the circuit breaker permits no probe, it is " + breaker.getState());
            }
            probe.accept(key);
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            recovered();
        } catch (LimiterBackendException e) {
            if (e.kind() == Kind.PERMANENT) {
                // An error reply proves that the backend is available.
                breaker.onSuccess(0, TimeUnit.NANOSECONDS);
                recovered();
            } else {
                stillUnavailable(key, e);
            }
        } catch (RuntimeException | Error e) {
            log.warn(
                    probeFailures,
                    "Probing the backend has failed unexpectedly; retrying. The circuit breaker stays open.",
                    e);
            stillUnavailable(key, e);
        }
    }

    private void stillUnavailable(String key, Throwable why) {
        if (breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
            breaker.onError(0, TimeUnit.NANOSECONDS, why);
        }
        if (why instanceof LimiterBackendException failure) {
            state.updateAndGet(before -> new BackendState(false, before.since(), failure));
        }
        probeLater(key);
    }

    private void recovered() {
        breaker.transitionToClosedState();
        answersToCount.set(0);
        long now = System.nanoTime();
        pauses.back(now);
        Duration downtime = Duration.ofNanos(now - openedNanos);
        state.updateAndGet(before -> new BackendState(true, Instant.now(), before.failure()));
        openedBy.set(null);
        log.info("The backend has recovered after {} ms; the circuit breaker is closed.", downtime.toMillis());
        notifier.tell(listener -> listener.backendUp(downtime));
    }

    /** Fails all later requests and stops probing. */
    @Override
    public void close() {
        closed = true;
        prober.shutdown();
    }
}
