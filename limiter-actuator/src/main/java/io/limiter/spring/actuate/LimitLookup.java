package io.limiter.spring.actuate;

import io.limiter.HashTag;
import io.limiter.LimiterFactory;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.LimiterTotals.KeyBan;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.internal.key.KeyHash;
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

    /** The key, or its hash. */
    static String shown(String key, boolean showKeys) {
        return showKeys ? key : KeyHash.OF_THIS_PROCESS.of(key);
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
     * Its permits now, of which none are taken. See {@link #hashTag}.
     *
     * @param withStoredKey whether it says under which key they are stored
     */
    public KeyDescription describe(
            LimiterTotals totals,
            @Nullable String key,
            @Nullable String hashTag,
            @Nullable Map<String, @Nullable Object> live,
            boolean withStoredKey) {
        Limit<?> limit = limit(totals);
        String tag = hashTag(totals, key, hashTag);
        NamedPermits permits = NamedPermits.of(factory, totals, limit, path(tag, key), tag);
        Decision peek = permits.peek().get();
        return new KeyDescription(
                peek.granted(),
                peek.limit(),
                peek.remaining(),
                KeyDescription.seconds(peek.retryAfterMicros()),
                KeyDescription.seconds(peek.fullAfterMicros()),
                SourceNames.of(peek.source(), isLocal()),
                LimitDefinition.of(
                        limit, totals.prefetch().orElse(null), totals.ban().orElse(null)),
                live,
                totals.plan().orElse(null),
                totals.rejectedKeys().stream()
                        .filter(each -> each.key().equals(key))
                        .map(each -> Rejections.of(null, each))
                        .findFirst()
                        .orElse(null),
                withStoredKey && !isLocal() ? permits.storedKey() : null);
    }

    /** Deletes the state of permits, which are then all there; an audit event says so, also if that fails. See {@link #hashTag}. */
    public void reset(LimiterTotals totals, @Nullable String key, @Nullable String hashTag, String who) {
        String tag = hashTag(totals, key, hashTag);
        reset(totals, key, path(tag, key), tag, who);
    }

    /** As the other, for the key of a ban. */
    public void reset(LimiterTotals totals, KeyBan ban, String who) {
        reset(totals, ban.key(), ban.path(), ban.hashTag(), who);
    }

    private void reset(
            LimiterTotals totals, @Nullable String key, List<String> path, @Nullable String tag, String who) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("limit", totals.prefix() + totals.name());
        data.put("action", "reset");
        if (key != null) {
            data.put("key", shown(key, showKeys));
        }
        if (tag != null) {
            data.put("hashTag", shown(tag, showKeys));
        }
        data.put("result", "failed");
        try {
            NamedPermits.of(factory, totals, limit(totals), path, tag).reset().run();
            data.put("result", "done");
        } finally {
            Audit.publish(events, who, LimitersEndpoint.RESET, data);
        }
    }

    private static List<String> path(@Nullable String hashTag, @Nullable String key) {
        return Stream.of(Optional.ofNullable(hashTag), Optional.ofNullable(key))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Limit<?> limit(LimiterTotals totals) {
        return totals.limit()
                .orElseThrow(() -> new IllegalArgumentException("'" + totals.name() + "' stands for many limits"));
    }

    /**
     * @param key {@code null} for the limit's own permits
     * @throws IllegalArgumentException if this does not identify permits
     */
    private @Nullable String hashTag(LimiterTotals totals, @Nullable String key, @Nullable String named) {
        if (key != null && key.isBlank() || named != null && named.isBlank()) {
            throw new IllegalArgumentException(
                    "key and hashTag must not be blank: leave the key out for the limit's own permits");
        }
        String fromKey = known(each -> each.hashTag(totals.prefix(), totals.limiter(), key));
        if (fromKey == null && (named != null) != (totals.hashTag() == HashTag.FIRST_KEY)) {
            throw new IllegalArgumentException(
                    named == null
                            ? "the permits of '" + totals.name() + "' have a hash tag: name it, ?hashTag=..."
                            : "the permits of '" + totals.name() + "' have no hash tag: leave it out");
        }
        return named == null ? fromKey : named;
    }
}
