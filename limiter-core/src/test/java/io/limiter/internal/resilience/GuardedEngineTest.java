package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.algorithm.Decision;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.backend.KeyRequests;
import io.limiter.spi.PendingRequest;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is sent again, and what is not. */
class GuardedEngineTest {

    private static final Answer TAKEN = Answer.of(List.of(new Decision(true, 1, 0, 0, 0, 0)));

    private final Guard guard = Patience.guard();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        guard.close();
    }

    @Test
    void what_was_not_executed_is_sent_again() {
        assertThat(decide(failed(Kind.RETRYABLE), TAKEN).await().granted()).isTrue();
        assertThat(calls).hasValue(2);
    }

    @Test
    void what_may_have_been_executed_is_sent_once() {
        for (Kind kind : List.of(Kind.AMBIGUOUS, Kind.PERMANENT)) {
            assertThatThrownBy(decide(failed(kind), TAKEN)::await)
                    .isInstanceOfSatisfying(
                            LimiterBackendException.class,
                            e -> assertThat(e.kind()).isEqualTo(kind));
        }
        assertThat(calls).hasValue(2);
    }

    @Test
    void failures_open_the_breaker() {
        for (int i = 0; i < 5; i++) {
            decide(failed(Kind.AMBIGUOUS));
        }
        assertThat(guard.state()).extracting(BackendState::up).isEqualTo(false);
    }

    private PendingRequest decide(Answer... answers) {
        Iterator<Answer> next = List.of(answers).iterator();
        Backend backend = new Backend() {
            @Override
            public CompletableFuture<List<Answer>> start(List<KeyRequests<?>> batch, BooleanSupplier send) {
                assertThat(send.getAsBoolean()).isTrue();
                calls.incrementAndGet();
                return CompletableFuture.completedFuture(List.of(next.next()));
            }

            @Override
            public boolean blocks() {
                return false;
            }

            @Override
            public void reset(String key) {
                throw new UnsupportedOperationException();
            }
        };
        return PendingRequest.start(
                new GuardedEngine(backend, Runnable::run, guard), "a", HandEngine.LIMIT, HandEngine.request(1));
    }

    private static Answer failed(Kind kind) {
        return Answer.failed(LimiterBackendException.of(kind, "test", "a", "it fails", null));
    }
}
