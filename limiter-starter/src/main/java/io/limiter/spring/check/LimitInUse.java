package io.limiter.spring.check;

import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A limit of calls or requests, with what its live limit changes of its mode and its timeout. Safe for use by many threads.
 *
 * @param <L> its limiter
 */
public final class LimitInUse<L> {

    private final CheckedLimit limit;
    private final boolean enforced;
    private final Duration timeout;
    private final Supplier<LiveSettings> live;
    private final Function<Boolean, L> limiters;
    private volatile Applied<L> last;

    /**
     * @param enforced whether it rejects without a live limit
     * @param timeout how long a call waits for permits without a live limit
     * @param live the current live settings, read with each call
     * @param limiters builds its limiter, enforced or for shadow mode
     * @throws IllegalArgumentException if its limiter cannot be built
     */
    public LimitInUse(
            CheckedLimit limit,
            boolean enforced,
            Duration timeout,
            Supplier<LiveSettings> live,
            Function<Boolean, L> limiters) {
        this.limit = limit;
        this.enforced = enforced;
        this.timeout = timeout;
        this.live = live;
        this.limiters = limiters;
        this.last = apply(live.get());
    }

    /** The same as it is for one call, from its start to its end. */
    public record Applied<L>(LiveSettings live, CheckedLimit limit, Duration timeout, L limiter) {}

    public String name() {
        return limit.name().name();
    }

    /** The limit for the next call. */
    public Applied<L> applied() {
        LiveSettings settings = live.get();
        Applied<L> applied = last;
        if (applied.live() != settings) {
            applied = apply(settings);
            last = applied;
        }
        return applied;
    }

    private Applied<L> apply(LiveSettings settings) {
        CheckedLimit applied = limit.inMode(settings.enforce() == null ? enforced : settings.enforce());
        return new Applied<>(
                settings,
                applied,
                settings.timeout() == null ? timeout : settings.timeout(),
                limiters.apply(applied.enforced()));
    }
}
