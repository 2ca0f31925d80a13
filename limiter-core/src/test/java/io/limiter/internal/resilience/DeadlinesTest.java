package io.limiter.internal.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendException.Kind;
import io.limiter.internal.batch.GroupCommit;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.statistics.ListenerNotifier;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which calls are checked, and on which threads their callers continue. */
@Tag("threads")
class DeadlinesTest {

    private static final int MOST_SECONDS = 60;

    @Test
    void a_pool_that_throws_does_not_stop_the_checks_of_others() {
        Guard guard =
                Guards.with(Duration.ofMillis(20), new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of())));
        AtomicBoolean ended = new AtomicBoolean();
        guard.deadlines().watch(now -> {
            if (!ended.get()) {
                throw new StackOverflowError("of a pool");
            }
            return false;
        });
        HandEngine backend = new HandEngine();
        GroupCommit engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        CompletableFuture<Outcome> request = Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1));
        Ask call = AnsweredCalls.start(guard, "k", CompletableFuture::new);
        for (CompletableFuture<?> each : List.of(request, call)) {
            assertThatThrownBy(() -> each.get(MOST_SECONDS, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LimiterBackendException.class);
        }
        ended.set(true);
    }

    @Test
    void a_caller_that_blocks_at_its_deadline_does_not_delay_other_deadlines() {
        Guard guard =
                Guards.with(Duration.ofMillis(20), new Breakers(Duration.ofHours(1), new ListenerNotifier(List.of())));
        GroupCommit engine = new GroupCommit(new HandEngine(), GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        CompletableFuture<Outcome> first = Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1));
        CompletableFuture<Outcome> second = Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1));
        CompletableFuture<Throwable> blocks = first.handle((decision, error) ->
                second.handle((other, otherError) -> otherError).join());
        assertThat(blocks).succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS).isInstanceOf(LimiterBackendException.class);
    }

    @Test
    void stages_of_a_retried_request_never_run_on_the_checking_thread() {
        Guard guard = Patience.guard();
        HandEngine backend = new HandEngine();
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch attached = new CountDownLatch(1);
        LimiterBackendException loading =
                new LimiterBackendException(Kind.RETRYABLE, "LOADING", "a", "loading", null, null);
        backend.onStart = call -> {
            if (calls.incrementAndGet() == 1) {
                call.fail(loading);
            } else {
                Uninterruptibles.awaitUninterruptibly(attached);
                call.answer();
            }
        };
        GroupCommit engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, guard);
        Ask single = AnsweredCalls.start(guard, "a", () -> {
            if (attempts.incrementAndGet() == 1) {
                return CompletableFuture.failedFuture(loading);
            }
            Uninterruptibles.awaitUninterruptibly(attached);
            return CompletableFuture.completedFuture("answered");
        });
        List<CompletableFuture<String>> threads = Stream.of(
                        Ask.start(engine, "a", HandEngine.LIMIT, HandEngine.request(1)), single)
                .map(each -> each.thenApply(answer -> Thread.currentThread().getName()))
                .toList();
        attached.countDown();
        for (CompletableFuture<String> thread : threads) {
            assertThat(thread)
                    .succeedsWithin(MOST_SECONDS, TimeUnit.SECONDS)
                    .asString()
                    .isNotEqualTo("limiter-deadlines");
        }
        assertThat(List.of(calls.get(), attempts.get())).containsOnly(2);
    }

    @Test
    void a_failure_for_which_no_thread_can_be_started_is_delivered_when_one_can() {
        LimiterBackendException loading =
                new LimiterBackendException(Kind.RETRYABLE, "LOADING", "a", "loading", null, null);
        Ask pending = new Ask("a", HandEngine.LIMIT, HandEngine.request(1), null);
        assertThatThrownBy(() -> pending.fail(loading, stages -> {
                    throw new OutOfMemoryError("unable to create native thread");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(pending).isNotDone();
        pending.fail(loading, Runnable::run);
        assertThatThrownBy(pending::join).hasCause(loading);
    }

    @Test
    void only_lanes_with_pending_requests_are_checked() {
        HandEngine backend = new HandEngine();
        backend.lanes = 16_384;
        backend.onStart = HandEngine.Call::answer;
        GroupCommit engine = new GroupCommit(backend, GroupCommit.Settings.DEFAULT, Runnable::run, Patience.guard());
        for (int i = 0; i < 3000; i++) {
            Ask.start(engine, "k" + i, HandEngine.LIMIT, HandEngine.request(1)).await();
        }
        backend.onStart = call -> {};
        CompletableFuture<Outcome> pending = Ask.start(engine, "pending", HandEngine.LIMIT, HandEngine.request(1));
        Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> engine.watchedLanes() == 1);
        backend.call(3000).answer();
        assertThat(pending.join().isGranted()).isTrue();
        Awaitility.await().atMost(MOST_SECONDS, TimeUnit.SECONDS).until(() -> engine.watchedLanes() == 0);
    }
}
