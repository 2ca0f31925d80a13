package io.limiter.spring.aop;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The future of a limited method that returns one. The calling thread finds the keys and waits for nothing. If the
 * decision is there at once, the method is called in it too; otherwise by the executor, because it may block, and the
 * threads that bring decisions must not. Whatever goes wrong is in the future. Cancelling it withdraws the question to
 * the limit, or cancels the method's own future.
 */
final class LimitedFuture extends CompletableFuture<@Nullable Object> {

    private final MethodInvocation call;
    private volatile @Nullable Future<?> pending;

    private LimitedFuture(MethodInvocation call) {
        this.call = call;
    }

    static LimitedFuture of(BoundLimits limits, MethodInvocation call, Supplier<Executor> executor) {
        LimitedFuture future = new LimitedFuture(call);
        try {
            future.start(limits.asked(call), executor);
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
        return future;
    }

    private void start(List<Asked<?>> questions, Supplier<Executor> executor) {
        Asking asking = Asking.of(questions);
        if (asking.isDone()) {
            asking.whenComplete(this::goOn);
            return;
        }
        await(asking);
        Executor elsewhere = executor.get();
        asking.whenComplete((refusal, error) -> {
            try {
                elsewhere.execute(() -> goOn(refusal, error));
            } catch (RejectedExecutionException e) {
                completeExceptionally(e);
            }
        });
    }

    private void goOn(@Nullable Optional<Refusal> refusal, @Nullable Throwable error) {
        if (isDone()) {
            return;
        }
        if (refusal == null) {
            completeExceptionally(error == null ? new IllegalStateException("no decision") : error);
            return;
        }
        try {
            Object result = refusal.isPresent() ? refusal.get().answer(call) : Proceeding.with(call);
            if (!(result instanceof CompletionStage<?> stage)) {
                throw new IllegalStateException(call.getMethod() + " returned null instead of a future");
            }
            follow(stage);
        } catch (Throwable e) {
            completeExceptionally(e);
        }
    }

    private void follow(CompletionStage<?> stage) {
        if (stage instanceof Future<?> future) {
            await(future);
        }
        stage.whenComplete((value, error) -> {
            if (error == null) {
                complete(value);
            } else {
                completeExceptionally(error);
            }
        });
    }

    private void await(Future<?> future) {
        pending = future;
        if (isCancelled()) {
            future.cancel(true);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        Future<?> awaited = pending;
        if (cancelled && awaited != null) {
            awaited.cancel(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
