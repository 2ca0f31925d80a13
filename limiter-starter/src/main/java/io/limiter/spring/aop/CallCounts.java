package io.limiter.spring.aop;

import io.limiter.algorithm.Decision;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** What becomes of calls to limited methods, as far as their limiters do not know it. Safe for use by many threads. */
public final class CallCounts {

    private final Map<String, OfLimit> byName = new ConcurrentHashMap<>();
    private final List<Consumer<String>> hearers = new CopyOnWriteArrayList<>();

    CallCounts() {}

    OfLimit of(String name) {
        OfLimit known = byName.get(name);
        if (known != null) {
            return known;
        }
        OfLimit added = byName.computeIfAbsent(name, n -> new OfLimit());
        hearers.forEach(hearer -> hearer.accept(name));
        return added;
    }

    /** Tells of the name of each limit whose calls are counted: now, and of further ones when they come; perhaps twice. */
    public void forEachName(Consumer<String> hearer) {
        hearers.add(hearer);
        byName.keySet().forEach(hearer);
    }

    /** How many calls a limit was not asked for, because its condition did not hold or its cost was 0. */
    public long skipped(String name) {
        OfLimit limit = byName.get(name);
        return limit == null ? 0 : limit.skipped.sum();
    }

    /** How many refused calls were answered by a fallback. */
    public long fallbacks(String name, Decision.Source source) {
        OfLimit limit = byName.get(name);
        return limit == null ? 0 : limit.fallbacks[source.ordinal()].sum();
    }

    /** The calls of the limits of one name. */
    static final class OfLimit {

        private final LongAdder skipped = new LongAdder();
        private final LongAdder[] fallbacks = new LongAdder[Decision.Source.values().length];

        OfLimit() {
            for (int i = 0; i < fallbacks.length; i++) {
                fallbacks[i] = new LongAdder();
            }
        }

        void skip() {
            skipped.increment();
        }

        void fallback(Decision refusal) {
            fallbacks[refusal.source().ordinal()].increment();
        }
    }
}
