package io.limiter.internal.override;

import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.log.AsyncLog;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What changes the limiters of one name after they were built: a rate that was set, for those of a prefix, and above it a live
 * limit, for all. They supply the live limit, as long as it fits a limiter of the name, or there is none.
 */
public final class Overrides implements Supplier<@Nullable LimitChange> {

    private static final AsyncLog log = AsyncLog.of(Overrides.class);

    private final String name;
    private final Set<Object> kept;
    // Guarded by the monitor of this. With the number of the build.
    private final Map<ChangeableLimit<?>, Long> limiters = new WeakHashMap<>();
    private long builds;
    private final Map<String, Double> ratesByPrefix = new HashMap<>(2);
    private @Nullable LimitChange warnedOf;
    private @Nullable LimitChange live;
    private volatile @Nullable LimitChange supplied;

    /**
     * @param kept holds those that change something
     */
    Overrides(String name, Set<Object> kept) {
        this.name = name;
        this.kept = kept;
    }

    @Override
    public @Nullable LimitChange get() {
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
     * @param newLive {@code null} for none
     */
    public synchronized void live(@Nullable LimitChange newLive) {
        live = newLive;
        keepIfNeeded();
        for (ChangeableLimit<?> limiter : limiters.keySet()) {
            apply(limiter, false);
        }
        supply();
    }

    private void supply() {
        LimitChange change = live;
        if (change == null) {
            supplied = null;
            return;
        }
        Collection<ChangeableLimit<?>> newest = newest();
        supplied = newest.isEmpty() || newest.stream().anyMatch(limiter -> fits(limiter, change)) ? change : null;
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

    private boolean fits(ChangeableLimit<?> limiter, LimitChange change) {
        AnyLimit own = withRate(limiter, false);
        return change.concerns(own) && problem(limiter, own, change) == null;
    }

    private void keepIfNeeded() {
        if (ratesByPrefix.isEmpty() && live == null) {
            kept.remove(this);
        } else {
            kept.add(this);
        }
    }

    private <L extends AnyLimit> void apply(ChangeableLimit<L> limiter, boolean logRate) {
        L own = withRate(limiter, logRate);
        if (ratesByPrefix.containsKey(limiter.prefix())) {
            limiter.counters().rateSet();
        }
        LimitChange change = live;
        if (!limiter.isLive() || change == null) {
            limiter.change(new InEffect<>(own, limiter.builtEngine()));
            return;
        }
        String problem = problem(limiter, own, change);
        if (problem != null && warnedOf != change && newest().contains(limiter)) {
            warnedOf = change;
            log.warn(
                    "Limiter '{}' keeps its own limit {}, because the live limit does not fit: {}", name, own, problem);
        }
        limiter.change(
                problem != null || !change.concerns(own)
                        ? new InEffect<>(own, limiter.builtEngine())
                        : change.over(own, limiter.builtEngine()));
    }

    /** Its own limit, with the rate that was set. */
    @SuppressWarnings("unchecked") // A changed token bucket is one.
    private <L extends AnyLimit> L withRate(ChangeableLimit<L> limiter, boolean logIt) {
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

    private @Nullable String problem(ChangeableLimit<?> limiter, AnyLimit own, LimitChange change) {
        if (!change.concerns(own)
                && limiters.keySet().stream()
                        .anyMatch(other -> other != limiter && other.isLive() && change.concerns(other.builtLimit()))) {
            return null;
        }
        try {
            change.applied(own);
            return null;
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * Compares a live limit with the limiters.
     *
     * @param ofKey whether it is for one key, which has it above the live limit of all
     * @return whether there are any
     * @throws IllegalArgumentException if it would not fit
     */
    public synchronized boolean check(LimitChange change, boolean ofKey) {
        Collection<ChangeableLimit<?>> newest = newest();
        for (ChangeableLimit<?> limiter : newest) {
            String problem = problem(limiter, ofKey ? limiter.limit() : withRate(limiter, false), change);
            if (problem != null) {
                throw new IllegalArgumentException("the live limit of '" + name + "' does not fit its limiter "
                        + limiter.builtLimit() + ": " + problem);
            }
        }
        return !newest.isEmpty();
    }

    /** Why the live limit could not be applied to the limiters of a prefix; empty if it was, or there is none. */
    public synchronized String notApplied(String prefix) {
        LimitChange change = live;
        if (change == null) {
            return "";
        }
        return newest().stream()
                .filter(limiter -> limiter.prefix().equals(prefix))
                .map(limiter -> problem(limiter, withRate(limiter, false), change))
                .filter(problem -> problem != null)
                .findFirst()
                .orElse("");
    }
}
