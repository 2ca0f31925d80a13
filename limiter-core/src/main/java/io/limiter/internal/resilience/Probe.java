package io.limiter.internal.resilience;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks Redis for nothing but an answer: looks at keys that nobody writes. */
public final class Probe {

    private static final Logger log = LoggerFactory.getLogger(Probe.class);

    public static final String KEY = KeySpace.PROBE + "{limiter}";

    private static final int WARM_UP_TRIES = 5;
    // One less than what opens the breaker.
    private static final int DECISIONS_AHEAD = 4;
    private static final int FAST_PER_BUDGET = 10;
    private static final Request PEEK = new Request(1, 0, true);
    private static final TokenBucket CHEAPEST = TokenBucket.of(1, 1);
    private static final List<Limit<?>> OF_EVERY_SCRIPT = List.of(
            CHEAPEST,
            FixedWindow.of(1, Duration.ofSeconds(1)),
            SlidingLog.of(1, Duration.ofSeconds(1)),
            SlidingCounter.of(1, Duration.ofSeconds(1)),
            ConcurrencyLimit.of(1));

    private final Engine engine;

    /**
     * @param engine that no breaker keeps from asking
     */
    public Probe(Engine engine) {
        this.engine = engine;
    }

    /**
     * Asks in the slot of this key.
     *
     * @throws LimiterBackendException if there is no answer
     */
    public void ask(String key) {
        int brace = Math.max(0, key.indexOf('{'));
        int end = key.indexOf('}', brace) + 1;
        String probed = end == 0 ? KEY : KeySpace.PROBE + key.substring(brace, end);
        engine.decide(List.of(look(probed, CHEAPEST))).get(0).decisions();
    }

    /**
     * Connects, has Redis load the scripts, and then decides until that is fast: a JVM loads many classes for its first
     * decisions.
     *
     * @param limiting decides for limiters
     * @param budget how long it has for that
     * @return whether Redis has answered; if not, that is logged
     */
    public boolean warmUp(Engine limiting, Duration budget) {
        return scriptsLoaded() && decided(limiting, budget.toNanos() / FAST_PER_BUDGET);
    }

    private static boolean decided(Engine limiting, long fastNanos) {
        for (int i = 0; i < DECISIONS_AHEAD; i++) {
            long start = System.nanoTime();
            try {
                limiting.decide(KEY, CHEAPEST, PEEK);
            } catch (LimiterBackendException e) {
                log.debug("A decision ahead has failed.", e);
                continue;
            }
            if (System.nanoTime() - start < fastNanos) {
                break;
            }
        }
        return true;
    }

    private boolean scriptsLoaded() {
        List<KeyRequests<?>> looks = OF_EVERY_SCRIPT.stream()
                .<KeyRequests<?>>map(limit -> look(KEY + ":" + limit.getClass().getSimpleName(), limit))
                .toList();
        LimiterBackendException failure = null;
        // What is slow at first, and gives up, is faster the next time.
        for (int i = 0; i < WARM_UP_TRIES; i++) {
            failure = firstFailure(looks);
            if (failure == null) {
                return true;
            }
        }
        log.warn("Redis could not be reached ahead; the failure policy decides until it can be.", failure);
        return false;
    }

    /** One after the other, because each can have to wait for a connection that nobody accepts. */
    private @Nullable LimiterBackendException firstFailure(List<KeyRequests<?>> looks) {
        return looks.stream()
                .map(look -> engine.decide(List.of(look)).get(0).failure())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static KeyRequests<?> look(String key, Limit<?> limit) {
        return new KeyRequests<>(key, limit, List.of(PEEK));
    }
}
