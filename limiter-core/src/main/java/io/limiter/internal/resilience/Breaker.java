package io.limiter.internal.resilience;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.failure.BackendFailures;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of Resilience4j for one node of the backend, opened by its failures and closed by a probe in the
 * background, so that no caller pays for the probe.
 *
 * <p>It opens when {@value #FEWEST} outcomes or more are counted, and at least half of the last {@value #WINDOW} are
 * failures. Resilience4j counts under a lock, so successes are counted only after a failure, until {@value #WINDOW} came
 * without another: in normal operation a success costs one read.
 *
 * <p>Failures are reported by threads that other callers depend on. So nothing is thrown, and no monitor is taken.
 */
final class Breaker implements AutoCloseable {

    private static final int WINDOW = 10;
    private static final int FEWEST = 5;
    private static final int IDLE_SECONDS = 10;

    private final String node;
    private final Breakers all;
    private final CircuitBreaker breaker;
    private final long probeNanos;
    private final ListenerNotifier notifier;
    private final AsyncLog log;
    private final ScheduledThreadPoolExecutor prober;
    private final LogThrottle probeFailures = new LogThrottle();
    private final AtomicInteger answersToCount = new AtomicInteger();
    private volatile long answeredNanos;
    // Not null while open. The two below are confined to the thread that sets this, and then to the probing thread.
    private final AtomicReference<@Nullable LimiterBackendException> openedBy = new AtomicReference<>();
    private final ProbePauses pauses;
    private long openedNanos;

    /**
     * @param probeInterval longest pause between probes; see {@link ProbePauses}
     * @param notifier notifies the listeners
     * @param nowNanos when the node has last answered, as far as this can know
     */
    Breaker(
            String node,
            Breakers all,
            Duration probeInterval,
            ListenerNotifier notifier,
            ThreadFactory probers,
            AsyncLog log,
            long nowNanos) {
        this.node = node;
        this.all = all;
        this.answeredNanos = nowNanos;
        this.probeNanos = probeInterval.toNanos();
        this.pauses = new ProbePauses(probeInterval);
        this.notifier = notifier;
        this.log = log;
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

    String node() {
        return node;
    }

    boolean isOpen() {
        return openedBy.get() != null;
    }

    /** When the node has last answered. */
    long answeredNanos() {
        return answeredNanos;
    }

    /**
     * @throws LimiterBackendException if this is open
     */
    void check(String key) {
        LimiterBackendException cause = openedBy.get();
        if (cause != null) {
            throw BackendFailures.unavailable(
                    key,
                    "the circuit breaker is open after the last failures; Redis is probed in the background",
                    cause);
        }
    }

    void answered(long nowNanos, boolean countedAsSuccess) {
        answeredNanos = nowNanos;
        if (countedAsSuccess
                && answersToCount.get() > 0
                && answersToCount.getAndDecrement() > 0
                && openedBy.get() == null) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
    }

    void failed(LimiterBackendException failure) {
        if (openedBy.get() != null) {
            return;
        }
        answersToCount.set(WINDOW);
        breaker.onError(0, TimeUnit.NANOSECONDS, failure);
        if (breaker.getState() == CircuitBreaker.State.OPEN) {
            open(failure);
        } else {
            all.changed(failure);
        }
    }

    void open(LimiterBackendException failure) {
        // First: without a thread for the probe, an open breaker would never be closed again.
        prober.prestartCoreThread();
        if (!openedBy.compareAndSet(null, failure)) {
            return;
        }
        if (breaker.getState() == CircuitBreaker.State.CLOSED) {
            // The failure is older than a recovery. Nothing would be there to probe.
            openedBy.set(null);
            return;
        }
        openedNanos = System.nanoTime();
        pauses.unavailable(openedNanos);
        all.changed(failure);
        log.warn(
                "{} is unavailable: the circuit breaker is open and failure policies decide. It is probed at least"
                        + " every {} ms, and closes as soon as the backend answers.",
                node,
                TimeUnit.NANOSECONDS.toMillis(probeNanos),
                failure);
        notifier.publish(listener -> listener.backendDown(node, failure));
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
                all.changed(null);
            }
        }
    }

    private void probe(String key) {
        try {
            breaker.transitionToHalfOpenState();
            if (!breaker.tryAcquirePermission()) {
                throw new IllegalStateException("the circuit breaker permits no probe, it is " + breaker.getState());
            }
            String probed = all.keyOn(node, key);
            while (probed != null && !answers(probed)) {
                probed = all.keyOn(node, probed);
            }
            // A node without keys is no more called than one that is available.
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            recovered();
        } catch (LimiterBackendException e) {
            stillUnavailable(key, e);
        } catch (RuntimeException | Error e) {
            log.warn(
                    probeFailures,
                    "Probing the backend has failed unexpectedly; retrying. The circuit breaker stays open.",
                    e);
            stillUnavailable(key, e);
        }
    }

    /**
     * @return {@code false} if the key has moved to another node, which has answered instead
     * @throws LimiterBackendException if no node answers
     */
    private boolean answers(String probed) {
        try {
            all.probe(probed);
        } catch (LimiterBackendException e) {
            // An error reply proves that the node is available.
            if (e.kind() != Kind.PERMANENT) {
                throw e;
            }
        }
        return all.isOn(node, probed);
    }

    private void stillUnavailable(String key, Throwable why) {
        if (breaker.getState() == CircuitBreaker.State.HALF_OPEN) {
            breaker.onError(0, TimeUnit.NANOSECONDS, why);
        }
        if (why instanceof LimiterBackendException failure) {
            all.changed(failure);
        }
        probeLater(key);
    }

    private void recovered() {
        breaker.transitionToClosedState();
        answersToCount.set(0);
        long now = System.nanoTime();
        pauses.recovered(now);
        Duration downtime = Duration.ofNanos(now - openedNanos);
        openedBy.set(null);
        all.changed(null);
        log.info("{} has recovered after {} ms; the circuit breaker is closed.", node, downtime.toMillis());
        notifier.publish(listener -> listener.backendUp(node, downtime));
    }

    /** Stops probing. */
    @Override
    public void close() {
        prober.shutdown();
    }
}
