package io.limiter.spring.internal.aop;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.internal.aop.result.ResultKind;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.MessageCode;
import io.limiter.spring.internal.check.RejectionLog;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.check.RuleLimit;
import io.limiter.spring.internal.settings.InvalidSettings;
import io.limiter.spring.key.PlanResolver;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes rules of what annotations declare, and builds their limiters, which needs the application's beans. */
final class RuleBinder {

    private final Supplier<LimiterFactory> factory;
    private final ApplicationBeans beans;
    private final Map<Name, AnnotationRule> byName = new ConcurrentHashMap<>();

    RuleBinder(Supplier<LimiterFactory> factory, ApplicationBeans beans) {
        this.factory = factory;
        this.beans = beans;
    }

    /**
     * The rules of a method.
     *
     * @throws InvalidLimitException if a limiter cannot be built, or the limits cannot work in this application
     */
    List<Rule> bind(Method method, Class<?> beanClass, ResultKind kind, List<AnnotationRule> declared) {
        if (kind == ResultKind.PLAIN) {
            EventLoops.checkHandlerMayWait(declared.get(0).where(), method, beanClass, beans);
        }
        if (kind != ResultKind.PUBLISHER) {
            declared.stream()
                    .filter(AnnotationRule::isChargedByStatus)
                    .forEach(rule -> EventLoops.checkKnowsResponse(rule.where(), beans));
        }
        boolean several = declared.stream().filter(rule -> !rule.isHeld()).count() > 1;
        return declared.stream().map(rule -> bind(rule, several)).toList();
    }

    /** @param several whether the method has several limits whose permits are spent */
    private Rule bind(AnnotationRule declared, boolean several) {
        LimiterFactory limiters = factory.get();
        try {
            declared.checkAvailable();
            checkAgrees(declared);
            return rule(declared, several, limiters);
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(declared.where(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * @throws IllegalArgumentException if its limiter cannot be built or cannot be in a set, its message has no text, it has plans that
     *     nothing finds, or it needs a web application
     */
    private Rule rule(AnnotationRule declared, boolean several, LimiterFactory limiters) {
        PlanResolver resolver = resolver(declared);
        RejectionLog log = new RejectionLog(declared.where(), true, System::nanoTime);
        RuleLimit limit = new RuleLimit(
                declared.name(),
                declared.message(),
                log,
                declared.configured(),
                limiters,
                beans::liveSettings,
                Set.of());
        if (several) {
            limit.checkIsForSets();
        }
        String problem = MessageCode.problem(declared.message(), beans.messages());
        if (problem != null) {
            throw new IllegalArgumentException("message " + problem);
        }
        if (declared.isChargedByStatus() && beans.find(DecisionRecorder.Finder.class) == null) {
            throw new IllegalArgumentException("chargeOn can be HTTP statuses only in a web application, and this is"
                    + " none: use failure, success or an expression");
        }
        return new Rule(
                List.of(limit),
                declared.keys(),
                declared.permits(),
                declared.plan(),
                resolver,
                declared.anchor(),
                declared.charges(),
                resolver == null ? declared.needs() : declared.needs().andUser(),
                log,
                beans.calls());
    }

    /** What finds the plans of calls; {@code null} if the annotation names them, or if there are none. */
    private @Nullable PlanResolver resolver(AnnotationRule declared) {
        if (declared.configured().plans().isEmpty() || declared.plan() != null) {
            return null;
        }
        PlanResolver resolver = beans.find(PlanResolver.class);
        if (resolver == null) {
            throw InvalidSettings.ofUnusedPlans(
                    declared.configured().definedBy() + ".plans",
                    "set the plan of the annotation, such as #{user.plan}");
        }
        return resolver;
    }

    /** Two different limits on one bucket would rescale it with every call, and neither would hold. */
    private void checkAgrees(AnnotationRule declared) {
        String name = declared.name().name();
        AnnotationRule first =
                byName.putIfAbsent(new Name(declared.name().prefix(), name, declared.isHeld()), declared);
        if (first != null && !state(first.limit()).equals(state(declared.limit()))) {
            throw new IllegalArgumentException("it shares the name '" + name + "' with " + first.where()
                    + ", which is " + first.limit() + ", and this is " + declared.limit()
                    + ": give both the same limit, or one of them another name");
        }
    }

    /** The part of a limit that its stored state depends on. */
    private static Object state(AnyLimit limit) {
        return limit instanceof TokenBucket bucket
                ? List.of(bucket.kind(), bucket.permitsPerSecond(), bucket.maxPermits(), bucket.maxWait())
                : limit;
    }

    /** Held and spent permits are stored apart. */
    private record Name(String prefix, String name, boolean held) {}
}
