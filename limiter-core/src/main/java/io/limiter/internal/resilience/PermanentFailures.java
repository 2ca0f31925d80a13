package io.limiter.internal.resilience;

import com.google.common.base.Ticker;
import io.limiter.FailingLimiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterRecoveredEvent;
import io.limiter.LimiterTotals;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.statistics.ListenerNotifier;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limiters with permanent failures, which last until an operator acts. A limiter fails from its first permanent
 * failure until all keys that failed are decided again; a key without requests for a minute no longer counts once
 * another key of the limiter is decided. Failures are logged and reported to listeners, once a minute at most for
 * each limiter. So are requests that found a full queue, until there was none for a minute; the log has them from the failure policy.
 *
 * <p>Bounded: further than {@value #MAX_LIMITERS} limiters share one entry, and of each the last {@value #MAX_KEYS}
 * failed keys count. While no limiter fails, a decision costs one read.
 */
final class PermanentFailures {

    /** In place of the key of a request that found a full queue, which other requests for the key do not end. */
    private static final String QUEUE = "";

    static final int MAX_LIMITERS = 100;
    static final int MAX_KEYS = 16;

    private static final AsyncLog log = AsyncLog.of(PermanentFailures.class);

    private static final long FORGOTTEN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<String, Failing> limiters = new ConcurrentHashMap<>();
    private final AtomicInteger failing = new AtomicInteger();
    private final ListenerNotifier notifier;
    private final Ticker ticker;

    /**
     * @param notifier notifies listeners
     */
    PermanentFailures(ListenerNotifier notifier, Ticker ticker) {
        this.notifier = notifier;
        this.ticker = ticker;
    }

    void failed(LimiterBackendException failure) {
        if (failure.key().startsWith(KeySpace.PROBE)) {
            return;
        }
        String name = KeySpace.limiterOf(failure.key());
        boolean recorded;
        do {
            recorded = of(name).failed(failure, ticker.read());
        } while (!recorded);
    }

    void decided(String key) {
        if (failing.get() == 0) {
            return;
        }
        String name = KeySpace.limiterOf(key);
        Failing limiter = limiters.getOrDefault(name, limiters.get(LimiterTotals.OTHER));
        if (limiter != null) {
            limiter.decided(key, ticker.read());
        }
    }

    /** The limiters that are failing now. */
    List<FailingLimiter> all() {
        return limiters.values().stream()
                .map(Failing::now)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(FailingLimiter::limiter))
                .toList();
    }

    private Failing of(String name) {
        Failing known = limiters.get(name);
        if (known != null) {
            return known;
        }
        if (limiters.size() >= MAX_LIMITERS) {
            // Only those that have recovered make room.
            limiters.values().removeIf(Failing::end);
        }
        String counted = limiters.size() < MAX_LIMITERS ? name : LimiterTotals.OTHER;
        return limiters.computeIfAbsent(counted, Failing::new);
    }

    /** A limiter that fails, or has failed. */
    private final class Failing {

        private final String limiter;
        private final LogThrottle logged = new LogThrottle(ticker);
        // Guarded by this object's monitor, as all that follows. Failed keys and when each failed last.
        private final Map<String, Long> keys = new HashMap<>();
        private @Nullable FailingLimiter state;
        private boolean notified;
        private long lookedNanos;
        private boolean ended;

        Failing(String limiter) {
            this.limiter = limiter;
        }

        synchronized Optional<FailingLimiter> now() {
            return Optional.ofNullable(state);
        }

        /** Ends this unless its limiter fails now. */
        synchronized boolean end() {
            ended |= state == null;
            return ended;
        }

        /**
         * @return {@code false} if this has ended
         */
        synchronized boolean failed(LimiterBackendException failure, long nowNanos) {
            if (ended) {
                return false;
            }
            String key = BackendFailures.isQueueFull(failure) ? QUEUE : failure.key();
            if (keys.size() >= MAX_KEYS && !keys.containsKey(key)) {
                keys.entrySet().stream()
                        .min(Map.Entry.comparingByValue())
                        .ifPresent(oldest -> keys.remove(oldest.getKey()));
            }
            keys.put(key, nowNanos);
            FailingLimiter before = state;
            if (before == null) {
                failing.incrementAndGet();
            }
            FailingLimiter now = FailingLimiter.of(limiter, before == null ? Instant.now() : before.since(), failure);
            state = now;
            long unsaid = logged.suppressed(1);
            if (unsaid == LogThrottle.NOT_NOW) {
                return true;
            }
            if (failure.kind() == Kind.PERMANENT) {
                log(now, unsaid);
            }
            if (!notified) {
                notified = true;
                notifier.publish(listener -> listener.onLimiterFailing(LimiterFailingEvent.of(now)));
            }
            return true;
        }

        synchronized void decided(String key, long nowNanos) {
            FailingLimiter before = state;
            if (before == null || (keys.remove(key) == null && nowNanos - lookedNanos < LOOK_NANOS)) {
                return;
            }
            lookedNanos = nowNanos;
            keys.values().removeIf(failedNanos -> nowNanos - failedNanos >= FORGOTTEN_NANOS);
            if (!keys.isEmpty()) {
                return;
            }
            state = null;
            failing.decrementAndGet();
            if (notified) {
                notified = false;
                log.info("Limiter {}, which has failed since {}, has recovered.", limiter, before.since());
                notifier.publish(listener -> listener.onLimiterRecovered(LimiterRecoveredEvent.of(before)));
            }
        }
    }

    private static void log(FailingLimiter failing, long unsaid) {
        LimiterBackendException failure = failing.failure();
        log.error(
                "Limiter {} has been failing since {}, and its failure policy decides: {} ({} more failures since the last line; one line"
                        + " a minute at most)",
                failing.limiter(),
                failing.since(),
                failure.getMessage(),
                unsaid,
                // Where the remedy is known, the stack trace adds nothing.
                failure.remedy().isPresent() ? null : failure);
    }
}
