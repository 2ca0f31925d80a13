package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Decision;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.MissingLimitKeyException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A declared limit with the limiter that carries it out. */
final class BoundLimit {

    private final DeclaredLimit declared;
    private final Limiter limiter;
    private final @Nullable ResolvedLimiters resolved;
    private final ApplicationBeans beans;
    private final RefusalLog refusals;
    private final CallCounts.OfLimit calls;

    /** @param resolved {@code null} if the limit is the same for all calls */
    private BoundLimit(
            DeclaredLimit declared, Limiter limiter, @Nullable ResolvedLimiters resolved, ApplicationBeans beans) {
        this.declared = declared;
        this.limiter = limiter;
        this.resolved = resolved;
        this.beans = beans;
        this.refusals = new RefusalLog(declared.where(), isEnforced(), System::nanoTime);
        this.calls = beans.calls().of(declared.name());
    }

    static BoundLimit of(DeclaredLimit declared, LimiterFactory prefixed, ApplicationBeans beans) {
        String resolver = declared.resolver();
        // A dry run refuses nobody, so there is nothing to tell.
        LimiterFactory factory = declared.onRefusal().enforce() ? prefixed : prefixed.withoutListeners();
        Limiter limiter = factory.build(declared.name(), declared.limit());
        if (declared.slot() != null) {
            // So that its totals say so from the start, and not only when it was asked.
            limiter.own().inSlot(declared.name());
        }
        return new BoundLimit(
                declared,
                limiter,
                resolver.isEmpty() ? null : new ResolvedLimiters(declared, beans.resolver(resolver), factory),
                beans);
    }

    DeclaredLimit declared() {
        return declared;
    }

    /** Whether both draw from the same permits if they are asked for the same key. */
    boolean sharesPermitsWith(BoundLimit other) {
        return declared.prefix().equals(other.declared.prefix())
                && declared.name().equals(other.declared.name());
    }

    boolean isEnforced() {
        return declared.onRefusal().enforce();
    }

    /** A refused call is answered by a fallback. */
    void answersInstead(Decision refusal) {
        calls.fallback(refusal);
    }

    /**
     * What is to be asked for a call; {@code null} if that is nothing, or was granted to it before.
     *
     * @throws MissingLimitKeyException if the call has no key, and the limit is enforced
     * @throws InvalidLimitArgumentException if its arguments give no cost or condition, and the limit is enforced
     */
    @Nullable
    Question question(MethodInvocation call) {
        try {
            return questionFor(call);
        } catch (MissingLimitKeyException | InvalidLimitArgumentException e) {
            refusals.failed(e);
            if (isEnforced()) {
                throw e;
            }
            return null;
        }
    }

    /** A dry run could not be: its call goes on, and the log is told. */
    void untried(RuntimeException why) {
        refusals.failed(why);
    }

    private @Nullable Question questionFor(MethodInvocation call) {
        @Nullable Object[] arguments = call.getArguments();
        int permits = declared.permits().of(arguments);
        if (permits == 0) {
            calls.skip();
            return null;
        }
        String owner = declared.key().of(arguments);
        String slot = declared.slot() == null ? null : declared.slot().of(arguments);
        // A dry run is nobody's business but the log's.
        DecisionRecorder recorder = isEnforced() ? beans.recorder() : null;
        Decision earlier = recorder == null ? null : recorder.earlier(asked(owner, slot, permits));
        if (earlier != null && earlier.granted()) {
            return null;
        }
        Limiter asked = resolved == null ? limiter : resolved.of(call, owner);
        return new Question(this, asked, owner, slot, permits, recorder, earlier);
    }

    LimitAsked asked(@Nullable String owner, @Nullable String slot, int permits) {
        return new LimitAsked(declared.prefix(), declared.name(), declared.named(), owner, slot, permits);
    }

    /**
     * What becomes of a call that was refused; {@code null} if it goes on all the same.
     *
     * @param repeated whether it was refused before, and told then
     */
    @Nullable
    Refusal refusal(@Nullable String owner, Decision decision, boolean repeated) {
        if (!repeated) {
            refusals.refused(decision);
        }
        if (!isEnforced()) {
            return null;
        }
        String whose = owner == null ? limiter.name() : owner;
        return new Refusal(
                this, Refusal.exceeded(whose, decision, declared.onRefusal().message()), repeated);
    }
}
