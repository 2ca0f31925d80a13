package io.limiter.spring.aop;

import java.util.List;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Calls of methods that return a publisher of Reactor: limited when it is subscribed to, each subscription once, without
 * a thread that waits. The key is found by Reactor's context with each subscription where there is a
 * {@link SubscriptionContext}, otherwise in the thread that calls the method, once. The method is called by the
 * subscriber's thread if the decision is there at once, otherwise by one of Reactor's parallel scheduler, because those
 * that bring decisions serve all others too. Only used where Reactor is: the methods return its types.
 */
final class ReactiveCalls {

    private ReactiveCalls() {}

    static Mono<?> mono(BoundLimits limits, MethodInvocation call, @Nullable SubscriptionContext subscriptions) {
        return questions(limits, call, subscriptions)
                .flatMap(ReactiveCalls::asked)
                .flatMap(refusal -> Mono.from(answer(refusal, call)));
    }

    static Flux<?> flux(BoundLimits limits, MethodInvocation call, @Nullable SubscriptionContext subscriptions) {
        return questions(limits, call, subscriptions)
                .flatMap(ReactiveCalls::asked)
                .flatMapMany(refusal -> answer(refusal, call));
    }

    private static Mono<List<Asked<?>>> questions(
            BoundLimits limits, MethodInvocation call, @Nullable SubscriptionContext subscriptions) {
        if (subscriptions != null) {
            return Mono.deferContextual(
                    context -> subscriptions.call(context, limits.byUser(), () -> limits.asked(call)));
        }
        try {
            return Mono.just(limits.asked(call));
        } catch (RuntimeException e) {
            return Mono.error(e);
        }
    }

    /** A subscription that is cancelled cancels the question. */
    private static Mono<Optional<Refusal>> asked(List<Asked<?>> questions) {
        Asking asking = Asking.of(questions);
        Mono<Optional<Refusal>> asked = Mono.fromFuture(asking);
        return asking.isDone() ? asked : asked.publishOn(Schedulers.parallel());
    }

    private static Publisher<Object> answer(Optional<Refusal> refusal, MethodInvocation call) {
        try {
            return publisher(refusal.isPresent() ? refusal.get().answer(call) : Proceeding.withCopyOf(call), call);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> publisher(@Nullable Object result, MethodInvocation call) {
        if (!(result instanceof Publisher<?> publisher)) {
            throw new IllegalStateException(call.getMethod() + " returned null instead of a publisher");
        }
        return (Publisher<Object>) publisher;
    }
}
