package io.limiter.console;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterTotals;
import io.limiter.console.internal.wire.Wire;
import io.limiter.live.BannedKey;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.actuate.LimitLookup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is known of single keys, from the fleet and from the limiters of this instance. Its methods call Redis and block. */
final class KeyLookup {

    private static final int MAX_REJECTIONS = 20;

    private final LiveLimits limits;
    private final @Nullable LimitLookup lookup;
    private final FleetFeed feed;

    /** @param lookup {@code null} if there are no limiters here */
    KeyLookup(LiveLimits limits, @Nullable LimitLookup lookup, FleetFeed feed) {
        this.limits = limits;
        this.lookup = lookup;
        this.feed = feed;
    }

    /**
     * @param name of the limit, or of one of its plans
     * @param isKey whether a key of reports is this one
     * @param mayRelate whether the answer may show which hash a key has, or have anything that a caller would find both under the key
     *     and under its hash
     */
    Wire.KeyState of(String prefix, String name, LiveKey key, Predicate<String> isKey, boolean mayRelate) {
        List<InstanceReport> reports = feed.reports();
        String limiter = reports.stream()
                .flatMap(each -> each.limits().stream())
                .filter(each -> each.prefix().equals(prefix) && each.name().equals(name))
                .map(LimitReport::limiter)
                .findFirst()
                .orElse(name);
        Predicate<LimitReport> isOfLimit =
                each -> each.prefix().equals(prefix) && each.limiter().equals(limiter);
        String plan = plan(
                reports.stream()
                        .flatMap(each -> each.limits().stream())
                        .filter(isOfLimit)
                        .toList(),
                name,
                isKey);
        List<Wire.Rejection> last = new ArrayList<>();
        long rejections = 0;
        for (InstanceReport report : reports) {
            for (LimitReport limit : report.limits()) {
                Optional<LimitReport.RejectedKey> rejected =
                        isOfLimit.test(limit) ? rejected(limit, isKey) : Optional.empty();
                rejections += rejected.map(LimitReport.RejectedKey::rejections).orElse(0L);
                rejected.map(LimitReport.RejectedKey::last)
                        .orElse(List.of())
                        .forEach(at -> last.add(new Wire.Rejection(at.toEpochMilli(), report.instance())));
            }
        }
        last.sort(Comparator.comparingLong(Wire.Rejection::at).reversed());
        Wire.Permits permits = null;
        String problem = null;
        try {
            permits =
                    permits(found(prefix, plan == null ? limiter : LimiterTotals.planName(limiter, plan)), plain(key));
        } catch (IllegalArgumentException | LimiterBackendException e) {
            problem = String.valueOf(e.getMessage());
        }
        return new Wire.KeyState(
                limiter,
                plan,
                live(limiter, key, mayRelate),
                permits,
                problem,
                rejections,
                last.stream().limit(MAX_REJECTIONS).toList(),
                BannedKey.all(reports).stream()
                        .filter(each -> each.prefix().equals(prefix)
                                && each.limiter().equals(limiter)
                                && (mayRelate || !each.key().hashed())
                                && isKey.test(each.key().value()))
                        .map(each -> each.ends().toEpochMilli())
                        .findFirst()
                        .orElse(null));
    }

    private Wire.@Nullable Live live(String limiter, LiveKey key, boolean mayRelate) {
        if (key.hashed() && !mayRelate) {
            return null;
        }
        LiveLimit live = limits.get(limiter, key).orElse(null);
        if (live == null) {
            return null;
        }
        return mayRelate ? Wire.Live.of(live) : Wire.Live.of(live, Optional.of(key));
    }

    /** The plan that was named, or else one whose calls had the key. */
    private static @Nullable String plan(List<LimitReport> ofLimit, String name, Predicate<String> isKey) {
        return Stream.concat(
                        ofLimit.stream().filter(limit -> limit.name().equals(name)),
                        ofLimit.stream()
                                .filter(limit -> rejected(limit, isKey).isPresent()
                                        || limit.hottest().stream().anyMatch(each -> isKey.test(each.key()))))
                .map(LimitReport::plan)
                .filter(plan -> !plan.isEmpty())
                .findFirst()
                .orElse(null);
    }

    private static Optional<LimitReport.RejectedKey> rejected(LimitReport limit, Predicate<String> isKey) {
        return limit.rejectedKeys().stream()
                .filter(each -> isKey.test(each.key()))
                .findFirst();
    }

    /**
     * Deletes the state of the key. That is audited, also if it fails.
     *
     * @return what the key has then
     * @throws IllegalArgumentException if this instance cannot find the permits
     */
    Wire.Permits reset(String prefix, String name, LiveKey key, String who) {
        LimiterTotals totals = found(prefix, name);
        here().reset(totals, plain(key), who);
        return permits(totals, plain(key));
    }

    /**
     * Deletes the state of a key that rejections have banned, as a report or this instance knows it. That is audited, also if it
     * fails.
     *
     * @throws IllegalArgumentException if the permits cannot be found here
     */
    void resetBanned(String prefix, String limiter, LiveKey key, String who) {
        LimiterTotals totals = here().findLimit(prefix, limiter).orElseThrow(() -> notBuilt(limiter));
        LiveKey banned = totals.bansInEffect().stream()
                .map(ban -> LiveKey.of(ban.keys()))
                .filter(each -> each.equals(key) || key.hashed() && limits.isSame(each, key))
                .findFirst()
                .or(() -> reported(prefix, limiter, key))
                .orElseThrow(() -> new IllegalArgumentException("this instance does not know whose ban it is: "
                        + (key.hashed()
                                ? "only the hash of the key is known here; enter the key, or use the console of an instance that has"
                                        + " rejected it"
                                : "it may have ended")));
        here().reset(totals, banned.keys(), who);
    }

    /** A key that is not only known by its hash. */
    private Optional<LiveKey> reported(String prefix, String limiter, LiveKey key) {
        return BannedKey.all(feed.reports()).stream()
                .filter(each -> each.prefix().equals(prefix) && each.limiter().equals(limiter))
                .map(BannedKey::key)
                .filter(each -> !each.hashed() && each.equals(key))
                .findFirst();
    }

    private Wire.Permits permits(LimiterTotals totals, List<String> keys) {
        return Wire.Permits.of(here().describe(totals, keys, null, false));
    }

    private LimiterTotals found(String prefix, String name) {
        return here().find(prefix, name).orElseThrow(() -> notBuilt(name));
    }

    private static IllegalArgumentException notBuilt(String name) {
        return new IllegalArgumentException("this instance has not built the limit '" + name
                + "' yet: use the console or the endpoint of one that has");
    }

    private LimitLookup here() {
        if (lookup == null) {
            throw new IllegalArgumentException("this instance has no limiters");
        }
        return lookup;
    }

    private static List<String> plain(LiveKey key) {
        if (key.hashed()) {
            throw new IllegalArgumentException(
                    "only the hash of the key is known here, and Redis has its permits under the key: enter that");
        }
        return key.keys();
    }
}
