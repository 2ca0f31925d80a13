package io.limiter.internal.local;

import static io.limiter.testing.Decisions.decide;
import static io.limiter.testing.Decisions.decideSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ServerTime;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import io.limiter.testing.Expected;
import io.limiter.testing.Seed;
import io.limiter.testing.StepHook;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many keys the local engine holds, and which it evicts. */
class LocalEvictionTest {

    private static final TokenBucket ONE_A_SECOND = TokenBucket.of(1, 1);
    private static final TokenBucket HOUR = TokenBucket.of(1.0 / 3600, 3600);
    private static final FixedWindow ONCE_A_DAY = FixedWindow.of(1, Duration.ofDays(1));
    private static final Request ONE = Request.take(1, 0);

    private final TestClock clock = new TestClock();
    private final LocalEngine engine = new LocalEngine(100, new ServerTime(clock, clock.micros()));

    @Test
    void holds_at_most_the_maximum_number_of_keys() {
        for (int i = 0; i < 10_000; i++) {
            decide(engine, "key" + i, ONE_A_SECOND, ONE);
            assertThat(engine.size()).isLessThanOrEqualTo(100);
            engine.decide("burst" + i, ONE_A_SECOND, ONE);
            assertThat(engine.size()).isLessThanOrEqualTo(100);
        }
    }

    private static List<Arguments> kept() {
        return List.of(
                Arguments.of("full again later", HOUR, ONE_A_SECOND),
                Arguments.of("full again later, expires sooner", HOUR, TokenBucket.guava(1)),
                Arguments.of("never full again", new ForEver(), ONE_A_SECOND));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kept")
    void the_key_that_is_full_again_soonest_is_evicted(String why, LimitStep<?> kept, TokenBucket evicted) {
        decide(engine, "kept", kept, ONE);
        for (int i = 0; i < 1000; i++) {
            decide(engine, "key" + i, evicted, ONE);
        }
        assertThat(decide(engine, "kept", kept, ONE).isGranted()).as(why).isFalse();
    }

    @Test
    void never_evicts_leases() {
        ConcurrencyLimit one = ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(1));
        decide(engine, "held", one, Request.hold(1, 1));
        for (int i = 0; i < 1000; i++) {
            decide(engine, "key" + i, HOUR, ONE);
        }
        assertThat(decide(engine, "held", one, Request.hold(2, 1)).isGranted()).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(decide(engine, "held", one, Request.hold(2, 1)).isGranted()).isTrue();
    }

    @Test
    void evicts_expired_keys_first() {
        LocalEngine engine = new LocalEngine(100, new ServerTime(clock, clock.micros()), Seed.random()::nextInt);
        for (int i = 0; i < 100; i++) {
            decide(engine, "old" + i, ONE_A_SECOND, ONE);
        }
        clock.advance(Duration.ofMinutes(2));
        for (int i = 0; i < 50; i++) {
            decide(engine, "new" + i, ONE_A_SECOND, ONE);
        }
        for (int i = 0; i < 50; i++) {
            assertThat(decide(engine, "new" + i, ONE_A_SECOND, ONE).isGranted())
                    .as(Seed.hint() + i)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 20_000})
    void a_new_key_inspects_as_many_keys_however_many_are_held(int maxKeys) {
        Random random = Seed.random();
        AtomicInteger inspected = new AtomicInteger();
        LocalEngine engine = new LocalEngine(maxKeys, new ServerTime(clock, clock.micros()), bound -> {
            inspected.incrementAndGet();
            return random.nextInt(bound);
        });
        for (int i = 0; i < maxKeys; i++) {
            decide(engine, "key" + i, ONE_A_SECOND, ONE);
        }
        assertThat(inspected).hasValue(0);
        for (int i = 0; i < 1_000; i++) {
            inspected.set(0);
            decide(engine, "new" + i, ONE_A_SECOND, ONE);
            assertThat(inspected).hasValue(KeyStates.INSPECTED);
            decide(engine, "new" + i, ONE_A_SECOND, ONE);
            assertThat(engine.size()).isLessThanOrEqualTo(maxKeys);
        }
    }

    @Test
    void leases_that_fill_the_map_leave_room_for_few_other_keys() {
        LocalEngine engine = new LocalEngine(100, new ServerTime(clock, clock.micros()), Seed.random()::nextInt);
        ConcurrencyLimit one = ConcurrencyLimit.of(1).withLeaseTime(Duration.ofDays(1));
        for (int i = 0; i < 200; i++) {
            decide(engine, "held" + i, one, Request.hold(1, 1));
        }
        for (int i = 0; i < 5_000; i++) {
            decide(engine, "key" + i, ONE_A_SECOND, ONE);
            assertThat(engine.size()).as(Seed.hint()).isLessThan(300);
        }
        for (int i = 0; i < 200; i++) {
            assertThat(decide(engine, "held" + i, one, Request.hold(2, 1)).isGranted())
                    .isFalse();
        }
    }

    @Test
    void if_leases_fill_the_map_only_new_keys_cost_evictions() {
        AtomicInteger inspected = new AtomicInteger();
        LocalEngine engine = new LocalEngine(10, new ServerTime(clock, clock.micros()), bound -> {
            inspected.incrementAndGet();
            return 0;
        });
        ConcurrencyLimit two = ConcurrencyLimit.of(2).withLeaseTime(Duration.ofDays(1));
        for (int i = 0; i < 20; i++) {
            decide(engine, "held" + i, two, Request.hold(1, 1));
        }
        decide(engine, "a", ONE_A_SECOND, ONE);
        decide(engine, "b", ONE_A_SECOND, ONE);
        inspected.set(0);
        for (int i = 0; i < 20; i++) {
            assertThat(decide(engine, "held" + i, two, Request.hold(2, 1)).isGranted())
                    .isTrue();
            decide(engine, "a", ONE_A_SECOND, ONE);
            decide(engine, "new", ONE_A_SECOND, Request.peek(1, 0));
            decideSet(engine, List.of(KeyRequests.of("a", ONE_A_SECOND, ONE), KeyRequests.of("b", ONE_A_SECOND, ONE)));
        }
        assertThat(inspected).hasValue(0);
        decideSet(engine, List.of(KeyRequests.of("c", ONE_A_SECOND, ONE), KeyRequests.of("d", ONE_A_SECOND, ONE)));
        // For each of the new keys, as all that are drawn are leases.
        assertThat(inspected).hasValue(2 * KeyStates.EVICTIONS * KeyStates.INSPECTED);
    }

    @Test
    void rejections_and_peeks_hold_no_key() {
        decide(engine, "a", ONE_A_SECOND, Request.peek(1, 0));
        decide(engine, "b", ONE_A_SECOND, Request.take(2, 0));
        assertThat(engine.size()).isZero();
    }

    @Test
    void a_set_may_have_more_keys_than_the_maximum() {
        LocalEngine engine = new LocalEngine(1, new ServerTime(clock, clock.micros()));
        List<KeyRequests<?>> parts =
                List.of(KeyRequests.of("a", ONE_A_SECOND, ONE), KeyRequests.of("b", ONE_A_SECOND, ONE));
        assertThat(decideSet(engine, parts)).allMatch(Outcome::isGranted);
        assertThat(engine.size()).isLessThanOrEqualTo(1);
    }

    @Test
    void a_key_is_not_evicted_while_a_set_is_decided() {
        // Draws one after the other, so that each key is compared: one time in 256 chance would leave one out.
        AtomicInteger drawn = new AtomicInteger();
        LocalEngine engine = new LocalEngine(
                1, new ServerTime(clock, clock.micros()), bound -> Math.floorMod(drawn.getAndIncrement(), bound));
        LimitStep<?> full = new StepHook<>(
                ONCE_A_DAY,
                () -> {
                    for (int i = 0; i < 100; i++) {
                        decide(engine, "other" + i, ONE_A_SECOND, ONE);
                    }
                },
                Integer.MAX_VALUE);
        decideSet(engine, List.of(KeyRequests.of("a", full, ONE)));
        engine.reset("other99");
        assertThat(decide(engine, "a", full, ONE).isGranted()).isFalse();
    }

    @Test
    void eviction_sees_what_tryAcquire_has_taken() {
        TokenBucket hour = TokenBucket.perSecond(1).withCapacity(3600);
        decide(engine, "tried", hour, ONE);
        assertThat(engine.tryAcquire("tried", hour, 3599, 0)).isEqualTo(ImmediateEngine.Known.GRANTED);
        for (int i = 0; i < 1000; i++) {
            decide(engine, "key" + i, hour, Request.take(60, 0));
        }
        assertThat(engine.tryAcquire("tried", hour, 1, 0)).isEqualTo(ImmediateEngine.Known.REJECTED);
    }

    /** A window whose full-after is never. */
    private static final class ForEver extends StepHook<FixedWindow.State> {

        ForEver() {
            super(ONCE_A_DAY, () -> {}, 0);
        }

        @Override
        public Step<FixedWindow.State> step(FixedWindow.@Nullable State state, long nowMicros, Request request) {
            Step<FixedWindow.State> step = super.step(state, nowMicros, request);
            Verdict verdict = step.verdict();
            return Step.of(
                    step.state(),
                    Expected.verdict(
                            verdict.isGranted(),
                            verdict.limit(),
                            verdict.remaining(),
                            verdict.waitMicros(),
                            verdict.retryAfterMicros(),
                            Verdict.NEVER_MICROS));
        }
    }
}
