package io.limiter.internal.factory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.base.Ticker;
import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.BackendState;
import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.RateLimiter;
import io.limiter.Share;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.named.NamedLimit;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.LimiterCounters;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.BrokenLimit;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class EngineLimiterFactoryTest {

    private final LimiterFactory limiters = new LocalLimiterFactory();

    @Test
    void the_same_name_prefix_and_limit_are_the_same_limiter() {
        RateLimiter limiter = limiters.build("k", 1, 1, 60);
        assertThat(limiters.build("k", TokenBucket.of(1, 1))).isSameAs(limiter);
        assertThat(limiters.with(LimiterOptions.NONE.withPrefix("rateLimit:")).build("k", 1, 1, 60))
                .isSameAs(limiter);
        assertThat(limiters.build("k", 2, 1, 60)).isNotSameAs(limiter);
        assertThat(limiters.build("other", 1, 1, 60)).isNotSameAs(limiter);
        assertThat(limiters.with(LimiterOptions.NONE.withPrefix("other:")).build("k", 1, 1, 60))
                .isNotSameAs(limiter);
        assertThat(limiters.with(LimiterOptions.NONE.withPrefix("a").withPrefix("rateLimit:"))
                        .build("k", 1, 1, 60))
                .isSameAs(limiter);
        assertThat(limiters.build("k", FixedWindow.of(1, Duration.ofSeconds(1))))
                .isSameAs(limiters.build("k", FixedWindow.of(1, Duration.ofSeconds(1))));
    }

    @Test
    void prefetch_is_only_for_token_buckets_whose_callers_wait_for_their_own_permits() {
        LimiterFactory prefetching =
                limiters.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofSeconds(1))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> prefetching.build("guava", TokenBucket.guava(5)))
                .withMessageContaining("whoWaits CALLER, was NEXT_CALLER");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> prefetching.build("count", FixedWindow.of(5, Duration.ofSeconds(1))))
                .withMessageContaining("only with a token bucket, limit was FixedWindow");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> prefetching.build("concurrent", ConcurrencyLimit.of(5)))
                .withMessageContaining("only with a token bucket, limit was ConcurrencyLimit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters.with(LimiterOptions.NONE.withPrefetch(
                        Prefetch.of(Duration.ofSeconds(1)).withCallsPerSecond(0))))
                .withMessage("prefetch calls (per second) must be between 1 and 1000000, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters.with(LimiterOptions.NONE.withPrefetch(Prefetch.of(Duration.ofHours(2)))))
                .withMessage("prefetch time must be between PT0.01S and PT10S (ISO-8601), was PT2H");
        prefetching.build("k", TokenBucket.of(1, 1));
        limiters.build("k", TokenBucket.of(1, 1));
        assertThat(limiters.statistics().totals())
                .singleElement()
                .extracting(LimiterTotals::prefetch)
                .isEqualTo(Optional.of(Prefetch.of(Duration.ofSeconds(1))));
    }

    @Test
    void evicted_limiters_lose_no_permits() {
        LimiterFactory small =
                LocalLimiterFactory.builder().maxCachedLimiters(1).maxKeys(100).build();
        RateLimiter first = small.build("first", 1.0 / 60, 60, 60);
        assertThat(first.tryAcquire()).isTrue();
        for (int i = 0; i < 50; i++) {
            small.build("k" + i, 1, 1, 60);
        }
        assertThat(small.build("first", 1.0 / 60, 60, 60)).isNotSameAs(first);
        assertThat(small.build("first", 1.0 / 60, 60, 60).tryAcquire()).isFalse();
    }

    @Test
    void two_kinds_under_one_key_are_an_error_at_build() {
        LimiterFactory app = limiters.with(LimiterOptions.NONE.withPrefix("app:"));
        app.build("k", new BrokenLimit());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> app.with(LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY))
                        .build("k", TokenBucket.of(1, 1)))
                .withMessage(
                        "limiter 'k' cannot be a TokenBucket: another kind of limit, whose state is a Double, has its key"
                                + " app:{k}; give it another name or prefix, or its kind a keySuffix of its own");
        app.build("k", new BrokenLimit());
        app.build("other", TokenBucket.of(1, 1));
        limiters.with(LimiterOptions.NONE.withPrefix("")).build("k", TokenBucket.of(1, 1));
        app.build("k", FixedWindow.of(1, Duration.ofSeconds(1)));
        app.build("k", ConcurrencyLimit.of(1));
        app.build("k", SlidingLog.of(1, Duration.ofSeconds(1)));
        app.build("k", SlidingCounter.of(1, Duration.ofSeconds(1)));
    }

    @Test
    void a_plan_has_the_kind_of_its_limit() {
        LimiterFactory app = limiters.with(LimiterOptions.NONE.withPrefix("app:"));
        app.build("k", TokenBucket.perSecond(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> app.with(LimiterOptions.NONE.withPlan("pro"))
                        .build("k", SlidingLog.of(1, Duration.ofSeconds(1))))
                .withMessage(
                        "limiter 'k.pro' cannot be a SlidingLog: it takes the permits of 'k', which is of another kind,"
                                + " with the state RedisPermits; give a plan the kind of its limit, or another name or prefix");
        app.with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(2));
        assertThatIllegalArgumentException()
                .as("a limit of another kind than its plan")
                .isThrownBy(() -> app.build("k", FixedWindow.of(1, Duration.ofSeconds(1))))
                .withMessageContaining("limiter 'k' cannot be a FixedWindow");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters.with(LimiterOptions.NONE.withPlan(" ")))
                .withMessage("plan must not be blank, was ' '");
    }

    @Test
    void no_limiter_has_the_name_of_a_plan_of_another() {
        limiters.with(LimiterOptions.NONE.withPlan("pro")).build("k", TokenBucket.perSecond(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters.build("k.pro", TokenBucket.perSecond(1)))
                .withMessage(
                        "limiter 'k.pro' cannot take the permits of 'k.pro', because statistics and live limits know"
                                + " those of 'k' as 'k.pro': give the limiter or its plan another name");
        limiters.with(LimiterOptions.NONE.withPrefix("other:")).build("k.pro", TokenBucket.perSecond(1));
        limiters.build("s.free", TokenBucket.perSecond(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limiters.with(LimiterOptions.NONE.withPlan("free")).build("s", TokenBucket.perSecond(1)))
                .withMessageContaining("know those of 's.free' as 's.free'");
    }

    @Test
    void a_rate_that_was_set_outlives_its_limiter() throws Exception {
        LimiterFactory small =
                LocalLimiterFactory.builder().maxCachedLimiters(1).maxKeys(100).build();
        WeakReference<RateLimiter> forgotten = new WeakReference<>(small.build("k", 1, 1, 60));
        Objects.requireNonNull(forgotten.get()).setRate(5);
        RateLimiter kept = small.build("k", 1, 60, 60);
        for (int i = 0; forgotten.get() != null; i++) {
            small.build("other" + i, 1, 1, 60);
            System.gc();
        }
        assertThat(small.build("k", 1, 1, 60).getRate()).isEqualTo(5);
        assertThat(small.with(LimiterOptions.NONE.withPrefix("other:"))
                        .build("k", 1, 1, 60)
                        .getRate())
                .isEqualTo(1);
        small.build("k", 1, 1, 60).setRate(6);
        assertThat(kept.getRate()).as("one that is no longer in the cache").isEqualTo(6);
    }

    @Test
    void a_rate_that_one_limiter_of_two_does_not_allow_applies_to_the_other_and_is_logged() {
        RateLimiter roomy = limiters.build("k", 1, 60, 60);
        RateLimiter tight = limiters.build("k", 1, 1, 60);
        assertThatIllegalArgumentException().isThrownBy(() -> tight.setRate(0.1));
        assertThat(roomy.getRate()).isEqualTo(1);
        List<ILoggingEvent> logged = logged(NamedLimit.class, () -> roomy.setRate(0.1));
        assertThat(roomy.getRate()).isEqualTo(0.1);
        assertThat(tight.getRate()).isEqualTo(1);
        assertThat(logged)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains("'k'", "keeps its rate of 1.0/s", "capacity must be at least 1 permit"));
    }

    @Test
    void a_known_limiter_is_returned_while_another_is_built() throws Exception {
        CountDownLatch building = new CountDownLatch(1);
        CountDownLatch looked = new CountDownLatch(1);
        LimiterFactory factory = new SlowFactory("slow", building, looked).view();
        // Enough that some are in the same part of the cache as the one that is being built.
        List<String> names = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();
        names.forEach(name -> factory.build(name, 1, 1, 60));
        Thread builder = new Thread(() -> factory.build("slow", 1, 1, 60));
        builder.start();
        try {
            assertThat(building.await(10, TimeUnit.SECONDS)).isTrue();
            assertTimeoutPreemptively(
                    Duration.ofSeconds(10), () -> names.forEach(name -> factory.build(name, 1, 1, 60)));
        } finally {
            looked.countDown();
            builder.join();
        }
    }

    @Test
    void a_limiter_has_a_readable_text() {
        assertThat(limiters.build("sms", 1, 1, 60).name()).isEqualTo("sms");
        assertThat(limiters.build("sms", 1, 1, 60)).hasToString("RateLimiter[sms, " + TokenBucket.of(1, 1) + "]");
    }

    @Test
    void a_large_log_logs_one_warning() {
        List<ILoggingEvent> logged = logged(EngineLimiterFactory.class, () -> {
            limiters.build("moderate", SlidingLog.of(1000, Duration.ofSeconds(1)));
            limiters.build("counter", SlidingCounter.of(100_000, Duration.ofSeconds(1)));
            limiters.build("large-log", SlidingLog.of(1001, Duration.ofSeconds(1)));
            limiters.build("large-log", SlidingLog.of(1001, Duration.ofSeconds(1)));
        });
        assertThat(logged).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getFormattedMessage()).contains("'large-log'", "1001", "SlidingCounter");
        });
    }

    @Test
    void a_number_that_may_be_a_key_logs_one_warning() {
        long userId = 4711;
        Duration second = Duration.ofSeconds(1);
        List<Consumer<Limiter>> requests = List.of(
                limiter -> limiter.tryAcquire(userId),
                limiter -> limiter.decide(userId),
                limiter -> limiter.reserve(userId),
                limiter -> limiter.tryAcquire(userId, second),
                limiter -> limiter.on("key").tryAcquire(userId),
                limiter -> limiter.async().tryAcquire(userId).join(),
                limiter -> limiter.async().decide(userId, second).join(),
                limiter -> LimitSet.of(limiter.on("key")).decide(userId),
                limiter -> LimitSet.of(limiter, 2).async().decide(userId / 2).join());
        TokenBucket bucket = TokenBucket.perSecond(1).withCapacity(10).withMaxWait(second);
        for (Limit limit : List.of(bucket, FixedWindow.of(10, Duration.ofHours(1)))) {
            for (int i = 0; i < requests.size(); i++) {
                Consumer<Limiter> request = requests.get(i);
                String name = limit.getClass().getSimpleName() + " asked in way " + i;
                assertThat(warnings(name, () -> {
                            Limiter limiter = limiters.build(name, limit);
                            limiter.tryAcquire(10);
                            limiter.tryAcquire(10);
                            limiter.on("key").tryAcquire(11 - 1);
                            request.accept(limiter);
                            request.accept(limiter);
                            limiter.tryAcquire(11);
                        }))
                        .singleElement()
                        .asString()
                        .startsWith("'" + name + "' was asked for 47")
                        .containsPattern(
                                "asked for (471[01]) of at most 10 permits; if \\1 is a key, write on\\(\"\\1\"\\)\\.");
            }
        }
        assertThat(warnings("leases", () -> {
                    ConcurrencyLimiter leases = limiters.build("leases", ConcurrencyLimit.of(10));
                    assertThat(leases.tryAcquire(10, Duration.ZERO)).isPresent();
                    assertThat(leases.tryAcquire(10, Duration.ZERO)).isEmpty();
                    leases.tryAcquire(userId, Duration.ZERO);
                    leases.tryAcquire(userId, second);
                }))
                .singleElement()
                .asString()
                .contains("asked for 4711 of at most 10 permits");
        assertThat(warnings("left", () -> {
                    Limiter low = limiters.with(LimiterOptions.NONE.withLeave(Share.permits(2)))
                            .build("left", FixedWindow.of(10, Duration.ofHours(1)));
                    low.tryAcquireUpTo(9);
                    low.tryAcquire(8);
                    low.tryAcquire(9);
                    low.on("key").decide(9);
                }))
                .singleElement()
                .asString()
                .startsWith(
                        "'left' was asked for 9 permits, and has at most 8 for a caller that leaves 2 of its 10 to others.");
    }

    private static List<String> warnings(String name, Runnable action) {
        return logged(LimiterCounters.class, action).stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("'" + name + "'"))
                .toList();
    }

    @Test
    void a_cache_of_no_limiters_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LocalLimiterFactory.builder().maxCachedLimiters(0))
                .withMessage("maxCachedLimiters must be at least 1, was 0");
    }

    private static List<ILoggingEvent> logged(Class<?> by, Runnable action) {
        Logger logger = (Logger) LoggerFactory.getLogger(by);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        // What tests before this one have logged.
        AsyncLog.flush(Duration.ofMinutes(1));
        logger.addAppender(appender);
        logger.setAdditive(false);
        try {
            action.run();
        } finally {
            AsyncLog.flush(Duration.ofMinutes(1));
            logger.setAdditive(true);
            logger.detachAppender(appender);
        }
        return appender.list;
    }

    private static final class SlowFactory extends EngineLimiterFactory {

        private final LimiterFactory limiters = new LocalLimiterFactory();
        private final String slow;
        private final CountDownLatch building;
        private final CountDownLatch until;

        SlowFactory(String slow, CountDownLatch building, CountDownLatch until) {
            super(
                    EngineLimiterFactory.DEFAULT_MAX_CACHED,
                    "",
                    FailurePolicy.THROW,
                    EngineObserver.NONE,
                    ListenerNotifier.NONE,
                    Ticker.systemTicker());
            this.slow = slow;
            this.building = building;
            this.until = until;
        }

        @Override
        public void close() {
            limiters.close();
        }

        @Override
        public BackendState backendState() {
            return BackendState.of(true, Instant.EPOCH, null);
        }

        @Override
        public Ticker ticker() {
            return Ticker.systemTicker();
        }

        @Override
        protected RateLimiter newRateLimiter(
                KeySpace keys, TokenBucket limit, FailurePolicy policy, @Nullable Prefetch prefetch) {
            if (keys.name().equals(slow)) {
                building.countDown();
                Uninterruptibles.awaitUninterruptibly(until);
            }
            return limiters.build(keys.name(), limit);
        }

        @Override
        protected Limiter newLimiter(KeySpace keys, Limit limit, FailurePolicy policy) {
            return limiters.build(keys.name(), limit);
        }

        @Override
        protected ConcurrencyLimiter newConcurrencyLimiter(
                KeySpace keys, ConcurrencyLimit limit, FailurePolicy policy) {
            return limiters.build(keys.name(), limit);
        }
    }
}
