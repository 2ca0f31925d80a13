package io.limiter.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.benchmark.measure.Callers.Answer;
import io.limiter.benchmark.measure.Callers.Phase;
import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AsyncDriverTest {

    private static final int CALLERS = 1000;

    private final Callers results = new Callers(CALLERS, new int[1], null);

    @Test
    void callers_whose_answers_are_there_immediately_take_turns() throws InterruptedException {
        AtomicInteger requests = new AtomicInteger();
        Fakes.Decider atOnce = id -> {
            if (requests.incrementAndGet() == 200 * CALLERS) {
                results.enter(Phase.STOPPED);
            }
            return true;
        };
        AsyncDriver.start(atOnce, results).awaitEnd();
        assertThat(results.all())
                .allSatisfy(caller ->
                        assertThat(caller.count(Phase.WARM_UP, Answer.GRANTED)).isBetween(100L, 300L));
    }

    @Test
    void each_completion_starts_the_next_request_of_its_caller_only() throws InterruptedException {
        Open subject = new Open();
        Driver driver = AsyncDriver.start(subject, results);
        for (int i = 0; i < 10 * CALLERS; i++) {
            subject.completeOne();
        }
        results.enter(Phase.STOPPED);
        Thread completing = new Thread(subject::completeAll);
        completing.start();
        driver.awaitEnd();
        completing.interrupt();
        assertThat(subject.most.get()).isLessThanOrEqualTo(CALLERS);
        assertThat(subject.open.get()).isZero();
        assertThat(results.count(Phase.WARM_UP, Answer.GRANTED)).isEqualTo(10 * CALLERS);
    }

    /** Leaves requests open until they are completed. */
    private static final class Open implements Subject.Async {

        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final BlockingQueue<CompletableFuture<Boolean>> requests = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<Boolean> tryAcquireAsync(int id) {
            CompletableFuture<Boolean> request = new CompletableFuture<>();
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            requests.add(request);
            return request;
        }

        void completeOne() throws InterruptedException {
            CompletableFuture<Boolean> request = requests.take();
            open.decrementAndGet();
            request.complete(true);
        }

        /** Until interrupted. */
        void completeAll() {
            try {
                while (true) {
                    completeOne();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean tryAcquire(int id) {
            return tryAcquireAsync(id).toCompletableFuture().join();
        }
    }
}
