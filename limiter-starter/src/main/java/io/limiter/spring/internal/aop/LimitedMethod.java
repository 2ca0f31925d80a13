package io.limiter.spring.internal.aop;

import io.limiter.spring.internal.aop.result.LateResults;
import io.limiter.spring.internal.aop.result.ResultKind;
import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.CheckResult;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.check.Rule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;

/**
 * A limited method and its rules. Rate limits are decided first, as a set, all or nothing. The concurrency limit comes next, so that a
 * call that is rejected for its rate neither waits for a lease nor takes one. Limits in shadow mode are evaluated after these have
 * granted. Safe for use by many threads.
 */
final class LimitedMethod {

    private final Method method;
    private final Class<?> beanClass;
    private final List<AnnotationRule> declared;
    private final ResultKind kind;
    private final @Nullable ReactiveAdapter adapter;
    private final RuleBinder binder;
    private final ApplicationBeans beans;
    private final AtomicReference<@Nullable List<Rule>> rules = new AtomicReference<>();

    /** @param declared at least one, concurrency limits last */
    LimitedMethod(
            Method method,
            Class<?> beanClass,
            List<AnnotationRule> declared,
            RuleBinder binder,
            ApplicationBeans beans) {
        this.method = method;
        this.beanClass = beanClass;
        this.declared = declared;
        this.kind = ResultKind.of(method);
        this.adapter = ResultKind.adapter(method);
        this.binder = binder;
        this.beans = beans;
    }

    /**
     * Builds the limiters, unless they are there.
     *
     * @throws io.limiter.spring.annotation.InvalidLimitException if one cannot be built, or the limits cannot work in this application
     */
    LimitedMethod bound() {
        if (rules.get() == null) {
            // No lock is held, because a bean may be looked up, and its creation may end in the same method.
            rules.compareAndSet(null, binder.bind(method, beanClass, kind, declared));
        }
        return this;
    }

    /** What its annotations declare. */
    List<AnnotationRule> declared() {
        return declared;
    }

    /** How callers get the result. */
    ResultKind kind() {
        return kind;
    }

    /** Adapts what the method returns; {@code null} if that is no publisher. */
    @Nullable
    ReactiveAdapter adapter() {
        return adapter;
    }

    ApplicationBeans beans() {
        return beans;
    }

    private List<Rule> rules() {
        return Objects.requireNonNull(rules.get());
    }

    /** Whether the user must be known before the next call is checked. */
    boolean usesUser() {
        return rules().stream().anyMatch(rule -> rule.needs().user());
    }

    /** Whether the form of the request must be known before the next call is checked. */
    boolean usesForm() {
        return rules().stream().anyMatch(rule -> rule.needs().form());
    }

    /** Whether the caller must be known before the next call is checked. */
    boolean usesCaller() {
        return rules().stream().anyMatch(rule -> !rule.needs().isEmpty());
    }

    /** The check of a call, whose decisions are recorded for the request of the current thread; see {@link Check#of}. */
    Check check(MethodInvocation call) {
        return check(call, beans.recorder());
    }

    /** @param recorder of the decisions; {@code null} if they are not recorded */
    Check check(MethodInvocation call, @Nullable DecisionRecorder recorder) {
        return Check.of(rules(), facts(call), recorder);
    }

    private Facts facts(MethodInvocation call) {
        return Facts.of(call.getMethod(), call.getArguments(), declared.get(0).caller());
    }

    /**
     * Checks a result of a call: if it holds permits, these are released now, so its work must be done.
     *
     * @param value the result, or a value of the future or the publisher that is the result
     * @throws IllegalStateException if the work is done later, and the limit is enforced; otherwise that is logged
     */
    void checkDone(CheckResult permit, @Nullable Object value) {
        if (!permit.isHolding()) {
            return;
        }
        int held = declared.size() - 1;
        IllegalStateException late = LateResults.failure(declared.get(held).where(), value, LateResults.Use.LEASE);
        if (late != null) {
            rules().get(held).failed(late);
        }
    }
}
