package io.limiter.internal.engine;

import static io.limiter.testing.Expected.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.testing.HandEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("threads")
class AskTest {

    private static final LimiterBackendException FAILURE =
            new LimiterBackendException(Kind.RETRYABLE, "loading", "k", "Redis is loading", null, null);

    private static final Outcome GRANTED = outcome(true, 1, 0, 0, 0, 0);
    private static final Outcome INSTEAD = outcome(false, 1, 0, 0, 1, 1);

    @Test
    void counts_failures_up_to_as_many_as_a_byte_holds() {
        Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), null);
        for (int i = 0; i < 1_000; i++) {
            assertThat(pending.failedOnce(FAILURE)).isEqualTo(Math.min(i, Byte.MAX_VALUE));
        }
        assertThat(pending.lastFailure()).isSameAs(FAILURE);
    }

    @Test
    void a_thread_that_waits_runs_the_fallback_itself() {
        AtomicReference<Thread> ran = new AtomicReference<>();
        Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), (failure, same) -> {
            ran.set(Thread.currentThread());
            return GRANTED;
        });
        pending.beforeParking(same -> same.fail(FAILURE, task -> new Thread(task).start()));
        assertThat(pending.await()).isSameAs(GRANTED);
        assertThat(ran).hasValue(Thread.currentThread());
    }

    @Test
    void an_answer_after_a_completion_from_outside_is_returned() {
        Returning fallback = new Returning();
        Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), fallback);
        assertThat(pending.markSent()).isTrue();
        pending.orTimeout(0, TimeUnit.NANOSECONDS).exceptionally(e -> INSTEAD).join();
        assertThat(pending.answer(GRANTED)).isFalse();
        assertThat(fallback.returned).containsExactly(GRANTED);
    }

    @Test
    void an_answer_after_the_one_of_the_fallback_is_spent() {
        Returning fallback = new Returning();
        Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), fallback);
        pending.fail(FAILURE, Runnable::run);
        assertThat(pending).isCompletedWithValue(INSTEAD);
        assertThat(pending.answer(GRANTED)).isFalse();
        assertThat(fallback.returned).isEmpty();
    }

    @Test
    void an_answer_of_the_fallback_that_comes_too_late_is_returned() {
        for (Consumer<Ask> first :
                List.<Consumer<Ask>>of(pending -> pending.cancel(false), pending -> pending.answer(GRANTED))) {
            Returning fallback = new Returning();
            Ask pending = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), fallback);
            List<Runnable> outside = new ArrayList<>();
            pending.fail(FAILURE, outside::add);
            first.accept(pending);
            outside.forEach(Runnable::run);
            assertThat(fallback.returned).containsExactly(INSTEAD);
        }
    }

    @Test
    void what_is_given_up_is_cancelled_or_returned() {
        Returning fallback = new Returning();
        Ask waiting = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), fallback);
        waiting.giveUp();
        assertThat(waiting.markSent()).isFalse();
        assertThat(waiting).isCancelled();
        assertThat(fallback.returned).isEmpty();
        Ask answered = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), fallback);
        answered.answer(GRANTED);
        answered.giveUp();
        assertThat(fallback.returned).containsExactly(GRANTED);
        Ask failed = new Ask("k", HandEngine.LIMIT, HandEngine.request(1), null);
        failed.fail(FAILURE, Runnable::run);
        failed.giveUp();
        assertThat(failed).isCompletedExceptionally();
    }

    private static final class Returning implements Fallback {

        private final List<Outcome> returned = new ArrayList<>();

        @Override
        public Outcome answer(LimiterBackendException failure, Ask pending) {
            return INSTEAD;
        }

        @Override
        public CompletableFuture<?> returnUnused(Outcome answer, Ask pending) {
            returned.add(answer);
            return CompletableFuture.completedFuture(null);
        }
    }
}
