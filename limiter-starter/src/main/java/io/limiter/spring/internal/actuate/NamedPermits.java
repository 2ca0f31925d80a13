package io.limiter.spring.internal.actuate;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Limit;
import io.limiter.internal.limiter.KeyView;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits that an operator selected, with or without a lease.
 *
 * @param storedKey {@code null} of a limiter that the application brings
 */
record NamedPermits(
        Supplier<Decision> peek, Runnable reset, @Nullable String storedKey) {

    /**
     * Builds the limiter again, because a factory keeps statistics longer than limiters.
     *
     * @param keys of their key path; none for the limit's own permits
     */
    static NamedPermits of(LimiterFactory factory, LimiterTotals totals, AnyLimit limit, List<String> keys) {
        // A live limit has changed this one already, and what is built for a look must not be shown later.
        LimiterOptions options = LimiterOptions.NONE
                .withLiveLimits(false)
                .withNamespace(totals.namespace())
                .withPrefix(totals.prefix());
        options = totals.plan().map(options::withPlan).orElse(options);
        options = totals.ban().map(options::withBan).orElse(options);
        options = totals.failurePolicy().map(options::withFailurePolicy).orElse(options);
        LimiterFactory limiters = factory.with(options.withHashTag(totals.hashTag()));
        if (limit instanceof ConcurrencyLimit held) {
            ConcurrencyLimiter limiter = view(limiters.build(totals.limiter(), held), ConcurrencyLimiter::on, keys);
            return new NamedPermits(limiter::peek, limiter::reset, storedKey(limiter));
        }
        Limiter limiter = view(limiters.build(totals.limiter(), (Limit) limit), Limiter::on, keys);
        return new NamedPermits(limiter::peek, limiter::reset, storedKey(limiter));
    }

    private static @Nullable String storedKey(Object limiter) {
        return limiter instanceof KeyView<?> view ? view.storedKey() : null;
    }

    private static <T> T view(T limiter, BiFunction<T, String, T> on, List<String> keys) {
        T view = limiter;
        for (String key : keys) {
            view = on.apply(view, key);
        }
        return view;
    }
}
