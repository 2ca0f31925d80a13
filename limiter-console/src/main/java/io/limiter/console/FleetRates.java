package io.limiter.console;

import io.limiter.console.internal.wire.Wire;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LimitReport.Rate;
import io.limiter.spring.internal.actuate.LiveDefinition;
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
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What happens per second, from the totals that instances report. For one thread. */
final class FleetRates {

    /** Seconds that lines go back: ten minutes. */
    static final int POINTS = 600;

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
            // An instance of that name has restarted.
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

    /** The rates of each second, of at most the last ten minutes. */
    private static final class Line {

        private final Deque<Rate> rates = new ArrayDeque<>();
        private final Instant begin;

        Line(Instant begin) {
            this.begin = begin;
        }

        void add(Rate next) {
            rates.add(next);
            if (rates.size() > POINTS) {
                rates.remove();
            }
        }
    }

    private Map<CounterId, Counter> counters = new HashMap<>();
    private final Map<LimitId, Line> lines = new HashMap<>();
    // The rates before those of the lines, by instance, also of instances that have gone.
    private final Map<LimitId, Map<String, Map<Instant, Rate>>> pasts = new HashMap<>();
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
        Set<LimitId> ids = new HashSet<>(lines.keySet());
        ids.addAll(pasts.keySet());
        List<Wire.Series> all = new ArrayList<>();
        for (LimitId id : ids) {
            List<Rate> rates = rates(id);
            all.add(new Wire.Series(
                    id.prefix(),
                    id.name(),
                    rates.stream().map(rate -> rounded(rate.granted())).toList(),
                    rates.stream().map(rate -> rounded(rate.rejected())).toList()));
        }
        return all;
    }

    /** The rates of each second, the oldest first: those of the past, then those of the line. */
    private List<Rate> rates(LimitId id) {
        Line line = lines.get(id);
        Deque<Rate> rates = line == null ? new ArrayDeque<>() : new ArrayDeque<>(line.rates);
        NavigableMap<Instant, Rate> past = new TreeMap<>();
        pasts.getOrDefault(id, Map.of())
                .values()
                .forEach(each -> each.forEach((start, rate) -> past.merge(start, rate, Rate::plus)));
        Instant second = line == null ? at : line.begin;
        while (rates.size() < POINTS) {
            second = second.minusSeconds(1);
            // The newest step of the past may have no rate yet. It is not far from the one before, and comes soon.
            Map.Entry<Instant, Rate> step = past.floorEntry(second);
            if (step == null) {
                break;
            }
            rates.addFirst(step.getValue());
        }
        return List.copyOf(rates);
    }

    /**
     * Adds a second.
     *
     * @return whether more is known of what was before
     */
    boolean add(List<InstanceReport> reports) {
        Map<CounterId, Counter> next = new HashMap<>();
        Map<LimitId, Rates> sums = new HashMap<>();
        Map<LimitId, Set<String>> definitions = new HashMap<>();
        Map<LimitId, List<Wire.Inapplicable>> notApplied = new HashMap<>();
        List<Wire.Instance> nextInstances = new ArrayList<>();
        boolean morePast = false;
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
                morePast |= addPast(id, report.instance(), limit.past());
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
        return morePast;
    }

    private boolean addPast(LimitId id, String instance, Map<Instant, Rate> reported) {
        Line line = lines.get(id);
        if (line != null && line.rates.size() == POINTS) {
            pasts.remove(id);
            return false;
        }
        boolean more = false;
        for (Map.Entry<Instant, Rate> step : reported.entrySet()) {
            if (line == null || step.getKey().isBefore(line.begin)) {
                Rate known = pasts.computeIfAbsent(id, any -> new HashMap<>())
                        .computeIfAbsent(instance, any -> new HashMap<>())
                        .put(step.getKey(), step.getValue());
                more |= !step.getValue().equals(known);
            }
        }
        return more;
    }

    private void draw(Map<LimitId, Rates> sums, Collection<LimitId> known) {
        lines.keySet().retainAll(known);
        pasts.keySet().retainAll(known);
        sums.forEach((id, rates) ->
                lines.computeIfAbsent(id, any -> new Line(at)).add(Rate.of(rates.granted(), rates.rejected())));
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
                sum.limiter(),
                sum.kind(),
                sum.limit(),
                LiveDefinition.of(sum.settings()),
                rates == null ? null : rounded(rates.granted()),
                rates == null ? null : rounded(rates.rejected()),
                rates == null ? null : rounded(rates.errors()),
                rates == null ? null : rounded(rates.waits()),
                rates == null || rates.waits() == 0 ? null : rates.waitedSeconds() / rates.waits(),
                sources,
                sum.hottest().stream()
                        .map(key -> new Wire.HotKey(key.key(), key.requests()))
                        .toList(),
                sum.rejectedKeys().stream().map(Wire.RejectedKey::of).toList(),
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
