package io.limiter.spring.metrics;

import io.limiter.algorithm.Decision;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** Counts outcomes of calls that limiters do not see: skipped limits and fallbacks. Safe for use by many threads. */
public final class CallCounts {

    private final Map<String, OfLimit> byName = new ConcurrentHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Begins to count calls of the limits of a name. */
    public void add(String name) {
        of(name);
    }

    /** A call skipped the limit, because its condition was false or its cost 0. */
    public void skip(String name) {
        of(name).skipped.increment();
    }

    /** A fallback answered a call that the limit rejected. */
    public void fallback(String name, Decision rejection) {
        of(name).fallbacks[rejection.source().ordinal()].increment();
    }

    private OfLimit of(String name) {
        OfLimit known = byName.get(name);
        if (known != null) {
            return known;
        }
        OfLimit added = byName.computeIfAbsent(name, n -> new OfLimit());
        listeners.forEach(listener -> listener.accept(name));
        return added;
    }

    /** Calls the listener with the name of each limit, now and whenever one is added; perhaps twice. */
    public void forEachName(Consumer<String> listener) {
        listeners.add(listener);
        byName.keySet().forEach(listener);
    }

    /** How many calls skipped a limit. */
    public long skipped(String name) {
        OfLimit limit = byName.get(name);
        return limit == null ? 0 : limit.skipped.sum();
    }

    /** How many rejected calls were answered by a fallback. */
    public long fallbacks(String name, Decision.Source source) {
        OfLimit limit = byName.get(name);
        return limit == null ? 0 : limit.fallbacks[source.ordinal()].sum();
    }

    private static final class OfLimit {

        private final LongAdder skipped = new LongAdder();
        private final LongAdder[] fallbacks = new LongAdder[Decision.Source.values().length];

        OfLimit() {
            for (int i = 0; i < fallbacks.length; i++) {
                fallbacks[i] = new LongAdder();
            }
        }
    }
}
