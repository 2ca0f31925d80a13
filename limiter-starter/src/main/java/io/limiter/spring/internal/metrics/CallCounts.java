package io.limiter.spring.internal.metrics;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Counts calls that limiters do not see, because they skip the limit. Safe for use by many threads. */
public final class CallCounts {

    private final Map<String, LongAdder> skips = new ConcurrentHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Begins to count calls that skip the limits of a name. */
    public void addSkips(String name) {
        of(name);
    }

    /** A call skipped the limit, because its condition was false, its cost 0, or its address exempt. */
    public void skip(String name) {
        of(name).increment();
    }

    private LongAdder of(String name) {
        LongAdder known = skips.get(name);
        if (known != null) {
            return known;
        }
        LongAdder added = skips.computeIfAbsent(name, any -> new LongAdder());
        listeners.forEach(listener -> listener.accept(name));
        return added;
    }

    /** Calls the listener with the name of each limit, now and whenever more of it is counted; perhaps twice. */
    public void forEachName(Consumer<String> listener) {
        listeners.add(listener);
        skips.keySet().forEach(listener);
    }

    /** Whether calls that skip a limit are counted. */
    public boolean hasSkips(String name) {
        return skips.containsKey(name);
    }

    /** How many calls skipped a limit. */
    public long skipped(String name) {
        LongAdder count = skips.get(name);
        return count == null ? 0 : count.sum();
    }
}
