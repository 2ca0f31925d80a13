package io.limiter.spring.aop;

import io.limiter.ConcurrencyLimiter;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.PrefetchTerms;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.live.LiveSettings;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.settings.ConfiguredLimits.Configured;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A declared limit as calls use it: with its limiter, and with the timeout and the mode of its live limit. Each call uses
 * one of these from its start to its end.
 *
 * @param live the settings of the live limit that it was made with
 * @param factory of limits that a resolver chooses
 * @param limiter {@code null} for a concurrency limit
 * @param concurrencyLimiter {@code null} for other limits
 */
record AppliedLimit(
        DeclaredLimit declared,
        LiveSettings live,
        CheckedLimit checked,
        Duration timeout,
        LimiterFactory factory,
        @Nullable Limiter limiter,
        @Nullable ConcurrencyLimiter concurrencyLimiter) {

    /** @throws IllegalArgumentException if its limiter cannot be built */
    static AppliedLimit of(DeclaredLimit declared, LiveSettings live, CheckedLimit mode, LimiterFactory limiters) {
        Configured configured = declared.configured();
        CheckedLimit checked = mode.inMode(live.enforce() == null ? configured.enforced() : live.enforce());
        Duration timeout = live.timeout() == null ? configured.timeout() : live.timeout();
        LimiterFactory factory = declared.factory(limiters, checked.enforced());
        String name = declared.name().name();
        if (declared.limit() instanceof ConcurrencyLimit limit) {
            return new AppliedLimit(
                    declared, live, checked, timeout, factory.withoutLiveLimits(), null, factory.build(name, limit));
        }
        LimiterFactory tagged = declared.hashTag() == null ? factory : factory.withHashTag(HashTag.FIRST_KEY);
        PrefetchTerms prefetch = declared.prefetch();
        LimiterFactory own = prefetch == null ? tagged : tagged.withPrefetch(prefetch.maxPermits(), prefetch.maxTime());
        return new AppliedLimit(
                declared, live, checked, timeout, tagged.withoutLiveLimits(), own.build(name, declared.limit()), null);
    }
}
