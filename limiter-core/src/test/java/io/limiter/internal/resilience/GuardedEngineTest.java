package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a batch whose keys fail in different ways. */
class GuardedEngineTest {

    private static final Answer TAKEN = Answer.of(List.of(new Decision(true, 1, 0, 0, 0, 0)));

    private final Guard guard = Patience.guard();
    private final List<List<String>> asked = new ArrayList<>();

    @AfterEach
    void close() {
        guard.close();
    }

    @Test
    void a_batch_of_which_nothing_was_executed_is_asked_again() {
        List<Answer> answers =
                decide(List.of(failed(Kind.RETRYABLE, "a"), failed(Kind.RETRYABLE, "b")), List.of(TAKEN, TAKEN));
        assertThat(answers).extracting(Answer::failure).containsOnlyNulls();
        assertThat(asked).containsExactly(List.of("a", "b"), List.of("a", "b"));
    }

    @Test
    void a_batch_of_which_something_may_have_been_executed_is_asked_once() {
        List<Answer> mixed = List.of(failed(Kind.RETRYABLE, "a"), failed(Kind.AMBIGUOUS, "b"));
        assertThat(decide(mixed)).isEqualTo(mixed);
        List<Answer> afterwards = List.of(
                failed(Kind.RETRYABLE, "a"),
                Answer.failed(LimiterBackendException.permanentAfterwards("limit", "b", "it threw", null)));
        assertThat(decide(afterwards)).isEqualTo(afterwards);
        assertThat(asked).hasSize(2);
    }

    @Test
    void each_key_is_told_its_own_failure() {
        List<Answer> each = List.of(failed(Kind.PERMANENT, "a"), failed(Kind.AMBIGUOUS, "b"));
        assertThat(decide(each)).isEqualTo(each);
        assertThat(guard.state().failure())
                .as("the one that says that the backend is away")
                .isSameAs(each.get(1).failure());
    }

    @Test
    void a_failure_among_answers_counts() {
        for (int i = 0; i < 5; i++) {
            decide(List.of(failed(Kind.AMBIGUOUS, "a"), TAKEN));
        }
        assertThat(guard.state()).extracting(BackendState::up).isEqualTo(false);
    }

    @SafeVarargs
    private List<Answer> decide(List<Answer>... answers) {
        Iterator<List<Answer>> next = List.of(answers).iterator();
        Engine engine = new Engine() {
            @Override
            public List<Answer> decide(List<KeyRequests<?>> batch) {
                asked.add(batch.stream().map(KeyRequests::key).toList());
                return next.next();
            }

            @Override
            public CompletableFuture<Decision> decideAsync(String key, Limit<?> limit, Request request) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void reset(String key) {
                throw new UnsupportedOperationException();
            }
        };
        return new GuardedEngine(engine, Runnable::run, guard).decide(List.of(request("a"), request("b")));
    }

    private static KeyRequests<?> request(String key) {
        return new KeyRequests<>(key, HandEngine.LIMIT, List.of(Request.giveBack(1)));
    }

    private static Answer failed(Kind kind, String key) {
        return Answer.failed(LimiterBackendException.of(kind, "test", key, "it fails", null));
    }
}
