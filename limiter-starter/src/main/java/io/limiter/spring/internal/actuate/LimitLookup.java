package io.limiter.spring.internal.actuate;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.internal.key.KeyHash;
import io.limiter.internal.key.KeyText;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.redis.RedisRateLimiterFactory;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * The limits of this instance and their permits, as operators name them. What they reset is audited, if the application has
 * Actuator. Safe for use by many threads.
 */
public final class LimitLookup {

    private final LimiterFactory factory;
    private final Supplier<Stream<KnownLimits>> known;
    private final boolean showKeys;
    private final ApplicationEventPublisher events;

    /**
     * @param known looked up for each request
     * @param showKeys whether audit events have keys themselves, and not their hashes
     * @param events publishes what is to be audited
     */
    public LimitLookup(
            LimiterFactory factory,
            Supplier<Stream<KnownLimits>> known,
            boolean showKeys,
            ApplicationEventPublisher events) {
        this.factory = factory;
        this.known = known;
        this.showKeys = showKeys;
        this.events = events;
    }

    LimiterStatistics statistics() {
        return factory.statistics();
    }

    /** Statistics of all limits of this instance. */
    public List<LimiterTotals> totals() {
        return statistics().totals();
    }

    /** A name as it is in a path, which has no slash at the start or the end, and no double slashes. */
    public static String asInPath(String name) {
        return String.join("/", StringUtils.tokenizeToStringArray(name, "/", false, true));
    }

    /** The limit of a prefix and name; empty if this instance has not built it. */
    public Optional<LimiterTotals> find(String prefix, String name) {
        return totals().stream()
                .filter(each -> each.prefix().equals(prefix) && each.name().equals(name))
                .findFirst();
    }

    /** A limit or a plan of it, one with a ban if there is one, by prefix and name of the limit; empty if this instance has built none. */
    public Optional<LimiterTotals> findLimit(String prefix, String limiter) {
        return totals().stream()
                .filter(each -> each.prefix().equals(prefix)
                        && each.limiter().equals(limiter)
                        && each.limit().isPresent())
                .min(Comparator.comparing(each -> each.ban().isEmpty()));
    }

    /** The keys of a path as one text, or its hash. */
    static String shown(List<String> keys, boolean showKeys) {
        String text = KeyText.of(keys);
        return showKeys ? text : KeyHash.OF_THIS_PROCESS.of(text);
    }

    LimitersDescription.@Nullable Fallback fallback() {
        return LimitersDescription.Fallback.of(factory);
    }

    boolean isLocal() {
        return isLocal(factory);
    }

    /** Whether the limits of a factory are in this process. */
    public static boolean isLocal(LimiterFactory factory) {
        return factory instanceof LocalLimiterFactory
                || factory instanceof RedisRateLimiterFactory redis && redis.isLocal();
    }

    @Nullable
    String known(Function<KnownLimits, @Nullable String> question) {
        return known.get().map(question).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /**
     * Its permits now, of which none are taken.
     *
     * @param keys of the key path; none for the limit's own permits
     * @param withStoredKey whether it says under which key they are stored
     */
    public KeyDescription describe(
            LimiterTotals totals,
            List<String> keys,
            @Nullable Map<String, @Nullable Object> live,
            boolean withStoredKey) {
        AnyLimit limit = limit(totals);
        NamedPermits permits = NamedPermits.of(factory, totals, limit, keys);
        Decision peek = permits.peek().get();
        return new KeyDescription(
                peek.isGranted(),
                peek.limit(),
                peek.remaining(),
                KeyDescription.seconds(peek.retryAfterMicros()),
                KeyDescription.seconds(peek.fullAfterMicros()),
                peek.periodEnd().orElse(null),
                SourceNames.of(peek.source(), isLocal()),
                LimitDefinition.of(limit, totals),
                live,
                totals.plan().orElse(null),
                totals.rejectedKeys().stream()
                        .filter(each -> each.keys().equals(keys))
                        .map(each -> Rejections.of(null, each))
                        .findFirst()
                        .orElse(null),
                withStoredKey && !isLocal() ? permits.storedKey() : null);
    }

    /**
     * Deletes the state of permits, which are then all there; an audit event says so, also if that fails.
     *
     * @param keys of the key path; none for the limit's own permits
     */
    public void reset(LimiterTotals totals, List<String> keys, String who) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("limit", totals.prefix() + totals.name());
        data.put("action", "reset");
        if (!keys.isEmpty()) {
            data.put("key", shown(keys, showKeys));
        }
        data.put("result", "failed");
        try {
            NamedPermits.of(factory, totals, limit(totals), keys).reset().run();
            data.put("result", "done");
        } finally {
            Audit.publish(events, who, LimitersEndpoint.RESET, data);
        }
    }

    private static AnyLimit limit(LimiterTotals totals) {
        return totals.limit()
                .orElseThrow(() -> new IllegalArgumentException("'" + totals.name() + "' stands for many limits"));
    }
}
