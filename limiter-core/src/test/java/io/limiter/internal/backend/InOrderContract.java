package io.limiter.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Decisions;
import io.limiter.testing.FutureBackend;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The late cancellations of a sequentially decided set grant no permit twice, on every backend. */
public abstract class InOrderContract {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final SlidingLog ONE = SlidingLog.of(1, TEN_SECONDS);

    /** The backend under test. */
    protected abstract Backend backend();

    /** The clock of the backend. */
    protected abstract TestClock clock();

    /** A key of this test's own. */
    protected abstract String key(String name);

    @Test
    void a_late_cancellation_returns_nothing_to_the_next_window() {
        FixedWindow window = FixedWindow.of(3, TEN_SECONDS);
        Runnable others = () -> {
            clock().advance(TEN_SECONDS);
            assertThat(take(window, 2).isGranted()).isTrue();
        };
        rejectedBeside(window, 2, others);
        assertThat(remaining(window)).isEqualTo(1);
    }

    @Test
    void a_cancellation_returns_permits_to_the_same_window() {
        FixedWindow window = FixedWindow.of(3, TEN_SECONDS);
        Runnable others = () -> {
            clock().advance(TEN_SECONDS.dividedBy(2));
            assertThat(take(window, 1).isGranted()).isTrue();
        };
        rejectedBeside(window, 2, others);
        assertThat(remaining(window)).isEqualTo(2);
    }

    @Test
    void a_cancellation_removes_only_its_own_entries_from_a_log() {
        SlidingLog log = SlidingLog.of(3, TEN_SECONDS);
        Runnable others = () -> {
            clock().advance(Duration.ofSeconds(1));
            assertThat(take(log, 2).isGranted()).isTrue();
        };
        rejectedBeside(log, 1, others);
        assertThat(remaining(log)).isEqualTo(1);
        clock().advance(Duration.ofSeconds(9));
        assertThat(remaining(log)).isEqualTo(1);
        clock().advance(Duration.ofSeconds(1));
        assertThat(remaining(log)).isEqualTo(3);
    }

    @Test
    void a_cancellation_reduces_only_its_own_window_of_a_counter() {
        SlidingCounter counter = SlidingCounter.of(10, TEN_SECONDS);
        Runnable others = () -> {
            clock().advance(TEN_SECONDS);
            assertThat(take(counter, 2).isGranted()).isTrue();
        };
        rejectedBeside(counter, 5, others);
        assertThat(remaining(counter)).isEqualTo(8);
        clock().advance(TEN_SECONDS);
        assertThat(remaining(counter)).as("they fade only now").isLessThan(10);
    }

    /**
     * Decides a set of the limit and of one whose permit is taken; runs the action before the grant is cancelled.
     */
    private void rejectedBeside(LimitStep<?> limit, long permits, Runnable meanwhile) {
        assertThat(Decisions.decideIn(backend(), key("{full}:log"), ONE, Request.take(1, 0))
                        .isGranted())
                .isTrue();
        Backend inOrder = new InOrder(backend(), meanwhile);
        assertThat(Decisions.decideSetIn(
                        inOrder,
                        List.of(part(key("{k}" + limit.keySuffix()), limit, permits), part(key("{full}:log"), ONE, 1))))
                .last()
                .matches(rejection -> !rejection.isGranted());
    }

    private static <S> KeyRequests<S> part(String key, LimitStep<S> limit, long permits) {
        return KeyRequests.of(key, limit, Request.take(permits, 0));
    }

    private Verdict take(LimitStep<?> limit, long permits) {
        return Decisions.decideIn(backend(), key("{k}" + limit.keySuffix()), limit, Request.take(permits, 0));
    }

    private long remaining(LimitStep<?> limit) {
        return Decisions.decideIn(backend(), key("{k}" + limit.keySuffix()), limit, Request.peek(1, 0))
                .remaining();
    }

    /** Decides sets in order, even if the backend need not. */
    private record InOrder(Backend backend, Runnable beforeCancelling) implements FutureBackend {

        @Override
        public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
            // Elsewhere, because the action waits for Redis, whose client's thread this may be.
            return batch.get(0).requests().get(0).action() == Request.Action.REFUND
                    ? CompletableFuture.runAsync(beforeCancelling).thenCompose(done -> backend.start(batch, send))
                    : backend.start(batch, send);
        }

        @Override
        public boolean blocks() {
            return backend.blocks();
        }

        @Override
        public void delete(String key) {
            backend.delete(key);
        }
    }
}
