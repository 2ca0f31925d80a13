package io.limiter.spring.internal.aop;

import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CallerRequest;
import io.limiter.spring.internal.aop.result.SubscriptionContext;
import io.limiter.spring.internal.check.CallOutcome;
import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.CheckResult;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.Rejection;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * The publisher of a limited method that returns one, or another reactive type. Each subscription is checked once, and no
 * thread waits. With a {@link SubscriptionContext} keys are evaluated with each subscription, from Reactor's context;
 * otherwise once, in the thread that calls the method. If the limits decide immediately, the subscriber's thread calls the method;
 * otherwise its event loop does, or a thread of {@link CallThreads} if the subscriber is on none, because the
 * threads that complete decisions serve all calls, and the method might block them. Permits that the call holds are released
 * when the method's publisher completes, fails or is cancelled; others are settled when it completes, with its last value, or
 * fails. Only used with Reactor on the class path.
 */
final class LimitedPublisher {

    private LimitedPublisher() {}

    static Object of(LimitedMethod method, MethodInvocation call, @Nullable SubscriptionContext subscriptions) {
        ReactiveAdapter adapter = Objects.requireNonNull(method.adapter());
        Flux<Object> values = check(method, call, subscriptions)
                .flatMap(check -> run(check, method.beans().find(CallerRequest.class)))
                .flatMapMany(result -> values(result, method, call, adapter));
        return adapter.fromPublisher(adapter.isMultiValue() ? values : values.singleOrEmpty());
    }

    private static Mono<Check> check(
            LimitedMethod method, MethodInvocation call, @Nullable SubscriptionContext subscriptions) {
        if (subscriptions != null) {
            return Mono.deferContextual(context ->
                    subscriptions.call(context, method.usesUser(), method.usesForm(), () -> method.check(call)));
        }
        try {
            return Mono.just(method.check(call));
        } catch (RuntimeException e) {
            return Mono.error(e);
        }
    }

    /** As {@link #check(LimitedMethod, MethodInvocation, SubscriptionContext)}, for a call that is no publisher's. */
    static CompletableFuture<Check> check(
            LimitedMethod method,
            MethodInvocation call,
            DecisionRecorder recorder,
            SubscriptionContext subscriptions,
            ContextView context) {
        return subscriptions
                .call(context, method.usesUser(), method.usesForm(), () -> method.check(call, recorder))
                .contextWrite(context)
                .toFuture();
    }

    /** A subscription that is cancelled cancels the check, or releases what that holds already. */
    private static Mono<CheckResult> run(Check check, @Nullable CallerRequest request) {
        CompletableFuture<CheckResult> running = check.again().runAsync();
        boolean done = running.isDone();
        Mono<CheckResult> result =
                Mono.fromFuture(running).doOnCancel(() -> running.thenAccept(unused -> unused.closeAsync(null)));
        return done ? result : result.publishOn(CallContext.scheduler(request));
    }

    private static Publisher<Object> values(
            CheckResult result, LimitedMethod method, MethodInvocation call, ReactiveAdapter adapter) {
        return result.isOpen()
                ? Flux.usingWhen(
                        Mono.fromSupplier(
                                () -> new Running(result, method.beans().find(CallerRequest.class))),
                        running -> Flux.from(proceed(result, call, adapter))
                                .doOnNext(value -> running.next(value, method)),
                        Running::completed,
                        Running::failed,
                        Running::cancelled)
                : proceed(result, call, adapter);
    }

    /** A call whose permits are released and settled when it is done, with its last value. */
    private static final class Running {

        private final CheckResult permit;
        private final @Nullable CallerRequest request;
        private volatile @Nullable Object last;

        Running(CheckResult permit, @Nullable CallerRequest request) {
            this.permit = permit;
            this.request = request;
        }

        void next(Object value, LimitedMethod method) {
            method.checkDone(permit, value);
            last = value;
        }

        Mono<Void> completed() {
            return close(CallOutcome.of(last, null));
        }

        Mono<Void> failed(Throwable error) {
            return close(CallOutcome.of(null, error));
        }

        /** What the call has done is unknown. */
        Mono<Void> cancelled() {
            return close(null);
        }

        private Mono<Void> close(@Nullable CallOutcome outcome) {
            CompletableFuture<Void> closed = permit.closeAsync(outcome);
            return closed.isDone() ? Mono.empty() : Mono.fromFuture(closed).publishOn(CallContext.scheduler(request));
        }
    }

    private static Publisher<Object> proceed(CheckResult result, MethodInvocation call, ReactiveAdapter adapter) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            return Mono.error(rejection.exception());
        }
        try {
            Object returned = LimitedFuture.proceed(copy(call));
            if (returned == null) {
                throw new IllegalStateException(call.getMethod() + " returned null instead of a publisher");
            }
            return adapter.toPublisher(returned);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    /** Each subscription proceeds once more. */
    private static MethodInvocation copy(MethodInvocation call) {
        return call instanceof ProxyMethodInvocation again ? again.invocableClone() : call;
    }
}
