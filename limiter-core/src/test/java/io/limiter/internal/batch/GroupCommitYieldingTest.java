package io.limiter.internal.batch;

import static io.limiter.internal.batch.Requests.answerAll;
import static io.limiter.internal.batch.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.resilience.Guard;
import io.limiter.internal.resilience.Guards;
import io.limiter.testing.HandEngine;
import io.limiter.testing.Patience;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which of the threads that wait for a decision yield before they park. */
@Tag("threads")
class GroupCommitYieldingTest {

    private static final Duration SHORTER_THAN_A_CALL = Duration.ofNanos(1);
    private static final Duration LONGER_THAN_A_CALL = Duration.ofHours(1);

    private final HandEngine backend = new HandEngine();
    private final AtomicInteger yields = new AtomicInteger();

    @Test
    void callers_after_a_call_of_many_requests_yield() throws InterruptedException {
        GroupCommit engine = engine(SHORTER_THAN_A_CALL, Patience.guard());
        callOf(engine, 8);
        await(engine);
        assertThat(yields).hasValue(1);
    }

    @Test
    void callers_after_a_call_of_few_requests_park() throws InterruptedException {
        GroupCommit engine = engine(SHORTER_THAN_A_CALL, Patience.guard());
        callOf(engine, 7);
        await(engine);
        assertThat(yields).hasValue(0);
    }

    @Test
    void the_first_parks_and_the_next_yields_if_the_reply_came_within_its_time() throws InterruptedException {
        GroupCommit engine =
                engine(LONGER_THAN_A_CALL, Guards.withClock(Patience.DECISION_TIMEOUT, Ticker.systemTicker()));
        await(engine);
        assertThat(yields).as("before a round trip is known").hasValue(0);
        await(engine);
        assertThat(yields).hasValue(1);
    }

    /** Leaves a call of so many requests in flight. */
    private void callOf(GroupCommit engine, int requests) {
        request(engine, "k", 1);
        for (int i = 0; i < requests; i++) {
            request(engine, "k", 1);
        }
        backend.call(0).answer();
        assertThat(backend.call(1).requests()).hasSize(requests);
    }

    /** Awaits a decision that comes when this thread has yielded, or has parked. */
    private void await(GroupCommit engine) throws InterruptedException {
        Ask pending = request(engine, "k", 1);
        Thread caller = Thread.currentThread();
        Thread answering = new Thread(() -> {
            while (!pending.isDone() && caller.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            answerAll(backend);
        });
        answering.start();
        pending.await();
        answering.join();
    }

    private GroupCommit engine(Duration most, Guard guard) {
        return new GroupCommit(
                backend,
                new GroupCommit.Settings(1, 1000, 1000, 1000, 32, Duration.ZERO),
                new Yielding(most, Ticker.systemTicker(), () -> {
                    yields.incrementAndGet();
                    answerAll(backend);
                }),
                Runnable::run,
                guard);
    }
}
