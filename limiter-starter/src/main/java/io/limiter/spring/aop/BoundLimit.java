package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.spring.check.CallCounts;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import java.util.Arrays;
import java.util.Collections;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A declared limit with its limiter. */
final class BoundLimit {

    private final DeclaredLimit declared;
    private final CheckedLimit checked;
    private final LimiterFactory factory;
    // One of the two.
    private final @Nullable Limiter limiter;
    private final @Nullable ConcurrencyLimiter concurrencyLimiter;
    private final @Nullable LimitResolver resolver;
    private final CallCounts.OfLimit calls;

    /** @param factory the one of the declared limit */
    BoundLimit(DeclaredLimit declared, LimiterFactory factory, ApplicationBeans beans) {
        this.declared = declared;
        this.factory = declared.hashTag() == null ? factory : factory.withHashTag(HashTag.FIRST_KEY);
        RejectionLog log = new RejectionLog(declared.where(), declared.enforced(), System::nanoTime);
        this.checked = new CheckedLimit(declared.name(), declared.enforced(), declared.message(), log);
        String name = declared.name().name();
        if (declared.limit() instanceof ConcurrencyLimit limit) {
            this.concurrencyLimiter = factory.build(name, limit);
            this.limiter = null;
        } else {
            this.concurrencyLimiter = null;
            PrefetchTerms prefetch = declared.prefetch();
            LimiterFactory own = prefetch == null
                    ? this.factory
                    : this.factory.withPrefetch(prefetch.maxPermits(), prefetch.maxTime());
            this.limiter = own.build(name, declared.limit());
        }
        this.resolver = declared.resolver().isEmpty() ? null : beans.resolver(declared.resolver());
        this.calls = beans.calls().of(name);
    }

    DeclaredLimit declared() {
        return declared;
    }

    CheckedLimit checked() {
        return checked;
    }

    /** Counts a rejected call that the fallback answers. */
    void countFallback(Decision rejection) {
        calls.fallback(rejection);
    }

    /**
     * The permits that a call takes; {@code null} if it skips the limit, or if an earlier check has granted them.
     *
     * @throws MissingLimitKeyException if the call has no key, and the limit is enforced
     * @throws InvalidLimitArgumentException if its arguments make no cost or condition, and the limit is enforced
     */
    @Nullable
    CheckPart part(MethodInvocation call, @Nullable DecisionRecorder recorder) {
        PermitRequest request = request(call);
        if (request == null) {
            return null;
        }
        // Nothing of a limit in shadow mode is recorded.
        Decision earlier = recorder == null || !checked.enforced() ? null : recorder.earlier(request);
        return earlier != null && earlier.granted()
                ? null
                : new CheckPart(checked, limiter(call, request.key()), request, declared.timeout(), earlier);
    }

    /** The limit as a step of its own; {@code null} and exceptions as of {@link #part}. */
    @Nullable
    CheckStep<?> step(MethodInvocation call, @Nullable DecisionRecorder recorder) {
        if (concurrencyLimiter == null) {
            CheckPart part = part(call, recorder);
            return part == null ? null : CheckStep.of(part);
        }
        PermitRequest request = request(call);
        return request == null
                ? null
                : CheckStep.hold(checked, concurrencyLimiter, request.key(), request.permits(), declared.timeout());
    }

    private @Nullable PermitRequest request(MethodInvocation call) {
        try {
            @Nullable Object[] arguments = call.getArguments();
            int permits = declared.permits().of(arguments);
            if (permits == 0) {
                calls.skip();
                return null;
            }
            String hashTag =
                    declared.hashTag() == null ? null : declared.hashTag().of(arguments);
            return new PermitRequest(checked.name(), declared.key().of(arguments), hashTag, permits);
        } catch (MissingLimitKeyException | InvalidLimitArgumentException e) {
            checked.log().failed(e);
            if (checked.enforced()) {
                throw e;
            }
            return null;
        }
    }

    /** @throws IllegalStateException if the resolved limit is of a kind that cannot read what the declared one stored */
    private Limiter limiter(MethodInvocation call, @Nullable String key) {
        Limiter own = limiter;
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
        return resolved == null ? own : factory.build(declared.name().name(), resolved);
    }
}
