package io.limiter.console;

import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What happens per second, from the totals that instances report. For one thread. */
final class FleetRates {

    /** Two minutes. */
    static final int POINTS = 120;

    private record LimitId(String prefix, String name) {

        static LimitId of(LimitReport report) {
            return new LimitId(report.prefix(), report.name());
        }
    }

    private record CounterId(String instance, LimitId limit) {}

    /** Totals of one instance at one time, and what happened per second until then; {@code null} for the first report. */
    private record Counter(
            Instant at, LimitReport totals, @Nullable Rates rates) {

        Counter next(Instant newAt, LimitReport newTotals) {
            double seconds = Duration.between(at, newAt).toNanos() / 1e9;
            if (seconds <= 0) {
                return this;
            }
            // An instance of that name has started anew.
            boolean isRestarted = newTotals.granted() < totals.granted() || newTotals.rejected() < totals.rejected();
            return new Counter(newAt, newTotals, isRestarted ? null : Rates.between(totals, newTotals, seconds));
        }
    }

    private record Rates(
            double granted,
            double rejected,
            double errors,
            double waits,
            double waitedSeconds,
            Map<String, Double> sources) {

        static final Rates NONE = new Rates(0, 0, 0, 0, 0, Map.of());

        static Rates between(LimitReport from, LimitReport to, double seconds) {
            Map<String, Double> sources = new TreeMap<>();
            to.bySource().forEach((source, count) -> {
                double rate = (count - from.bySource().getOrDefault(source, 0L)) / seconds;
                if (rate > 0) {
                    sources.put(source, rate);
                }
            });
            return new Rates(
                    (to.granted() - from.granted()) / seconds,
                    (to.rejected() - from.rejected()) / seconds,
                    Math.max(0, to.errors() - from.errors()) / seconds,
                    Math.max(0, to.waits() - from.waits()) / seconds,
                    Math.max(0, to.waited().minus(from.waited()).toNanos()) / 1e9 / seconds,
                    sources);
        }

        Rates plus(Rates other) {
            Map<String, Double> sum = new TreeMap<>(sources);
            other.sources.forEach((source, rate) -> sum.merge(source, rate, Double::sum));
            return new Rates(
                    granted + other.granted,
                    rejected + other.rejected,
                    errors + other.errors,
                    waits + other.waits,
                    waitedSeconds + other.waitedSeconds,
                    sum);
        }
    }

    /** The rates of the last two minutes. */
    private static final class Line {

        private final Deque<Rates> rates = new ArrayDeque<>();

        void add(Rates next) {
            rates.add(next);
            if (rates.size() > POINTS) {
                rates.remove();
            }
        }
    }

    private Map<CounterId, Counter> counters = new HashMap<>();
    private final Map<LimitId, Line> lines = new HashMap<>();
    private List<Wire.Instance> instances = List.of();
    private List<Wire.Limit> limits = List.of();
    private Instant at = Instant.EPOCH;

    List<Wire.Instance> instances() {
        return instances;
    }

    List<Wire.Limit> limits() {
        return limits;
    }

    /** The time of the newest report, by server time. */
    Instant at() {
        return at;
    }

    List<Wire.Series> series() {
        List<Wire.Series> all = new ArrayList<>();
        lines.forEach((id, line) -> all.add(new Wire.Series(
                id.prefix(),
                id.name(),
                line.rates.stream().map(rates -> rounded(rates.granted())).toList(),
                line.rates.stream().map(rates -> rounded(rates.rejected())).toList())));
        return all;
    }

    /** Adds a second. */
    void add(List<InstanceReport> reports) {
        Map<CounterId, Counter> next = new HashMap<>();
        Map<LimitId, Rates> sums = new HashMap<>();
        Map<LimitId, Set<String>> definitions = new HashMap<>();
        Map<LimitId, List<Wire.Inapplicable>> notApplied = new HashMap<>();
        List<Wire.Instance> nextInstances = new ArrayList<>();
        for (InstanceReport report : reports) {
            Rates ofInstance = null;
            for (LimitReport limit : report.limits()) {
                LimitId id = LimitId.of(limit);
                CounterId counterId = new CounterId(report.instance(), id);
                Counter before = counters.get(counterId);
                Counter counter =
                        before == null ? new Counter(report.at(), limit, null) : before.next(report.at(), limit);
                next.put(counterId, counter);
                if (counter.rates() != null) {
                    sums.merge(id, counter.rates(), Rates::plus);
                    ofInstance = counter.rates().plus(ofInstance == null ? Rates.NONE : ofInstance);
                }
                definitions.computeIfAbsent(id, any -> new HashSet<>()).add(limit.limit());
                if (!limit.notApplied().isEmpty()) {
                    notApplied
                            .computeIfAbsent(id, any -> new ArrayList<>())
                            .add(new Wire.Inapplicable(
                                    report.instance(), limit.prefix(), limit.name(), limit.notApplied()));
                }
            }
            nextInstances.add(instance(report, ofInstance));
            at = report.at().isAfter(at) ? report.at() : at;
        }
        counters = next;
        instances = List.copyOf(nextInstances);
        limits = LimitReport.sum(reports).stream()
                .map(sum -> limit(
                        sum,
                        sums.get(LimitId.of(sum)),
                        notApplied.getOrDefault(LimitId.of(sum), List.of()),
                        definitions.getOrDefault(LimitId.of(sum), Set.of()).size() > 1))
                .toList();
        draw(sums, definitions.keySet());
    }

    private void draw(Map<LimitId, Rates> sums, Collection<LimitId> known) {
        lines.keySet().retainAll(known);
        sums.forEach((id, rates) -> lines.computeIfAbsent(id, any -> new Line()).add(rates));
    }

    private static Wire.Instance instance(InstanceReport report, @Nullable Rates rates) {
        return new Wire.Instance(
                report.instance(),
                report.at().toEpochMilli(),
                report.liveVersion(),
                isUp(report.backendState()),
                report.backendState(),
                rates == null ? null : rounded(rates.granted()),
                rates == null ? null : rounded(rates.rejected()),
                report.limits().stream()
                        .filter(limit -> !limit.notApplied().isEmpty())
                        .map(limit -> new Wire.Inapplicable(
                                report.instance(), limit.prefix(), limit.name(), limit.notApplied()))
                        .toList());
    }

    private static Wire.Limit limit(
            LimitReport sum, @Nullable Rates rates, List<Wire.Inapplicable> notApplied, boolean differs) {
        Map<String, Double> sources = new TreeMap<>();
        if (rates != null) {
            rates.sources().forEach((source, rate) -> sources.put(source, rounded(rate)));
        }
        return new Wire.Limit(
                sum.prefix(),
                sum.name(),
                sum.kind(),
                sum.limit(),
                Wire.Settings.of(sum.settings()),
                rates == null ? null : rounded(rates.granted()),
                rates == null ? null : rounded(rates.rejected()),
                rates == null ? null : rounded(rates.errors()),
                rates == null ? null : rounded(rates.waits()),
                rates == null || rates.waits() == 0 ? null : rates.waitedSeconds() / rates.waits(),
                sources,
                sum.hottest().stream()
                        .map(key -> new Wire.HotKey(key.key(), key.requests()))
                        .toList(),
                notApplied,
                differs);
    }

    private static boolean isUp(String backendState) {
        return backendState.startsWith("available");
    }

    private static double rounded(double rate) {
        return Math.round(rate * 100) / 100.0;
    }
}
