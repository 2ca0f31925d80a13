package io.limiter.spring.metrics;

import io.limiter.algorithm.Decision;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Counts outcomes of calls that limiters do not see: skipped limits and fallbacks. Safe for use by many threads. */
public final class CallCounts {

    private final Map<String, LongAdder> skips = new ConcurrentHashMap<>();
    private final Map<String, LongAdder[]> fallbacks = new ConcurrentHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Begins to count calls that skip the limits of a name. */
    public void addSkips(String name) {
        of(name, skips, LongAdder::new);
    }

    /** Begins to count fallbacks of the limits of a name. */
    public void addFallbacks(String name) {
        of(name, fallbacks, CallCounts::bySource);
    }

    /** A call skipped the limit, because its condition was false or its cost 0. */
    public void skip(String name) {
        of(name, skips, LongAdder::new).increment();
    }

    /** A fallback answered a call that the limit rejected. */
    public void fallback(String name, Decision rejection) {
        of(name, fallbacks, CallCounts::bySource)[rejection.source().ordinal()].increment();
    }

    private <T> T of(String name, Map<String, T> counts, Supplier<T> none) {
        T known = counts.get(name);
        if (known != null) {
            return known;
        }
        T added = counts.computeIfAbsent(name, any -> none.get());
        listeners.forEach(listener -> listener.accept(name));
        return added;
    }

    private static LongAdder[] bySource() {
        LongAdder[] counts = new LongAdder[Decision.Source.values().length];
        Arrays.setAll(counts, source -> new LongAdder());
        return counts;
    }

    /** Calls the listener with the name of each limit, now and whenever more of it is counted; perhaps twice. */
    public void forEachName(Consumer<String> listener) {
        listeners.add(listener);
        skips.keySet().forEach(listener);
        fallbacks.keySet().forEach(listener);
    }

    /** Whether calls that skip a limit are counted. */
    public boolean hasSkips(String name) {
        return skips.containsKey(name);
    }

    /** Whether fallbacks of a limit are counted. */
    public boolean hasFallbacks(String name) {
        return fallbacks.containsKey(name);
    }

    /** How many calls skipped a limit. */
    public long skipped(String name) {
        LongAdder count = skips.get(name);
        return count == null ? 0 : count.sum();
    }

    /** How many rejected calls were answered by a fallback. */
    public long fallbacks(String name, Decision.Source source) {
        LongAdder[] counts = fallbacks.get(name);
        return counts == null ? 0 : counts[source.ordinal()].sum();
    }
}
