package io.limiter.internal.named;

import io.limiter.HashTag;
import io.limiter.LimiterTotals;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.key.HashTags;
import io.limiter.internal.key.KeySpace;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What makes two limiters of a factory the same one.
 *
 * @param name whose permits they take
 */
public record LimiterId(String prefix, String name, AnyLimit limit, OptionsInUse options) {

    /**
     * @param prefix {@code null} for the default of the kind of limit
     * @throws IllegalArgumentException if the limit cannot be prefetched, have a ban, leave permits, warn or be unlimited, but the options
     *     say so, or if the options exclude each other
     */
    public static LimiterId of(@Nullable String prefix, String name, AnyLimit limit, OptionsInUse options) {
        checkPrefetch(Objects.requireNonNull(limit, "limit"), options);
        checkBan(limit, options);
        checkLeave(limit, options);
        checkWarnAt(limit, options);
        if (options.unlimited() && options.plan() == null) {
            throw new IllegalArgumentException("only a plan can be unlimited, and '" + name
                    + "' was asked for without one: add withPlan, or leave unlimited out");
        }
        return new LimiterId(prefix == null ? KeySpace.defaultPrefix(limit) : prefix, name, limit, options);
    }

    private static void checkPrefetch(AnyLimit limit, OptionsInUse options) {
        if (options.prefetch() == null) {
            return;
        }
        if (!(limit instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException("prefetch works only with a token bucket, limit was " + limit);
        }
        if (bucket.whoWaits() != WhoWaits.CALLER) {
            throw new IllegalArgumentException("prefetch works only with whoWaits CALLER, was " + bucket.whoWaits()
                    + ": permits that are prefetched would make the next caller wait for all of them");
        }
    }

    private static void checkBan(AnyLimit limit, OptionsInUse options) {
        if (options.ban() == null) {
            return;
        }
        if (limit instanceof ConcurrencyLimit) {
            throw new IllegalArgumentException(
                    "a ban works only with a limit whose permits are spent, not held, limit was " + limit);
        }
        if (options.prefetch() != null) {
            throw new IllegalArgumentException(
                    "a ban and prefetch exclude each other, because prefetched permits are granted without Redis, which"
                            + " knows the ban: leave one of them out, they were " + options.ban() + " and "
                            + options.prefetch());
        }
    }

    private static void checkLeave(AnyLimit limit, OptionsInUse options) {
        Share leave = options.leave();
        if (leave == null) {
            return;
        }
        if (!limit.asStep().leavesPermits()) {
            throw new IllegalArgumentException(
                    "leave works only with a fixed window, a sliding log or counter, and a token or leaky bucket whose caller waits,"
                            + " limit was " + limit);
        }
        if (options.prefetch() != null) {
            throw new IllegalArgumentException(
                    "leave and prefetch exclude each other, because prefetched permits are taken before it is known how many"
                            + " are left: leave one of them out, they were " + leave + " and " + options.prefetch());
        }
        if (leave.of(limit.capacity()) >= limit.capacity()) {
            throw new IllegalArgumentException("leave must be less than the capacity of " + limit.capacity()
                    + ", or nothing could be taken, was " + leave);
        }
    }

    private static void checkWarnAt(AnyLimit limit, OptionsInUse options) {
        if (limit instanceof FixedWindow window && window.warnAt() != 0) {
            throw new IllegalArgumentException(
                    "a limit does not say itself when it warns, set LimiterOptions.withWarnAt instead, was " + limit);
        }
        Share warnAt = options.warnAt();
        if (warnAt == null) {
            return;
        }
        if (!(limit instanceof FixedWindow window)) {
            throw new IllegalArgumentException("warn-at works only with a fixed window, limit was " + limit);
        }
        long used = warnAt.of(window.limit());
        if (used > window.limit()) {
            throw new IllegalArgumentException(
                    "warn-at must be at most the limit of " + window.limit() + ", was " + warnAt);
        }
    }

    /** The name under which all but the backend know the limiter. */
    String reportedName() {
        return options.plan() == null ? name : LimiterTotals.planName(name, options.plan());
    }

    /** The stored keys of its permits. */
    public KeySpace keys(Supplier<HashTags> hashTags, KeySpace.Recent recent) {
        boolean firstIsHashTag = options.hashTag() == HashTag.FIRST_KEY;
        return new KeySpace(
                options.namespace(), prefix, name, limit.asStep().keySuffix(), firstIsHashTag, hashTags, recent);
    }
}
