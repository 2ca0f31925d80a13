package io.limiter.console.internal.wire;

import io.limiter.live.BannedKey;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.spring.internal.actuate.KeyDescription;
import io.limiter.spring.internal.actuate.LimitersDescription;
import io.limiter.spring.internal.actuate.LiveDefinition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the page reads and writes, as JSON of {@link WireMapper}. Times are milliseconds since 1970, durations are seconds. */
public final class Wire {

    private Wire() {}

    /**
     * The version of what the page and the server send each other. It grows with each change that a page or a server of an older
     * version would misunderstand, as they meet while a new version is rolled out.
     */
    public static final int PROTOCOL = 1;

    /** @throws IllegalArgumentException if a value that a request needs is missing */
    public static <T> T needed(String name, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        return value;
    }

    /**
     * A key of a limit.
     *
     * @param value the key, or its hash
     */
    public record Key(@Nullable String value, @Nullable Boolean hashed) {

        public static @Nullable Key of(Optional<LiveKey> key) {
            return key.map(each -> new Key(each.value(), each.hashed())).orElse(null);
        }

        public LiveKey toLive() {
            return LiveKey.parse(needed("key.value", value), needed("key.hashed", hashed));
        }
    }

    public record Live(
            String name,
            @Nullable Key key,
            Map<String, @Nullable Object> settings,
            long version,
            long since,
            @Nullable Long expiresAt,
            String who,
            String why) {

        public static Live of(LiveLimit limit) {
            return of(limit, limit.key());
        }

        /** @param key in place of the key as it is stored, which may be a hash */
        public static Live of(LiveLimit limit, Optional<LiveKey> key) {
            return new Live(
                    limit.name(),
                    Key.of(key),
                    LiveDefinition.of(limit.settings()),
                    limit.version(),
                    limit.since().toEpochMilli(),
                    limit.expiresAt().map(Instant::toEpochMilli).orElse(null),
                    limit.who(),
                    limit.why());
        }
    }

    public record Change(
            long version,
            String name,
            @Nullable Key key,
            @Nullable Live before,
            @Nullable Live after,
            long at,
            String who,
            String why) {

        public static Change of(LiveChange change) {
            return new Change(
                    change.version(),
                    change.name(),
                    Key.of(change.key()),
                    change.before().map(Live::of).orElse(null),
                    change.after().map(Live::of).orElse(null),
                    change.at().toEpochMilli(),
                    change.who(),
                    change.why());
        }
    }

    /**
     * @param write whether the user may change limits
     * @param keys whether the user may change the limits of single keys
     * @param full whether no stream is left for the user
     * @param showKeys whether reports have keys themselves, and not their hashes
     */
    public record Session(
            @Nullable String user, boolean write, boolean keys, boolean unsecured, boolean full, boolean showKeys) {}

    /**
     * A CSRF token of Spring Security.
     *
     * @param header the name of the header that it is sent in
     */
    public record Csrf(String header, String token) {}

    public record CsrfAnswer(@Nullable Csrf csrf) {}

    public record Limits(long version, List<Live> limits) {}

    /** @param all how many there are, of which these are the newest */
    public record Keys(int all, List<Live> keys) {}

    /**
     * A page of changes, newest first.
     *
     * @param next the version that the next page is below; 0 if there is none
     */
    public record History(List<Change> changes, List<Unreadable> unreadable, long next) {

        public static History of(LiveHistory page) {
            return new History(
                    page.changes().stream().map(Change::of).toList(),
                    page.unreadable().stream().map(Unreadable::of).toList(),
                    page.next());
        }
    }

    public record Unreadable(String name, long version, String why) {

        public static Unreadable of(io.limiter.live.Unreadable entry) {
            return new Unreadable(entry.name(), entry.version(), entry.problem());
        }
    }

    /**
     * An error, with the members of RFC 9457.
     *
     * @param current in a conflict, the live limit that the name has
     */
    public record Problem(
            String title,
            int status,
            String detail,
            @Nullable Live current) {}

    /**
     * What the page gets each second. Rates are per second, {@code null} until an instance has reported twice.
     *
     * @param protocol {@link #PROTOCOL} of the server: a page of another one stops, and asks to be loaded again
     * @param version of the newest change that this instance has applied
     * @param problem why the fleet cannot be read; the rest is then what was read last
     * @param unreadable live limits and reports that cannot be read
     * @param fallback as this instance decides alone; {@code null} if it has no limits in Redis
     * @param series with the first message only
     */
    public record FleetState(
            int protocol,
            long at,
            long version,
            @Nullable String problem,
            List<Unreadable> unreadable,
            LimitersDescription.@Nullable Fallback fallback,
            List<Instance> instances,
            List<Limit> limits,
            List<Ban> bans,
            List<Live> live,
            @Nullable List<Series> series) {}

    /**
     * A ban that rejections have brought a key.
     *
     * @param limiter the name of the limit, without a plan
     * @param ends when
     */
    public record Ban(String prefix, String limiter, String key, long ends) {

        public static Ban of(BannedKey ban) {
            return new Ban(
                    ban.prefix(), ban.limiter(), ban.key().value(), ban.ends().toEpochMilli());
        }
    }

    public record Instance(
            String name,
            long at,
            long version,
            boolean up,
            String backend,
            @Nullable Double granted,
            @Nullable Double rejected,
            List<Inapplicable> notApplied) {}

    /**
     * A limit of the fleet.
     *
     * @param limiter the name that live limits of its keys have: of a plan, that of its limit
     * @param waits callers per second whose wait for permits has ended
     * @param meanWait how long they waited, in seconds; {@code null} without any
     */
    public record Limit(
            String prefix,
            String name,
            String limiter,
            String kind,
            String limit,
            Map<String, @Nullable Object> settings,
            @Nullable Double granted,
            @Nullable Double rejected,
            @Nullable Double errors,
            @Nullable Double waits,
            @Nullable Double meanWait,
            Map<String, Double> sources,
            List<HotKey> hottest,
            List<RejectedKey> rejectedKeys,
            List<Inapplicable> notApplied,
            boolean differs) {}

    public record HotKey(String key, long requests) {}

    /** @param last when one of the last was rejected */
    public record RejectedKey(
            String key, long rejections, @Nullable Long last) {

        public static RejectedKey of(LimitReport.RejectedKey reported) {
            return new RejectedKey(
                    reported.key(),
                    reported.rejections(),
                    reported.last().stream()
                            .findFirst()
                            .map(Instant::toEpochMilli)
                            .orElse(null));
        }
    }

    /**
     * What is known of one key of a limit.
     *
     * @param name of the limit, without a plan
     * @param plan that the request names, or that its calls had in the last minutes
     * @param permits {@code null} if they cannot be read
     * @param problem why not, in English
     * @param rejections estimated number in the last minutes, by the instances that rejected the key most
     * @param last some of the last rejections, the newest first
     * @param bannedUntil when the ban that rejections have brought it ends, if an instance reports one
     */
    public record KeyState(
            String name,
            @Nullable String plan,
            @Nullable Live live,
            @Nullable Permits permits,
            @Nullable String problem,
            long rejections,
            List<Rejection> last,
            @Nullable Long bannedUntil) {}

    /** As {@link KeyDescription} has them. */
    public record Permits(
            boolean granted,
            long limit,
            long remaining,
            @Nullable Double retryAfter,
            @Nullable Double fullAfter,
            @Nullable Long periodEnd,
            String source) {

        public static Permits of(KeyDescription key) {
            return new Permits(
                    key.granted(),
                    key.limit(),
                    key.remaining(),
                    key.retryAfter(),
                    key.fullAfter(),
                    key.periodEnd() == null
                            ? null
                            : Long.valueOf(key.periodEnd().toEpochMilli()),
                    key.source());
        }
    }

    public record Rejection(long at, String instance) {}

    /** A live limit that an instance could not apply. */
    public record Inapplicable(String instance, String prefix, String name, String why) {}

    /** Rates of a limit in each of the last seconds, at most ten minutes, oldest first. */
    public record Series(String prefix, String name, List<Double> granted, List<Double> rejected) {}

    public record PutRequest(
            @Nullable String name,
            @Nullable Key key,
            @Nullable Map<String, @Nullable Object> settings,
            @Nullable String why,
            @Nullable Long expiresSeconds,
            @Nullable Long expectedVersion) {}

    public record RemoveRequest(
            @Nullable String name,
            @Nullable Key key,
            @Nullable String why,
            @Nullable Long expectedVersion) {}

    /** @param ban whether the key is that of a {@link Ban}, and the name that of its limit */
    public record ResetRequest(
            @Nullable String prefix,
            @Nullable String name,
            @Nullable Key key,
            @Nullable Boolean ban) {}

    public record RollBackRequest(
            @Nullable Long version,
            @Nullable String why,
            @Nullable Long expectedVersion) {}
}
