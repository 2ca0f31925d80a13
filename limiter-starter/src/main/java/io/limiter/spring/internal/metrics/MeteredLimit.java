package io.limiter.spring.internal.metrics;

import io.limiter.Decision.Source;
import io.limiter.LimiterTotals;
import io.limiter.spring.internal.actuate.SourceNames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one limit name, or of all names without counters of their own. They read the limiters' statistics, summed over all prefixes, because a meter cannot be
 * registered twice.
 */
final class MeteredLimit {

    private static final List<Source> GRANTING =
            List.of(Source.BACKEND, Source.PREFETCH, Source.LOCAL, Source.POLICY, Source.OVERRIDE);
    private static final List<Source> REJECTING = List.of(
            Source.BACKEND, Source.REJECTION_CACHE, Source.PREFETCH, Source.LOCAL, Source.POLICY, Source.OVERRIDE);

    private final String name;
    private final Supplier<@Nullable CallCounts> calls;
    private final Set<String> names = new CopyOnWriteArraySet<>();
    private final List<LimiterTotals> totals = new CopyOnWriteArrayList<>();

    /**
     * @param name as meters show it
     * @param calls may return {@code null} while no method is limited
     */
    MeteredLimit(String name, Supplier<@Nullable CallCounts> calls) {
        this.name = name;
        this.calls = calls;
    }

    void add(LimiterTotals more) {
        names.add(more.name());
        totals.add(more);
    }

    /** The name as meters show it. */
    String name() {
        return name;
    }

    /** @param local whether the backend is this process */
    void register(MeterRegistry registry, boolean local) {
        for (Source source : sources(GRANTING, local)) {
            counter(
                    registry,
                    "granted",
                    SourceNames.of(source, local),
                    limit -> limit.sum(each -> each.granted(source)));
        }
        for (Source source : sources(REJECTING, local)) {
            counter(
                    registry,
                    "rejected",
                    SourceNames.of(source, local),
                    limit -> limit.sum(each -> each.rejected(source)));
        }
        counter(registry, "error", SourceNames.of(Source.BACKEND, local), limit -> limit.sum(LimiterTotals::errors));
        FunctionCounter.builder(LimiterMeters.BANS, this, limit -> limit.sum(LimiterTotals::bans))
                .description("Bans of keys that were rejected too often")
                .tag(LimiterMeters.LIMIT, name)
                .register(registry);
        warnings(registry, "published", limit -> limit.sum(LimiterTotals::warnings));
        warnings(registry, "dropped", limit -> limit.sum(LimiterTotals::droppedWarnings));
    }

    private void warnings(MeterRegistry registry, String outcome, ToDoubleFunction<MeteredLimit> count) {
        FunctionCounter.builder(LimiterMeters.WARNINGS, this, count)
                .description("Warnings of fixed windows that have reached their warn-at, by outcome")
                .tag(LimiterMeters.LIMIT, name)
                .tag(LimiterMeters.OUTCOME, outcome)
                .register(registry);
    }

    void registerSkips(MeterRegistry registry) {
        counter(registry, "skipped", "none", limit -> limit.sumOfCalls(CallCounts::skipped));
    }

    void registerUnsettled(MeterRegistry registry) {
        FunctionCounter.builder(LimiterMeters.UNSETTLED, this, limit -> limit.sumOfCalls(CallCounts::countUnsettled))
                .description(
                        "Requests that stay charged for their estimate, because no response says what they have cost")
                .tag(LimiterMeters.LIMIT, name)
                .register(registry);
    }

    /** In this process there are bans, and no live limits. */
    private static List<Source> sources(List<Source> all, boolean local) {
        return local ? all.equals(GRANTING) ? List.of(Source.BACKEND) : List.of(Source.BACKEND, Source.OVERRIDE) : all;
    }

    private void counter(MeterRegistry registry, String outcome, String source, ToDoubleFunction<MeteredLimit> count) {
        FunctionCounter.builder(LimiterMeters.DECISIONS, this, count)
                .description("Decisions, by outcome")
                .tag(LimiterMeters.LIMIT, name)
                .tag(LimiterMeters.OUTCOME, outcome)
                .tag(LimiterMeters.SOURCE, source)
                .register(registry);
    }

    private long sum(ToLongFunction<LimiterTotals> count) {
        return totals.stream().mapToLong(count).sum();
    }

    private long sumOfCalls(ToLongBiFunction<CallCounts, String> count) {
        CallCounts counts = calls.get();
        return counts == null
                ? 0
                : names.stream()
                        .mapToLong(each -> count.applyAsLong(counts, each))
                        .sum();
    }
}
