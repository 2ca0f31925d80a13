package io.limiter.internal.live.override;

import io.limiter.FailurePolicy;
import io.limiter.FailurePolicy.Action;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.LiveSettings;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What changes the limiters of one name after they were built: a rate that was set, for those of a prefix, and above it a live
 * limit, for all. They supply the live settings, as long as those fit a limiter of the name, or there is none.
 */
public final class Overrides implements Supplier<LiveSettings> {

    private static final AsyncLog log = AsyncLog.of(Overrides.class);

    private final String name;
    private final Set<Object> kept;
    // Guarded by the monitor of this. With the number of the build.
    private final Map<ChangeableLimit<?>, Long> limiters = new WeakHashMap<>();
    private long builds;
    private final Map<String, Double> ratesByPrefix = new HashMap<>(2);
    private @Nullable LiveSettings warnedOf;
    private LiveSettings live = LiveSettings.NONE;
    private volatile LiveSettings supplied = LiveSettings.NONE;

    /**
     * @param kept holds those that change something
     */
    Overrides(String name, Set<Object> kept) {
        this.name = name;
        this.kept = kept;
    }

    @Override
    public LiveSettings get() {
        return supplied;
    }

    synchronized void add(ChangeableLimit<?> limiter) {
        limiters.put(limiter, ++builds);
        apply(limiter, true);
        supply();
        if (limiter.isLive()) {
            limiter.show();
        }
    }

    synchronized void show(ChangeableLimit<?> limiter) {
        limiters.put(limiter, ++builds);
        supply();
        limiter.show();
    }

    /** Applies from the next decisions on. */
    public synchronized void setRate(String prefix, double permitsPerSecond) {
        ratesByPrefix.put(prefix, permitsPerSecond);
        keepIfNeeded();
        for (ChangeableLimit<?> limiter : limiters.keySet()) {
            apply(limiter, limiter.prefix().equals(prefix));
        }
        supply();
    }

    /**
     * Applies from the next decisions on. Limiters that it does not fit keep their own limit and failure policy, with a warning,
     * and those of another kind without one.
     *
     * @param newLive {@link LiveSettings#NONE} for none
     */
    public synchronized void live(LiveSettings newLive) {
        live = newLive;
        keepIfNeeded();
        for (ChangeableLimit<?> limiter : limiters.keySet()) {
            apply(limiter, false);
        }
        supply();
    }

    private void supply() {
        if (live.isEmpty()) {
            supplied = live;
            return;
        }
        Collection<ChangeableLimit<?>> newest = newest();
        supplied = newest.isEmpty() || newest.stream().anyMatch(limiter -> fits(limiter, withRate(limiter, false)))
                ? live
                : LiveSettings.NONE;
    }

    /** Those that live limits change, of each prefix and kind the one that was built last: a refresh leaves older ones. */
    private Collection<ChangeableLimit<?>> newest() {
        Map<Object, ChangeableLimit<?>> newest = new HashMap<>();
        limiters.keySet().stream()
                .filter(ChangeableLimit::isLive)
                .sorted(Comparator.comparing(limiter -> limiters.getOrDefault(limiter, 0L)))
                .forEach(limiter -> newest.put(prefixAndKind(limiter), limiter));
        return newest.values();
    }

    private static Object prefixAndKind(ChangeableLimit<?> limiter) {
        return List.of(limiter.prefix(), limiter.builtLimit().getClass());
    }

    private boolean fits(ChangeableLimit<?> limiter, Limit<?> own) {
        return isConcerned(own, live) && problem(limiter, own, live) == null;
    }

    private void keepIfNeeded() {
        if (ratesByPrefix.isEmpty() && live.isEmpty()) {
            kept.remove(this);
        } else {
            kept.add(this);
        }
    }

    private <L extends Limit<?>> void apply(ChangeableLimit<L> limiter, boolean logRate) {
        L own = withRate(limiter, logRate);
        if (ratesByPrefix.containsKey(limiter.prefix())) {
            limiter.counters().rateSet();
        }
        if (!limiter.isLive()) {
            limiter.change(own, limiter.builtEngine());
            return;
        }
        String problem = problem(limiter, own, live);
        if (problem != null && warnedOf != live && newest().contains(limiter)) {
            warnedOf = live;
            log.warn(
                    "Limiter '{}' keeps its own limit {}, because the live limit does not fit: {}", name, own, problem);
        }
        if (problem != null || !isConcerned(own, live)) {
            limiter.change(own, limiter.builtEngine());
            return;
        }
        Action action = live.failurePolicy();
        limiter.change(
                LiveLimitMapper.applied(own, live),
                action == null
                        ? limiter.builtEngine()
                        : limiter.builtEngine().with(policy(action, live.failureShare())));
    }

    static FailurePolicy policy(Action action, @Nullable Double share) {
        return share == null ? FailurePolicy.of(action) : FailurePolicy.local(share);
    }

    /** Its own limit, with the rate that was set. */
    @SuppressWarnings("unchecked") // A changed token bucket is one.
    private <L extends Limit<?>> L withRate(ChangeableLimit<L> limiter, boolean logIt) {
        L built = limiter.builtLimit();
        Double rate = ratesByPrefix.get(limiter.prefix());
        if (rate == null || !(built instanceof TokenBucket bucket)) {
            return built;
        }
        try {
            return (L) bucket.withRate(rate);
        } catch (IllegalArgumentException e) {
            if (logIt) {
                log.warn(
                        "Limiter '{}' keeps its rate of {}/s, because its limit does not allow the rate that was set for"
                                + " its name: {}",
                        name,
                        bucket.permitsPerSecond(),
                        e.getMessage());
            }
            return built;
        }
    }

    /** Limiters of several kinds may have one name; then the kind selects those that change. */
    static boolean isConcerned(Limit<?> own, LiveSettings settings) {
        return settings.kind() == null || settings.kind() == LiveLimitMapper.kindOf(own);
    }

    private @Nullable String problem(ChangeableLimit<?> limiter, Limit<?> own, LiveSettings settings) {
        if (!isConcerned(own, settings)
                && limiters.keySet().stream()
                        .anyMatch(other ->
                                other != limiter && other.isLive() && isConcerned(other.builtLimit(), settings))) {
            return null;
        }
        try {
            LiveLimitMapper.applied(own, settings);
            return null;
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * @throws IllegalArgumentException if a live limit with these settings would not fit the limiters
     */
    public synchronized void check(LiveSettings settings) {
        check(settings, limiter -> withRate(limiter, false));
    }

    /**
     * @throws IllegalArgumentException if a live limit of a key with these settings would not fit the limiters
     */
    public synchronized void checkOfKey(LiveSettings settings) {
        if (settings.access() == null) {
            check(settings, limiter -> limiter.inEffect().limit());
        }
    }

    private void check(LiveSettings settings, Function<ChangeableLimit<?>, Limit<?>> own) {
        Collection<ChangeableLimit<?>> newest = newest();
        if (newest.isEmpty()) {
            LiveLimitMapper.checkWithoutLimiter(name, settings);
        }
        for (ChangeableLimit<?> limiter : newest) {
            String problem = problem(limiter, own.apply(limiter), settings);
            if (problem != null) {
                throw new IllegalArgumentException("the live limit of '" + name + "' does not fit its limiter "
                        + limiter.builtLimit() + ": " + problem);
            }
        }
    }

    /** Why the live limit could not be applied to the limiters of a prefix; empty if it was, or there is none. */
    public synchronized String notApplied(String prefix) {
        return newest().stream()
                .filter(limiter -> limiter.prefix().equals(prefix))
                .map(limiter -> problem(limiter, withRate(limiter, false), live))
                .filter(problem -> problem != null)
                .findFirst()
                .orElse("");
    }
}
