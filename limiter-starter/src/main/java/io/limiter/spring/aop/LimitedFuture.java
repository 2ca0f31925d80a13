package io.limiter.spring.aop;

import io.limiter.spring.check.CancellingFuture;
import io.limiter.spring.check.CheckResult;
import io.limiter.spring.check.Outcome;
import io.limiter.spring.check.Rejection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * The future of a limited method that returns one. The calling thread evaluates the keys and does not wait. If the limits
 * decide at once, the calling thread also calls the method. Otherwise the executor does, because the method may block, and the
 * threads that complete decisions must not. Every failure is in the future. Cancelling it cancels the check, or the method's
 * own future. When that is done, the call's permits are released or settled, and then this future is completed.
 *
 * <p>With Micrometer's context propagation on the class path, the method has the trace, the security context, the MDC and the
 * locale of its caller, also in another thread.
 */
final class LimitedFuture extends CancellingFuture<@Nullable Object> {

    /** Executes actions that the executor rejects, would run in the current thread, or may never come to. */
    static final Executor OVERFLOW = new CompletableFuture<>().defaultExecutor();

    private final MethodLimits limits;
    private final MethodInvocation call;
    private final Supplier<Executor> executor;

    LimitedFuture(MethodLimits limits, MethodInvocation call, Supplier<Executor> executor) {
        this.limits = limits;
        this.call = call;
        this.executor = executor;
    }

    static LimitedFuture of(MethodLimits limits, MethodInvocation call, Supplier<Executor> executor) {
        LimitedFuture future = new LimitedFuture(limits, call, executor);
        try {
            future.start();
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
        return future;
    }

    private void start() {
        // Looked up first, because a failure later would leave permits held.
        Executor elsewhere = executor.get();
        CompletableFuture<CheckResult> check = limits.check(call).runAsync();
        if (check.isDone()) {
            check.whenComplete(this::checked);
            return;
        }
        await(check);
        UnaryOperator<Runnable> context = CallContext.capture();
        check.whenComplete((result, error) -> {
            try {
                execute(elsewhere, context.apply(() -> checked(result, error)));
            } catch (RuntimeException | Error e) {
                if (result != null) {
                    result.closeAsync(null);
                }
                OVERFLOW.execute(() -> completeExceptionally(e));
            }
        });
    }

    /**
     * Executes an action in another thread, also if the executor is saturated and has a {@code CallerRunsPolicy}. The current
     * thread completes decisions of all calls, and the action may block.
     *
     * @throws RuntimeException if the executor does not take it
     */
    private static void execute(Executor executor, Runnable action) {
        Thread current = Thread.currentThread();
        AtomicBoolean handingOver = new AtomicBoolean(true);
        executor.execute(() -> {
            if (handingOver.get() && Thread.currentThread() == current) {
                OVERFLOW.execute(action);
            } else {
                action.run();
            }
        });
        handingOver.set(false);
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
        try {
            Object returned = rejection == null ? proceed(call) : limits.answer(rejection, call);
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
            limits.checkDone(permit, value);
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Completes this future after the permits are released and settled. */
    private void release(CheckResult permit, @Nullable Object value, @Nullable Throwable error) {
        CompletableFuture<?> closed = permit.closeAsync(Outcome.of(value, error));
        if (closed.isDone()) {
            complete(value, error);
        } else {
            Runnable completion = CallContext.capture().apply(() -> complete(value, error));
            closed.whenComplete((nothing, none) -> completeElsewhere(completion));
        }
    }

    /** In another thread, because the actions of callers may block. */
    private void completeElsewhere(Runnable completion) {
        try {
            execute(executor.get(), completion);
        } catch (RuntimeException | Error e) {
            OVERFLOW.execute(completion);
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
