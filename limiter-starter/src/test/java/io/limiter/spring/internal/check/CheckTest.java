package io.limiter.spring.internal.check;

import static io.limiter.testing.Expected.decision;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.internal.web.HeaderSet;
import io.limiter.spring.internal.web.RequestRecord;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The steps of a check, one after the other, without a thread that waits. */
class CheckTest {

    private static final Decision REJECTED = decision(false, 2, 0, 5_000_000, 5_000_000, 9_000_000);

    private final Held first = new Held();
    private final Held second = new Held();

    /** Decided by the test: true grants. */
    private static class Held extends CheckStep {

        private final List<CompletableFuture<Boolean>> decisions = new ArrayList<>();
        private int cancelled;
        private Runnable whenDecided = () -> {};

        Held() {
            super(new CallLimit(
                    LimitName.chosen("r:", "held"),
                    true,
                    false,
                    "",
                    new RejectionLog("held", true, System::nanoTime),
                    Duration.ZERO,
                    null,
                    null,
                    ConcurrencyLimit.of(1),
                    new RecordingLimiterFactory(),
                    false));
        }

        @Override
        CheckStep again() {
            throw new UnsupportedOperationException("has no twin");
        }

        @Override
        void decide() {
            throw new UnsupportedOperationException("would block");
        }

        @Override
        CompletableFuture<?> decideAsync() {
            CompletableFuture<Boolean> decision = new CompletableFuture<>();
            decisions.add(decision);
            whenDecided.run();
            return decision;
        }

        @Override
        @Nullable
        Rejection rejection() {
            boolean passes = decisions.get(decisions.size() - 1).join();
            return passes ? null : new Rejection(limit(), new RateLimitExceededException("key", REJECTED), false);
        }

        @Override
        void cancel() {
            cancelled++;
        }

        @Override
        List<LimitDecision> decisions() {
            return List.of();
        }
    }

    private static CompletableFuture<CheckResult> start(CheckStep... steps) {
        return new Check(List.of(steps), null, false).runAsync();
    }

    @Test
    void each_step_is_decided_after_the_one_before_granted() {
        CompletableFuture<CheckResult> check = start(first, second);
        assertThat(second.decisions).isEmpty();
        first.decisions.get(0).complete(true);
        assertThat(check).isNotDone();
        second.decisions.get(0).complete(true);
        assertThat(check.join().rejection()).isNull();
    }

    @Test
    void after_a_rejection_no_other_step_is_decided() {
        CompletableFuture<CheckResult> check = start(first, second);
        first.decisions.get(0).complete(false);
        assertThat(check.join().rejection())
                .extracting(Rejection::exception)
                .extracting(RateLimitExceededException::decision)
                .isSameAs(REJECTED);
        assertThat(second.decisions).isEmpty();
    }

    @Test
    void a_later_rejection_or_failure_cancels_what_was_taken_once() {
        start(first, second);
        first.decisions.get(0).complete(true);
        assertThat(first.cancelled).isZero();
        second.decisions.get(0).complete(false);
        assertThat(List.of(first.cancelled, second.cancelled)).containsExactly(1, 0);
        start(first, second);
        first.decisions.get(1).complete(true);
        second.decisions.get(1).completeExceptionally(new IllegalStateException("no backend"));
        assertThat(List.of(first.cancelled, second.cancelled)).containsExactly(2, 0);
    }

    @Test
    void a_request_that_is_rejected_later_takes_nothing() {
        RequestRecord request = new RequestRecord(HeaderSet.RATELIMIT);
        CompletableFuture<CheckResult> check = new Check(List.of(first, second), request, true).runAsync();
        first.decisions.get(0).complete(true);
        second.decisions.get(0).complete(true);
        assertThat(check.join().rejection()).isNull();
        request.rejected();
        request.done(200, name -> null);
        assertThat(List.of(first.cancelled, second.cancelled)).containsExactly(1, 1);
    }

    @Test
    void a_request_that_is_answered_keeps_what_it_took() {
        RequestRecord request = new RequestRecord(HeaderSet.RATELIMIT);
        new Check(List.of(first), request, true).runAsync();
        first.decisions.get(0).complete(true);
        request.done(429, name -> null);
        request.rejected();
        assertThat(first.cancelled).as("the status is that of another limiter").isZero();
    }

    @Test
    void after_a_cancellation_no_other_step_is_decided() {
        CompletableFuture<CheckResult> check = start(first, second);
        // Of several dependents, the last one registered runs first.
        first.decisions.get(0).thenRun(() -> check.cancel(true));
        first.decisions.get(0).complete(true);
        assertThat(check).isCancelled();
        assertThat(second.decisions).isEmpty();
    }

    @Test
    void a_cancellation_cancels_the_pending_decision() {
        CompletableFuture<CheckResult> check = start(first, second);
        second.whenDecided = () -> check.cancel(true);
        first.decisions.get(0).complete(true);
        assertThat(second.decisions.get(0)).isCancelled();
    }

    @Test
    void a_failure_is_not_wrapped() {
        IllegalStateException failure = new IllegalStateException("no backend");
        CompletableFuture<CheckResult> direct = start(first);
        first.decisions.get(0).completeExceptionally(failure);
        assertThatThrownBy(direct::join).isInstanceOf(CompletionException.class).hasCause(failure);
        CompletableFuture<CheckResult> wrapped = start(second);
        second.decisions.get(0).completeExceptionally(new CompletionException(failure));
        assertThat(wrapped.handle((rejection, error) -> error).join()).isSameAs(failure);
    }

    @Test
    void an_exception_before_or_after_a_decision_is_a_failure() {
        first.whenDecided = () -> {
            throw new IllegalStateException("before");
        };
        CompletableFuture<CheckResult> before = start(first);
        assertThat(before).isCompletedExceptionally();
        assertThatThrownBy(before::join).hasRootCauseMessage("before");
        Held throwing = new Held() {
            @Override
            Rejection rejection() {
                throw new IllegalStateException("after");
            }
        };
        CompletableFuture<CheckResult> after = start(throwing);
        throwing.decisions.get(0).complete(true);
        assertThat(after).isCompletedExceptionally();
        assertThatThrownBy(after::join).hasRootCauseMessage("after");
    }

    @Test
    void permits_of_a_limiter_of_the_application_are_refunded_once() {
        AtomicInteger refunds = new AtomicInteger();
        Limiter.Async async = proxy(Limiter.Async.class, method -> refunds.incrementAndGet());
        Limiter limiter = proxy(
                Limiter.class,
                method -> method.equals("async") ? async : decision(true, 2, 1, 0, 5_000_000, 9_000_000));
        CallLimit limit = new CallLimit(
                LimitName.chosen("r:", "own"),
                true,
                false,
                "",
                new RejectionLog("own", true, System::nanoTime),
                Duration.ZERO,
                limiter,
                null,
                TokenBucket.perSecond(1),
                new RecordingLimiterFactory(),
                false);
        CheckPart part = new CheckPart(limit, new PermitRequest(limit.name(), List.of(), 1), Duration.ZERO, null, null);
        part.decide();
        part.cancel();
        part.cancel();
        assertThat(refunds).hasValue(1);
        CheckPart again = part.again();
        again.cancel();
        assertThat(refunds).as("it has taken nothing").hasValue(1);
        again.decide();
        again.cancel();
        assertThat(refunds).hasValue(2);
    }

    private static <T> T proxy(Class<T> type, Function<String, Object> results) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result = results.apply(method.getName());
                    return method.getReturnType().isInstance(result) ? result : null;
                }));
    }
}
