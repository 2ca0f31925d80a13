package io.limiter.spring.internal.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Counts of calls what limiters do not see: which ones skip a limit, and which ones cannot be settled. Safe for use by many threads. */
public final class CallCounts {

    private final Map<String, LongAdder> skips = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> unsettled = new ConcurrentHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Begins to count calls that skip the limits of a name. */
    public void addSkips(String name) {
        of(skips, name);
    }

    /** A call skipped the limit, because its condition was false, its cost 0, or its address exempt. */
    public void skip(String name) {
        of(skips, name).increment();
    }

    /** Begins to count requests that the limits of a name cannot settle. */
    public void addUnsettled(String name) {
        of(unsettled, name);
    }

    /** The response to a request does not say what it has cost, so it stays charged for its estimate. */
    public void unsettled(String name) {
        of(unsettled, name).increment();
    }

    private LongAdder of(Map<String, LongAdder> counts, String name) {
        LongAdder known = counts.get(name);
        if (known != null) {
            return known;
        }
        LongAdder added = counts.computeIfAbsent(name, any -> new LongAdder());
        listeners.forEach(listener -> listener.accept(name));
        return added;
    }

    /** Calls the listener with the name of each limit, now and whenever more of it is counted; perhaps twice. */
    public void forEachName(Consumer<String> listener) {
        listeners.add(listener);
        skips.keySet().forEach(listener);
        unsettled.keySet().forEach(listener);
    }

    /** Whether calls that skip a limit are counted. */
    public boolean hasSkips(String name) {
        return skips.containsKey(name);
    }

    /** How many calls skipped a limit. */
    public long skipped(String name) {
        return sum(skips, name);
    }

    /** Whether requests are counted that a limit cannot settle. */
    public boolean hasUnsettled(String name) {
        return unsettled.containsKey(name);
    }

    /** How many requests a limit could not settle. */
    public long countUnsettled(String name) {
        return sum(unsettled, name);
    }

    private static long sum(Map<String, LongAdder> counts, String name) {
        LongAdder count = counts.get(name);
        return count == null ? 0 : count.sum();
    }
}
