package io.limiter.internal.live;

import com.google.common.base.Suppliers;
import io.limiter.BackendState;
import io.limiter.Decision;
import io.limiter.LimiterTotals;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.internal.key.KeyText;
import io.limiter.internal.key.SipHash;
import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.Micros;
import io.limiter.internal.live.store.ReportJson;
import io.limiter.internal.redis.FactoryAccess;
import io.limiter.live.BannedKey;
import io.limiter.live.Fleet;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LimitReport.HotKey;
import io.limiter.live.LimitReport.Rate;
import io.limiter.live.LimitReport.RejectedKey;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What this instance reports to the fleet, and the reports of all instances. */
final class FleetReports implements Fleet {

    /** How long instances report after each {@link #watch}, and how old their reports get. */
    static final Duration WATCHED = Duration.ofSeconds(5);

    /** Limits in one report; a factory may have counters for 10,000. */
    static final int MAX_LIMITS = 200;

    /** Bans in one report: callers decide how many there are. */
    static final int MAX_BANS = 100;

    private final LiveStore store;
    private final LiveOptions options;
    private final FactoryAccess factory;
    // Made when it is first needed, because the name of the host may have to be looked up.
    private final Supplier<String> instance = Suppliers.memoize(this::instance);
    // Guarded by its own monitor.
    private final PastRates past = new PastRates();
    // Used by one poll at a time, as is the next field.
    private long watchedSinceMicros;
    private long reportedMicros;

    FleetReports(LiveStore store, LiveOptions options, FactoryAccess factory) {
        this.store = store;
        this.options = options;
        this.factory = factory;
    }

    private String instance() {
        return options.instance().isEmpty()
                ? host() + ":" + ProcessHandle.current().pid() + ":"
                        + Integer.toHexString(ThreadLocalRandom.current().nextInt())
                : options.instance();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    @Override
    public Reports watch() {
        List<InstanceReport> reports = new ArrayList<>();
        List<Unreadable> unreadable = new ArrayList<>();
        store.watch(WATCHED).forEach((instanceName, stored) -> {
            try {
                reports.add(ReportJson.parse(stored));
            } catch (IllegalArgumentException e) {
                unreadable.add(Unreadable.of(instanceName, 0, "its report cannot be read: " + e.getMessage()));
            }
        });
        reports.sort(Comparator.comparing(InstanceReport::instance));
        return Reports.of(reports, unreadable);
    }

    /** Keeps the rates for a console that is opened later. Cheap, and without a call of Redis. */
    void keepRates(long nowMicros) {
        synchronized (past) {
            if (past.isDue(nowMicros)) {
                past.add(nowMicros, busiest());
            }
        }
    }

    /**
     * Reports what the limiters have decided. The past doubles a report, so it is sent only in the first seconds of a
     * watch, and of each step for a console that is opened while another watches.
     *
     * @param nowMicros server time
     * @param secret of the hashes of keys: one for all instances, so that their counts can be added up, and the same as in
     *     live limits of keys
     * @param problems why the live limit of a prefix and name could not be applied; empty if it was
     */
    void report(long nowMicros, long version, String secret, BinaryOperator<String> problems) {
        long watchedMicros = WATCHED.toNanos() / 1000;
        if (Math.abs(nowMicros - reportedMicros) > watchedMicros) {
            watchedSinceMicros = nowMicros;
        }
        reportedMicros = nowMicros;
        boolean withPast = nowMicros - watchedSinceMicros < watchedMicros
                || Math.floorMod(nowMicros, PastRates.STEP_MICROS) < watchedMicros;
        SipHash hash = new SipHash(secret);
        UnaryOperator<String> shown = options.showKeys() ? UnaryOperator.identity() : hash::text;
        List<LimiterTotals> busiest = busiest();
        List<LimitReport> limits = busiest.stream()
                .map(each -> report(each, nowMicros, shown, problems, withPast ? past(each, nowMicros) : Map.of()))
                .toList();
        String name = instance.get();
        // The time of the report is Redis's.
        InstanceReport report = InstanceReport.of(
                name,
                Instant.EPOCH,
                version,
                text(factory.backendState()),
                limits,
                bans(Micros.toInstant(nowMicros), shown));
        store.report(name, ReportJson.write(report), WATCHED.multipliedBy(2));
    }

    private Map<Instant, Rate> past(LimiterTotals limiter, long nowMicros) {
        synchronized (past) {
            return past.of(limiter, nowMicros);
        }
    }

    /** Of all limits, because those with bans are rarely the busiest. */
    private List<BannedKey> bans(Instant now, UnaryOperator<String> shown) {
        // All plans of a limit have the same bans.
        Map<List<String>, List<KeyBan>> byLimit = new HashMap<>();
        factory.statistics().totals().stream()
                .filter(each -> each.ban().isPresent())
                .forEach(each ->
                        byLimit.computeIfAbsent(List.of(each.prefix(), each.limiter()), limit -> each.bansInEffect()));
        List<BannedKey> bans = new ArrayList<>();
        byLimit.forEach((limit, known) -> known.stream()
                .limit(MAX_BANS)
                .forEach(ban -> bans.add(BannedKey.of(
                        limit.get(0),
                        limit.get(1),
                        LiveKey.parse(shown.apply(KeyText.of(ban.keys())), !options.showKeys()),
                        now.plus(ban.left())))));
        bans.sort(Comparator.comparing(BannedKey::ends).reversed());
        return bans.subList(0, Math.min(MAX_BANS, bans.size()));
    }

    private static String text(BackendState state) {
        if (!state.up()) {
            return "unavailable: " + String.join(", ", state.unavailableNodes());
        }
        String failing = state.failing().isEmpty() ? "" : ", " + state.failing().size() + " limiters fail";
        // Rounded up, because 0 would say that all is well.
        String undecided = state.undecided() == 0
                ? ""
                : ", without " + (int) Math.ceil(100 * state.undecided()) + " % of the last minute's decisions";
        return "available" + failing + undecided;
    }

    private List<LimiterTotals> busiest() {
        List<LimiterTotals> all = factory.statistics().totals();
        if (all.size() <= MAX_LIMITS) {
            return all;
        }
        // Counted once, because they change while they are compared.
        Map<LimiterTotals, Long> requests = new IdentityHashMap<>();
        all.forEach(each -> requests.put(each, each.granted() + each.rejected()));
        return all.stream()
                .sorted(Comparator.<LimiterTotals>comparingLong(each -> requests.getOrDefault(each, 0L))
                        .reversed())
                .limit(MAX_LIMITS)
                .toList();
    }

    private static LimitReport report(
            LimiterTotals totals,
            long nowMicros,
            UnaryOperator<String> shown,
            BinaryOperator<String> problems,
            Map<Instant, Rate> past) {
        AnyLimit limit = totals.limit().orElse(null);
        LimitKind kind = limit == null ? null : LimitKind.of(limit).orElse(null);
        Map<String, Long> bySource = new TreeMap<>();
        for (Decision.Source source : Decision.Source.values()) {
            long decided = totals.granted(source) + totals.rejected(source);
            if (decided > 0) {
                bySource.put(source.name(), decided);
            }
        }
        List<HotKey> hottest = totals.hottestKeys().stream()
                .map(key -> HotKey.of(shown.apply(KeyText.of(key.keys())), key.requests()))
                .toList();
        Instant now = Micros.toInstant(nowMicros);
        List<RejectedKey> rejected = totals.rejectedKeys().stream()
                .map(key -> RejectedKey.of(
                        shown.apply(KeyText.of(key.keys())),
                        key.rejections(),
                        key.ago().stream().map(now::minus).toList()))
                .toList();
        return LimitReport.of(
                totals.prefix(),
                totals.name(),
                totals.limiter(),
                kind != null
                        ? kind.toString()
                        : limit == null ? "" : limit.getClass().getSimpleName(),
                limit == null ? "" : text(totals, limit),
                settings(totals, limit),
                totals.granted(),
                totals.rejected(),
                totals.errors(),
                totals.waits(),
                totals.waited(),
                bySource,
                hottest,
                rejected,
                problems.apply(totals.prefix(), totals.name()),
                past);
    }

    /** With the number of used permits at which it warns. */
    private static String text(LimiterTotals totals, AnyLimit limit) {
        Share share = totals.warnAt().orElse(null);
        return share != null && limit instanceof FixedWindow window
                ? window.withWarnAt(Math.min(share.of(window.limit()), window.limit()))
                        .toString()
                : limit.toString();
    }

    private static LiveSettings settings(LimiterTotals totals, @Nullable AnyLimit limit) {
        LiveSettings parameters = limit == null ? LiveSettings.NONE : LiveLimitChange.settingsOf(limit);
        return totals.failurePolicy().map(parameters::withFailurePolicy).orElse(parameters);
    }
}
