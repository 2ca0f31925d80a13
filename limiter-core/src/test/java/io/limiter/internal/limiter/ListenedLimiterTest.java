package io.limiter.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.LimiterListener;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.step.LimitStep;
import io.limiter.testing.SteppingEngine;
import io.limiter.testing.TestClock;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a listener costs the calls of its limiter. */
class ListenedLimiterTest {

    private final TestClock clock = new TestClock();

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void what_is_not_known_is_looked_up_once(int listeners) {
        Cache cache = new Cache(new SteppingEngine(clock::micros));
        EngineRateLimiter limiter =
                new EngineRateLimiter(new KeySpace("", "k", ""), TokenBucket.perSecond(1), Failover.none(cache), clock);
        List<LimiterListener> all = Collections.nCopies(listeners, new LimiterListener() {});
        limiter.bound()
                .setCounters(new LimiterCounters(
                        "", "k", EngineObserver.NONE, new ListenerNotifier(all), Ticker.systemTicker()));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.tryAcquire()).isFalse();
        assertThat(cache.lookups).isEqualTo(2);
    }

    /** Knows nothing. */
    private static final class Cache implements ImmediateEngine {

        private final Engine next;
        private int lookups;

        Cache(Engine next) {
            this.next = next;
        }

        @Override
        public Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
            lookups++;
            return Known.UNKNOWN;
        }

        @Override
        public Engine forUnknown() {
            return next;
        }

        @Override
        public void decide(Ask pending) {
            lookups++;
            next.decide(pending);
        }

        @Override
        public CompletableFuture<Void> reset(String key) {
            return next.reset(key);
        }
    }
}
