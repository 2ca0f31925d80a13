package io.limiter.internal.batch;

import static io.limiter.testing.Expected.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.BackendState;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.resilience.Breakers;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.FutureBackend;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Retries and withdrawals of decisions that have a call of their own. */
@Tag("threads")
class OwnCallTest {

    private static final Answer TAKEN = Answer.of(List.of(verdict(true, 1, 0, 0, 0, 0)));

    private final Guard guard = Patience.guard();
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        guard.close();
    }

    @Test
    void a_request_that_was_not_executed_is_retried() {
        assertThat(decide(failed(Kind.RETRYABLE), TAKEN).await().isGranted()).isTrue();
        assertThat(calls).hasValue(2);
    }

    @Test
    void a_request_that_may_have_been_executed_is_not_retried() {
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

    @Test
    void a_request_cancelled_before_its_call_uses_no_connection() {
        List<Runnable> queued = new ArrayList<>();
        Blocking backend = new Blocking();
        Ask pending = Ask.start(engine(backend, queued::add, guard), "a", HandEngine.LIMIT, HandEngine.request(1));
        pending.cancel(false);
        queued.forEach(Runnable::run);
        assertThat(backend.used).isEmpty();
    }

    @Test
    void a_withdrawn_reset_fails_and_deletes_nothing() {
        List<Runnable> queued = new ArrayList<>();
        Blocking backend = new Blocking();
        Breakers breaker = new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of()));
        try (Guard hasty = new Guard(
                Duration.ofMillis(20), Duration.ofMillis(20), breaker, ListenerNotifier.NONE, EngineObserver.NONE)) {
            GroupCommit engine = engine(backend, queued::add, hasty);
            assertThatThrownBy(() -> AsyncFailures.join(engine.reset("a")))
                    .isInstanceOfSatisfying(
                            LimiterBackendException.class,
                            e -> assertThat(e.kind()).isEqualTo(Kind.NOT_EXECUTED));
            queued.forEach(Runnable::run);
            assertThat(backend.used).isEmpty();
        }
    }

    /** Records how it is used. */
    private static final class Blocking implements FutureBackend {

        private final List<String> used = new ArrayList<>();

        @Override
        public void connect() {
            used.add("connect");
        }

        @Override
        public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
            used.add("start");
            return CompletableFuture.completedFuture(List.of(TAKEN));
        }

        @Override
        public boolean blocks() {
            return true;
        }

        @Override
        public void delete(String key) {
            used.add("reset");
        }
    }

    private Ask decide(Answer... answers) {
        Iterator<Answer> next = List.of(answers).iterator();
        Backend backend = new FutureBackend() {
            @Override
            public CompletableFuture<List<Answer>> answers(List<KeyRequests<?>> batch, BooleanSupplier send) {
                assertThat(send.getAsBoolean()).isTrue();
                calls.incrementAndGet();
                return CompletableFuture.completedFuture(List.of(next.next()));
            }

            @Override
            public boolean blocks() {
                return false;
            }

            @Override
            public void delete(String key) {
                throw new UnsupportedOperationException();
            }
        };
        return Ask.start(engine(backend, Runnable::run, guard), "a", HandEngine.LIMIT, HandEngine.request(1));
    }

    private static GroupCommit engine(Backend backend, Executor blockingCalls, Guard guarded) {
        return new GroupCommit(backend, GroupCommit.Settings.DEFAULT.withOwnCalls(), blockingCalls, guarded);
    }

    private static Answer failed(Kind kind) {
        return Answer.failed(new LimiterBackendException(kind, "test", "a", "it fails", null, null));
    }
}
