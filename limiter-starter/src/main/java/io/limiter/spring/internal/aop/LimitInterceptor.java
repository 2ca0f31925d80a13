package io.limiter.spring.internal.aop;

import io.limiter.spring.internal.aop.result.SubscriptionContext;
import io.limiter.spring.internal.check.CallOutcome;
import io.limiter.spring.internal.check.CheckResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;

/** Proceeds with a call if all limits of its method grant it; otherwise throws the rejection. */
final class LimitInterceptor implements MethodInterceptor {

    private final LimitedMethods methods;
    private final ApplicationBeans beans;

    LimitInterceptor(LimitedMethods methods, ApplicationBeans beans) {
        this.methods = methods;
        this.beans = beans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        LimitedMethod method = methods.called(call);
        return switch (method.kind()) {
            case PLAIN -> plain(method, call);
            case FUTURE -> runsInExecutor(call) ? plain(method, call) : LimitedFuture.of(method, call);
            case PUBLISHER -> LimitedPublisher.of(method, call, beans.find(SubscriptionContext.class));
        };
    }

    /**
     * Whether Spring has handed this call to an executor, for {@code @Async} or an annotation like it. A thread of that waits for
     * the future of the call, so it may wait for the decision, too, and the method runs in the thread that the application chose.
     */
    private boolean runsInExecutor(MethodInvocation call) {
        if (!(call instanceof ProxyMethodInvocation proxied) || !(proxied.getProxy() instanceof Advised proxy)) {
            return false;
        }
        for (Advisor advisor : proxy.getAdvisors()) {
            if (advisor.getAdvice() == this) {
                return false;
            }
            if (advisor.getAdvice() instanceof AsyncExecutionInterceptor && applies(advisor, call)) {
                return true;
            }
        }
        return false;
    }

    private static boolean applies(Advisor advisor, MethodInvocation call) {
        Object target = call.getThis();
        if (target == null || !(advisor instanceof PointcutAdvisor among)) {
            return true;
        }
        Class<?> type = AopUtils.getTargetClass(target);
        Pointcut pointcut = among.getPointcut();
        return pointcut.getClassFilter().matches(type)
                && pointcut.getMethodMatcher().matches(call.getMethod(), type);
    }

    private @Nullable Object plain(LimitedMethod method, MethodInvocation call) throws Throwable {
        EventLoops.checkMayWait(call.getMethod());
        CheckResult result = method.check(call).run();
        if (result.rejection() != null) {
            throw result.rejection().exception();
        }
        return result.isOpen() ? proceed(result, method, call) : call.proceed();
    }

    private @Nullable Object proceed(CheckResult permit, LimitedMethod method, MethodInvocation call) throws Throwable {
        boolean goesOn = false;
        CallOutcome outcome = null;
        try {
            Object returned = call.proceed();
            if (returned instanceof CompletionStage<?> stage) {
                Object followed = follow(stage, permit, method, call);
                goesOn = true;
                return followed;
            }
            method.checkDone(permit, returned);
            outcome = CallOutcome.of(returned, null);
            return returned;
        } catch (Throwable e) {
            outcome = CallOutcome.of(null, e);
            throw e;
        } finally {
            if (!goesOn) {
                permit.close(outcome);
            }
        }
    }

    private Object follow(CompletionStage<?> stage, CheckResult permit, LimitedMethod method, MethodInvocation call) {
        if (stage.getClass() == CompletableFuture.class) {
            LimitedFuture future = new LimitedFuture(method, call);
            future.follow(stage, permit);
            return future;
        }
        // The caller may need a future of this type.
        stage.whenComplete((value, error) -> permit.closeAsync(CallOutcome.of(value, error)));
        return stage;
    }
}
