package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.live.LiveSettings;
import io.limiter.spring.aop.DeclaredLimit.Built;
import io.limiter.spring.check.CallCounts;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.LimitInUse;
import io.limiter.spring.check.LimitInUse.Applied;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A declared limit with its limiter, and with what live limits and a new configuration change of it. */
final class BoundLimit {

    private final LimiterFactory limiters;
    private final Supplier<LiveSettings> live;
    private final CheckedLimit checked;
    private final @Nullable LimitResolver resolver;
    private final CallCounts.OfLimit calls;
    private volatile LimitInUse<Built> inUse;

    /** @throws IllegalArgumentException if its limiter cannot be built, or its resolver is no bean */
    BoundLimit(DeclaredLimit declared, LimiterFactory limiters, ApplicationBeans beans) {
        this.limiters = limiters;
        String name = declared.name().name();
        this.live = beans.liveSettings(name);
        RejectionLog log = new RejectionLog(declared.where(), true, System::nanoTime);
        this.checked = new CheckedLimit(declared.name(), true, declared.message(), log);
        this.inUse = use(declared);
        this.resolver = declared.resolver().isEmpty() ? null : beans.resolver(declared.resolver());
        this.calls = beans.calls().of(name);
    }

    private LimitInUse<Built> use(DeclaredLimit declared) {
        Configured configured = declared.configured();
        return new LimitInUse<>(
                checked,
                configured.enforced(),
                configured.timeout(),
                live,
                enforced -> declared.build(limiters, enforced));
    }

    Applied<Built> applied() {
        return inUse.applied();
    }

    /**
     * Prepares another configuration, which applies once the result is run.
     *
     * @throws IllegalArgumentException if its limiter cannot be built
     */
    Runnable change(DeclaredLimit configured) {
        LimitInUse<Built> changed = use(configured);
        return () -> inUse = changed;
    }

    /** As declared, with its current configuration. */
    DeclaredLimit declared() {
        return inUse.applied().limiter().declared();
    }

    CheckedLimit checked() {
        return checked;
    }

    void countFallback(Decision rejection) {
        calls.fallback(rejection);
    }

    /**
     * The step that takes the permits of a call from {@link #applied}: a {@link CheckPart} if they are spent. {@code null} if the
     * call skips the limit, if an earlier check has granted them, or if the limit is in shadow mode and its key, cost, condition
     * or resolver fails, which is logged.
     *
     * @throws MissingLimitKeyException if the call has no key, and the limit is enforced
     * @throws InvalidLimitArgumentException if its arguments make no cost or condition, and the limit is enforced
     */
    @Nullable
    CheckStep<?> step(Applied<Built> used, MethodInvocation call, @Nullable DecisionRecorder recorder) {
        try {
            PermitRequest request = request(used, call);
            return request == null ? null : step(used, call, request, recorder);
        } catch (RuntimeException e) {
            failed(used, e);
            return null;
        }
    }

    private @Nullable CheckStep<?> step(
            Applied<Built> used, MethodInvocation call, PermitRequest request, @Nullable DecisionRecorder recorder) {
        ConcurrencyLimiter concurrencyLimiter = used.limiter().concurrencyLimiter();
        if (concurrencyLimiter != null) {
            return CheckStep.hold(used.limit(), concurrencyLimiter, request, used.timeout());
        }
        // Nothing of a limit in shadow mode is recorded.
        Decision earlier = recorder == null || !used.limit().enforced() ? null : recorder.earlier(request);
        return earlier != null && earlier.granted()
                ? null
                : new CheckPart(used.limit(), limiter(used, call, request.key()), request, used.timeout(), earlier);
    }

    /** Logs why a call cannot be limited, and throws that if the limit is enforced. */
    static void failed(Applied<Built> used, RuntimeException failure) {
        used.limit().log().failed(failure);
        if (used.limit().enforced()) {
            throw failure;
        }
    }

    private @Nullable PermitRequest request(Applied<Built> used, MethodInvocation call) {
        DeclaredLimit declared = used.limiter().declared();
        @Nullable Object[] arguments = call.getArguments();
        int permits = declared.permits().of(arguments);
        if (permits == 0) {
            calls.skip();
            return null;
        }
        String hashTag = declared.hashTag() == null ? null : declared.hashTag().of(arguments);
        return new PermitRequest(declared.name(), declared.key().of(arguments), hashTag, permits);
    }

    /** @throws IllegalStateException if the resolved limit is of a kind that cannot read what the declared one stored */
    private Limiter limiter(Applied<Built> used, MethodInvocation call, @Nullable String key) {
        DeclaredLimit declared = used.limiter().declared();
        Limiter own = used.limiter().limiter();
        if (own == null) {
            throw new IllegalStateException("permits of " + declared.where() + " are held, not spent");
        }
        if (resolver == null) {
            return own;
        }
        Limit<?> resolved = resolver.resolve(new LimitedCall(
                call.getMethod(),
                Collections.unmodifiableList(Arrays.asList(call.getArguments())),
                declared.name().name(),
                declared.limit(),
                key));
        Class<?> kind = declared.limit().getClass();
        if (resolved != null && resolved.getClass() != kind) {
            throw new IllegalStateException(declared.where() + ": resolver '" + declared.resolver() + "' must return a "
                    + kind.getSimpleName() + ", as the one declared, or null; it was " + resolved);
        }
        return resolved == null
                ? own
                : used.limiter().ofResolver().build(declared.name().name(), resolved);
    }
}
