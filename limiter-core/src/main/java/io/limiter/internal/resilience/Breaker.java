package io.limiter.internal.resilience;

import io.limiter.BackendState;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.internal.thread.TimerThread;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker for one node of the backend, opened by its failures and closed by a probe in the background, so that no
 * caller pays for the probe.
 *
 * <p>It opens as soon as {@value #MOST_FAILURES} of the last {@value #WINDOW} outcomes are failures. In normal operation a
 * success costs two reads.
 *
 * <p>The first probe is sent immediately, so a stall of the backend costs little more than itself. Further ones follow after
 * pauses that double, from a {@value #FIRST_PER_LONGEST}th of the probe interval up to that. The pauses continue where they
 * were if the backend answers probes and not callers, fewer than {@value #MOST_FAILURES} of them in time since it recovered.
 *
 * <p>Failures are reported by threads that other callers depend on. So nothing is thrown, and no monitor is taken.
 */
final class Breaker implements AutoCloseable {

    private static final int WINDOW = 10;
    private static final int MOST_FAILURES = 5;
    private static final int FIRST_PER_LONGEST = 16;

    private final String node;
    private final Breakers all;
    private final long probeNanos;
    private final ListenerNotifier notifier;
    private final AsyncLog log;
    private final TimerThread prober;
    private final LogThrottle probeFailures = new LogThrottle();
    // A bit for each, set for a failure; the last one is the lowest.
    private final AtomicInteger outcomes = new AtomicInteger();
    // How many more answers show that it was right to close this.
    private final AtomicInteger answersMissing = new AtomicInteger();
    private volatile long answeredNanos;
    // Not null while open: the last failure. What follows is confined to the thread that sets this, and then to the
    // probing thread.
    private final AtomicReference<@Nullable LimiterBackendException> openedBy = new AtomicReference<>();
    private final Set<String> problems = new HashSet<>();
    private long openedNanos;
    private long pauseNanos;

    /**
     * @param probeInterval longest pause between probes
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
        this.notifier = notifier;
        this.log = log;
        this.prober = new TimerThread(probers);
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
                    "the circuit breaker is open because of the last failures, and Redis is probed in the background",
                    cause);
        }
    }

    void answered(long nowNanos, boolean countedAsSuccess) {
        answeredNanos = nowNanos;
        if (!countedAsSuccess) {
            return;
        }
        if (outcomes.get() != 0) {
            count(0);
        }
        if (answersMissing.get() > 0) {
            answersMissing.decrementAndGet();
        }
    }

    void failed(LimiterBackendException failure) {
        if (openedBy.get() != null) {
            return;
        }
        count(1);
        if (isFailing()) {
            open(failure);
        } else {
            all.changed(failure);
        }
    }

    private void count(int outcome) {
        outcomes.updateAndGet(last -> (last << 1 | outcome) & ((1 << WINDOW) - 1));
    }

    private boolean isFailing() {
        return Integer.bitCount(outcomes.get()) >= MOST_FAILURES;
    }

    void open(LimiterBackendException failure) {
        // First: without a thread for the probe, an open breaker would never be closed again.
        prober.prestartCoreThread();
        if (!openedBy.compareAndSet(null, failure)) {
            return;
        }
        if (!isFailing()) {
            // The failure is older than a recovery.
            openedBy.set(null);
            return;
        }
        openedNanos = System.nanoTime();
        problems.clear();
        problems.add(failure.problem());
        if (answersMissing.get() <= 0) {
            pauseNanos = 0;
        }
        all.changed(failure);
        log.warn(
                "{} is unavailable: the circuit breaker is open and failure policies decide. It is probed at least"
                        + " every {} ms, and closes as soon as the backend answers.",
                node,
                TimeUnit.NANOSECONDS.toMillis(probeNanos),
                failure);
        LimiterBackendDownEvent event = LimiterBackendDownEvent.of(node, failure);
        notifier.publish(listener -> listener.onBackendDown(event));
        probeLater(failure.key());
    }

    private void probeLater(String key) {
        boolean scheduled = false;
        long pause = pauseNanos;
        // First: the probe may fail, and schedule the next one, before this thread goes on.
        pauseNanos = Math.min(Math.max(2 * pause, probeNanos / FIRST_PER_LONGEST), probeNanos);
        try {
            prober.schedule(() -> probe(key), pause, TimeUnit.NANOSECONDS);
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
            String probed = all.nodes().keyOn(node, key);
            while (probed != null && !answers(probed)) {
                probed = all.nodes().keyOn(node, probed);
            }
            // A node without keys is no more called than one that is available.
            recovered();
        } catch (LimiterBackendException e) {
            stillUnavailable(key, e);
        } catch (RuntimeException | Error e) {
            log.warn(
                    probeFailures,
                    "Probing the backend has failed unexpectedly, and is retried. The circuit breaker stays open.",
                    e);
            stillUnavailable(key, e);
        }
    }

    /**
     * @return {@code false} if the key has moved to another node, which has answered instead
     * @throws LimiterBackendException if no node answers
     */
    private boolean answers(String probed) {
        all.probe(probed);
        return node.equals(BackendState.ONLY_NODE) || all.nodes().isOn(node, probed);
    }

    private void stillUnavailable(String key, Throwable why) {
        if (why instanceof LimiterBackendException failure) {
            openedBy.set(failure);
            all.changed(failure);
            if (problems.add(failure.problem())) {
                log.warn("{} is still unavailable: {}", node, failure.getMessage());
            }
        }
        probeLater(key);
    }

    private void recovered() {
        outcomes.set(0);
        answersMissing.set(MOST_FAILURES);
        Duration downtime = Duration.ofNanos(System.nanoTime() - openedNanos);
        openedBy.set(null);
        all.changed(null);
        log.info("{} has recovered after {} ms. The circuit breaker is closed.", node, downtime.toMillis());
        LimiterBackendUpEvent event = LimiterBackendUpEvent.of(node, downtime);
        notifier.publish(listener -> listener.onBackendUp(event));
    }

    /** Stops probing. */
    @Override
    public void close() {
        prober.shutdown();
    }
}
