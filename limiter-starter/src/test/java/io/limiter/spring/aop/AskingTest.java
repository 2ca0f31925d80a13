package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.RateLimitExceededException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Limits that are asked one after the other, without a thread that waits. */
class AskingTest {

    private final Held first = new Held();
    private final Held second = new Held();

    /** Answered when the test says so: true lets the call through. */
    private static final class Held implements Asked<Boolean> {

        private final List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        private Runnable whenAsked = () -> {};

        @Override
        public Boolean decide() {
            throw new UnsupportedOperationException("would block");
        }

        @Override
        public CompletableFuture<Boolean> decideAsync() {
            CompletableFuture<Boolean> decision = new CompletableFuture<>();
            asked.add(decision);
            whenAsked.run();
            return decision;
        }

        @Override
        public @Nullable Refusal refusal(Boolean passes) {
            return passes ? null : REFUSAL;
        }
    }

    @SuppressWarnings("NullAway") // Nobody looks at the limit.
    private static final Refusal REFUSAL =
            new Refusal(null, new RateLimitExceededException("who", HeldDecisions.REFUSED), false);

    @Test
    void each_is_asked_when_the_one_before_lets_the_call_through() {
        Asking asking = Asking.of(List.of(first, second));
        assertThat(second.asked).isEmpty();
        first.asked.get(0).complete(true);
        assertThat(asking).isNotDone();
        second.asked.get(0).complete(true);
        assertThat(asking.join()).isEmpty();
    }

    @Test
    void after_a_refusal_no_other_is_asked() {
        Asking asking = Asking.of(List.of(first, second));
        first.asked.get(0).complete(false);
        assertThat(asking.join()).containsSame(REFUSAL);
        assertThat(second.asked).isEmpty();
    }

    @Test
    void nor_after_a_call_that_was_cancelled_just_before_the_answer() {
        Asking asking = Asking.of(List.of(first, second));
        // The last to be registered is told first.
        first.asked.get(0).thenRun(() -> asking.cancel(true));
        first.asked.get(0).complete(true);
        assertThat(asking).isCancelled();
        assertThat(second.asked).isEmpty();
    }

    @Test
    void a_question_that_is_under_way_by_then_is_withdrawn() {
        Asking asking = Asking.of(List.of(first, second));
        second.whenAsked = () -> asking.cancel(true);
        first.asked.get(0).complete(true);
        assertThat(second.asked.get(0)).isCancelled();
    }

    @Test
    void a_failure_is_told_as_it_is() {
        IllegalStateException failure = new IllegalStateException("no backend");
        Asking direct = Asking.of(List.of(first));
        first.asked.get(0).completeExceptionally(failure);
        assertThatThrownBy(direct::join).isInstanceOf(CompletionException.class).hasCause(failure);
        Asking wrapped = Asking.of(List.of(second));
        second.asked.get(0).completeExceptionally(new CompletionException(failure));
        assertThat(wrapped.handle((refusal, error) -> error).join()).isSameAs(failure);
    }

    @Test
    void what_is_thrown_before_or_after_a_decision_is_a_failure_too() {
        first.whenAsked = () -> {
            throw new IllegalStateException("before");
        };
        Asking before = Asking.of(List.of(first));
        assertThat(before).isCompletedExceptionally();
        assertThatThrownBy(before::join).hasRootCauseMessage("before");
        Asking after = Asking.of(List.of(new Asked<Boolean>() {
            @Override
            public Boolean decide() {
                return second.decide();
            }

            @Override
            public CompletableFuture<Boolean> decideAsync() {
                return second.decideAsync();
            }

            @Override
            public Refusal refusal(Boolean passes) {
                throw new IllegalStateException("after");
            }
        }));
        second.asked.get(0).complete(true);
        assertThat(after).isCompletedExceptionally();
        assertThatThrownBy(after::join).hasRootCauseMessage("after");
    }
}
