package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.spring.aop.DeclaredLimit.Built;
import io.limiter.spring.check.Charge;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.LeaseStep;
import io.limiter.spring.check.LimitWithPlans;
import io.limiter.spring.check.LimitWithPlans.ForCall;
import io.limiter.spring.check.MessageCode;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.key.PlanRequest;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.key.spel.KeyTemplate;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A declared limit with its limiter, and with what live limits change of it. */
final class MethodLimit {

    private final DeclaredLimit declared;
    private final ApplicationBeans beans;
    private final LimitWithPlans<Built> withPlans;

    /**
     * @param several whether the method has several limits whose permits are spent
     * @throws IllegalArgumentException if its limiter cannot be built or cannot be in a set, its message has no text, or it needs a web
     *     application
     */
    MethodLimit(DeclaredLimit declared, boolean several, LimiterFactory limiters, ApplicationBeans beans) {
        this.declared = declared;
        this.beans = beans;
        this.withPlans = use(declared, limiters, beans);
        Limiter limiter = withPlans.forCall().limiter().limiter();
        if (limiter != null && (several || declared.isCharged())) {
            CheckStep.checkIsForSets(limiter);
        }
        String message = MessageCode.problem(declared.message(), beans.messages());
        if (message != null) {
            throw new IllegalArgumentException("message " + message);
        }
        if (declared.permits().maySkip()) {
            beans.calls().addSkips(declared.name().name());
        }
        if (declared.isChargedByStatus() && beans.find(DecisionRecorder.Finder.class) == null) {
            throw new IllegalArgumentException("chargeOn can be HTTP statuses only in a web application, and this is"
                    + " none: use failure, success or an expression");
        }
    }

    private static LimitWithPlans<Built> use(DeclaredLimit declared, LimiterFactory limiters, ApplicationBeans beans) {
        Configured configured = declared.configured();
        if (!configured.plans().isEmpty() && declared.plan() == null && beans.find(PlanResolver.class) == null) {
            throw InvalidSettingException.ofUnusedPlans(
                    configured.definedBy() + ".plans", "set the plan of the annotation, such as #{user.plan}");
        }
        return new LimitWithPlans<>(
                declared.name(),
                declared.message(),
                new RejectionLog(declared.where(), true, System::nanoTime),
                configured,
                beans::liveSettings,
                (plan, enforced) -> declared.build(limiters, plan, enforced),
                Set.of());
    }

    ForCall<Built> forCall() {
        return withPlans.forCall();
    }

    DeclaredLimit declared() {
        return declared;
    }

    /**
     * The step that takes the permits of a call: a {@link CheckPart} if they are spent. {@code null} if the
     * call skips the limit, if a decision of an earlier check grants them, or if the limit is in shadow mode and its key, cost or condition
     * fails, which is logged.
     *
     * @throws MissingLimitKeyException if the call has no key, and the limit is enforced
     * @throws InvalidLimitArgumentException if its arguments make no cost or condition, and the limit is enforced
     */
    @Nullable
    CheckStep<?> step(MethodInvocation call, @Nullable DecisionRecorder recorder) {
        ForCall<Built> used = withPlans.forCall();
        try {
            PermitRequest request = request(call);
            return request == null ? null : step(planned(used, call, request.key()), call, request, recorder);
        } catch (RuntimeException e) {
            failed(used, e);
            return null;
        }
    }

    private @Nullable CheckStep<?> step(
            ForCall<Built> used, MethodInvocation call, PermitRequest request, @Nullable DecisionRecorder recorder) {
        ConcurrencyLimiter concurrencyLimiter = used.limiter().concurrencyLimiter();
        if (concurrencyLimiter != null) {
            return new LeaseStep(used.limit(), concurrencyLimiter, request, used.timeout());
        }
        // Nothing of a limit in shadow mode is recorded.
        Decision earlier = recorder == null || !used.limit().enforced() ? null : recorder.earlier(request);
        Charge charge = declared.charge(call.getArguments(), request.permits());
        if (earlier != null && earlier.isGranted()) {
            if (charge == null || charge.byStatus()) {
                return null;
            }
            // The earlier call may have returned its permits: each call is charged for its own outcome.
            earlier = null;
        }
        Duration timeout = recorder == null ? used.timeout() : recorder.timeout(used.timeout());
        return new CheckPart(used.limit(), limiter(used), request, timeout, earlier, charge);
    }

    /** The limit that the plan of a call has. */
    private ForCall<Built> planned(ForCall<Built> used, MethodInvocation call, @Nullable String key) {
        KeyTemplate plan = declared.plan();
        if (plan != null) {
            return withPlans.forCall(() -> plan.of(call.getArguments(), declared.caller()));
        }
        if (key == null || !withPlans.hasPlans()) {
            return used;
        }
        PlanResolver plans = beans.find(PlanResolver.class);
        return plans == null
                ? used
                : withPlans.forCall(() -> plans.planOf(
                        PlanRequest.ofCall(declared.name().name(), key, call.getMethod(), arguments(call))));
    }

    private static List<@Nullable Object> arguments(MethodInvocation call) {
        return Collections.unmodifiableList(Arrays.asList(call.getArguments()));
    }

    /** Logs why a call cannot be limited, and throws that if the limit is enforced. */
    static void failed(ForCall<Built> used, RuntimeException failure) {
        used.limit().log().failed(failure);
        if (used.limit().enforced()) {
            throw failure;
        }
    }

    private @Nullable PermitRequest request(MethodInvocation call) {
        @Nullable Object[] arguments = call.getArguments();
        long permits = declared.permits(arguments);
        if (permits == 0) {
            beans.calls().skip(declared.name().name());
            return null;
        }
        return new PermitRequest(declared.name(), declared.keys(arguments), permits);
    }

    private Limiter limiter(ForCall<Built> used) {
        Limiter own = used.limiter().limiter();
        if (own == null) {
            throw new IllegalStateException("permits of " + declared.where() + " are held, not spent");
        }
        return own;
    }
}
