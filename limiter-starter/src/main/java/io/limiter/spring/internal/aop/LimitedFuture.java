package io.limiter.spring.internal.aop;

import io.limiter.internal.backend.AsyncFailures;
import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.RecordedResult;
import io.limiter.spring.internal.aop.result.SubscriptionContext;
import io.limiter.spring.internal.check.CallOutcome;
import io.limiter.spring.internal.check.CancellingFuture;
import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.CheckResult;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.Rejection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import reactor.util.context.ContextView;

/**
 * The future of a limited method that returns one. The calling thread evaluates the keys and does not wait; where it does not know the
 * request that they read, the handler of the result does. If the limits
 * decide immediately, the calling thread also calls the method. Otherwise a thread of {@link CallThreads} does, with the
 * {@link CallContext} of the caller, because the method may block, and the threads that complete decisions must not. An executor of
 * the application is no alternative, because all its threads may wait for futures like this one. Every failure is in the
 * future. Cancelling it cancels the check, or the method's own future. When that is done, the call's permits are released or
 * settled, and then this future is completed.
 */
final class LimitedFuture extends CancellingFuture<@Nullable Object> implements RecordedResult {

    /** Completes futures where no thread can be started, because what callers do then may block. */
    private static final Executor LAST_RESORT = new CompletableFuture<>().defaultExecutor();

    private final LimitedMethod method;
    private final MethodInvocation call;
    private @Nullable DeferredRecorder deferred;
    private @Nullable SubscriptionContext awaitsRequest;

    LimitedFuture(LimitedMethod method, MethodInvocation call) {
        this.method = method;
        this.call = call;
    }

    static LimitedFuture of(LimitedMethod method, MethodInvocation call) {
        LimitedFuture future = new LimitedFuture(method, call);
        try {
            future.start();
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
        return future;
    }

    private void start() {
        DecisionRecorder recorder = method.beans().recorder();
        SubscriptionContext subscriptions = recorder == null ? method.beans().find(SubscriptionContext.class) : null;
        if (subscriptions == null) {
            run(method.check(call, recorder));
        } else if (method.usesCaller() && subscriptions.knowsRequestLater()) {
            awaitsRequest = subscriptions;
        } else {
            deferred = new DeferredRecorder();
            run(method.check(call, deferred));
        }
    }

    @Override
    public void handledIn(ContextView context, DecisionRecorder recorder) {
        if (awaitsRequest != null) {
            CompletableFuture<Check> check = LimitedPublisher.check(method, call, recorder, awaitsRequest, context);
            await(check);
            check.thenAccept(this::run).whenComplete((nothing, error) -> {
                if (error != null) {
                    completeExceptionally(AsyncFailures.cause(error));
                }
            });
        } else if (deferred != null) {
            deferred.recordIn(recorder);
        }
    }

    private void run(Check checked) {
        CompletableFuture<CheckResult> check = checked.runAsync();
        if (check.isDone()) {
            check.whenComplete(this::checked);
            return;
        }
        await(check);
        UnaryOperator<Runnable> context = method.beans().callContext();
        check.whenComplete((result, error) -> {
            try {
                method.beans().execute(context.apply(() -> checked(result, error)));
            } catch (RuntimeException | Error e) {
                if (result != null) {
                    result.closeAsync(null);
                }
                LAST_RESORT.execute(() -> completeExceptionally(e));
            }
        });
    }

    private void checked(@Nullable CheckResult result, @Nullable Throwable error) {
        if (result == null) {
            completeExceptionally(error == null ? new IllegalStateException("no decision") : error);
        } else if (isDone()) {
            result.closeAsync(null);
        } else {
            goOn(result);
        }
    }

    private void goOn(CheckResult result) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            completeExceptionally(rejection.exception());
            return;
        }
        try {
            Object returned = proceed(call);
            if (!(returned instanceof CompletionStage<?> stage)) {
                throw new IllegalStateException(call.getMethod() + " returned null instead of a future");
            }
            follow(stage, result);
        } catch (Throwable e) {
            release(result, null, e);
        }
    }

    /**
     * Proceeds with a call after its interceptor has returned, perhaps in another thread. Exposes the call in the current thread,
     * where aspects further inside look for it.
     */
    static @Nullable Object proceed(MethodInvocation call) throws Throwable {
        return call instanceof ProxyMethodInvocation
                ? ExposeInvocationInterceptor.INSTANCE.invoke(call)
                : call.proceed();
    }

    /** Ends with the stage that the call has returned. */
    void follow(CompletionStage<?> stage, CheckResult permit) {
        if (stage instanceof Future<?> future) {
            await(future);
        }
        stage.whenComplete((value, error) -> release(permit, value, error == null ? failure(permit, value) : error));
    }

    /** {@code null} if the result is there. */
    private @Nullable Throwable failure(CheckResult permit, @Nullable Object value) {
        try {
            method.checkDone(permit, value);
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Completes this future after the permits are released and settled. */
    private void release(CheckResult permit, @Nullable Object value, @Nullable Throwable error) {
        CompletableFuture<?> closed = permit.closeAsync(CallOutcome.of(value, error));
        if (closed.isDone()) {
            complete(value, error);
        } else {
            Runnable completion = method.beans().callContext().apply(() -> complete(value, error));
            closed.whenComplete((nothing, none) -> completeElsewhere(completion));
        }
    }

    /** In another thread, because the actions of callers may block. */
    private void completeElsewhere(Runnable completion) {
        try {
            method.beans().execute(completion);
        } catch (RuntimeException | Error e) {
            LAST_RESORT.execute(completion);
        }
    }

    private void complete(@Nullable Object value, @Nullable Throwable error) {
        if (error == null) {
            complete(value);
        } else {
            completeExceptionally(error);
        }
    }
}
