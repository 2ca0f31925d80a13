package io.limiter.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PendingTest {

    private static final LimiterBackendException FAILURE =
            new LimiterBackendException(Kind.RETRYABLE, "loading", "k", "Redis is loading", null, null);

    @Test
    void counts_failures_up_to_as_many_as_a_byte_holds() {
        Pending<String> pending = new Pending<>("k", null);
        for (int i = 0; i < 1_000; i++) {
            assertThat(pending.failedOnce(FAILURE)).isEqualTo(Math.min(i, Byte.MAX_VALUE));
        }
        assertThat(pending.lastFailure()).isSameAs(FAILURE);
    }

    @Test
    void a_thread_that_waits_runs_the_fallback_itself() {
        Pending<Thread> pending = new Pending<>("k", (failure, same) -> Thread.currentThread());
        pending.beforeParking(same -> same.fail(FAILURE, task -> new Thread(task).start()));
        assertThat(pending.await()).isSameAs(Thread.currentThread());
    }

    @Test
    void an_answer_after_a_completion_from_outside_is_returned() {
        Returning fallback = new Returning();
        Pending<String> pending = new Pending<>("k", fallback);
        assertThat(pending.markSent()).isTrue();
        pending.orTimeout(0, TimeUnit.NANOSECONDS).exceptionally(e -> "").join();
        assertThat(pending.answer("granted")).isFalse();
        assertThat(fallback.returned).containsExactly("granted");
    }

    @Test
    void an_answer_after_the_one_of_the_fallback_is_spent() {
        Returning fallback = new Returning();
        Pending<String> pending = new Pending<>("k", fallback);
        pending.fail(FAILURE, Runnable::run);
        assertThat(pending).isCompletedWithValue("instead");
        assertThat(pending.answer("granted")).isFalse();
        assertThat(fallback.returned).isEmpty();
    }

    @Test
    void an_answer_of_the_fallback_that_comes_too_late_is_returned() {
        for (Consumer<Pending<String>> first : List.<Consumer<Pending<String>>>of(
                pending -> pending.cancel(false), pending -> pending.answer("granted"))) {
            Returning fallback = new Returning();
            Pending<String> pending = new Pending<>("k", fallback);
            List<Runnable> outside = new ArrayList<>();
            pending.fail(FAILURE, outside::add);
            first.accept(pending);
            outside.forEach(Runnable::run);
            assertThat(fallback.returned).containsExactly("instead");
        }
    }

    @Test
    void what_is_given_up_is_cancelled_or_returned() {
        Returning fallback = new Returning();
        Pending<String> waiting = new Pending<>("k", fallback);
        waiting.giveUp();
        assertThat(waiting.markSent()).isFalse();
        assertThat(waiting).isCancelled();
        assertThat(fallback.returned).isEmpty();
        Pending<String> answered = new Pending<>("k", fallback);
        answered.answer("granted");
        answered.giveUp();
        assertThat(fallback.returned).containsExactly("granted");
        Pending<String> failed = new Pending<>("k", null);
        failed.fail(FAILURE, Runnable::run);
        failed.giveUp();
        assertThat(failed).isCompletedExceptionally();
    }

    private static final class Returning implements Pending.Fallback<String> {

        private final List<String> returned = new ArrayList<>();

        @Override
        public String answer(LimiterBackendException failure, Pending<String> pending) {
            return "instead";
        }

        @Override
        public CompletableFuture<?> returnUnused(String answer, Pending<String> pending) {
            returned.add(answer);
            return CompletableFuture.completedFuture(null);
        }
    }
}
