package io.limiter.spring.internal.actuate;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterStatistics;
import io.limiter.LimiterTotals;
import io.limiter.algorithm.AnyLimit;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Shows the limiters to operators, who reset keys where {@code management.endpoint.limiters.access} is {@code unrestricted}. A limit is selected by its name, or by prefix and name if several prefixes have the name. Names may
 * have slashes, so they are the rest of the path, and keys are parameters.
 */
@Endpoint(id = "limiters", defaultAccess = Access.READ_ONLY)
public final class LimitersEndpoint {

    /** The type of the audit event of a reset. */
    public static final String RESET = "LIMIT_RESET";

    private static final int MAX_BANNED_KEYS = 100;

    private final LimitLookup lookup;
    private final LiveLimits live;
    private final CallTimes calls;
    private final Settings settings;

    public LimitersEndpoint(LimitLookup lookup, LiveLimits live, CallTimes calls, Settings settings) {
        this.lookup = lookup;
        this.live = live;
        this.calls = calls;
        this.settings = settings;
    }

    /** All limits. */
    @ReadOperation
    public LimitersDescription limiters() {
        LimiterStatistics sizes = lookup.statistics();
        return new LimitersDescription(
                lookup.totals().stream().map(each -> describe(each, null)).toList(),
                calls.summary(),
                lookup.fallback(),
                sizes == LimiterStatistics.NONE
                        ? null
                        : new LimitersDescription.Sizes(
                                sizes.cachedRejections(), sizes.liveLeases(), sizes.queuedRequests()));
    }

    /**
     * A {@link LimitDescription} with the hottest keys, or the {@link KeyDescription} of a key. It takes no permits.
     *
     * @param name the name, split at slashes
     * @param key of the permits, as {@link LiveKey#value()}: # separates the keys of a path
     * @return a problem with the status 404 if there is no such limit
     */
    @ReadOperation
    public @Nullable Object limit(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name,
            // The one that both lines of Spring Boot know.
            @org.springframework.lang.Nullable String key) {
        return EndpointProblems.answered(() -> {
            LimiterTotals totals = find(name);
            if (totals == null) {
                return notFound(name);
            }
            if (key == null) {
                return describe(totals, new Keys(showsKeys(security)));
            }
            LiveKey parsed = LiveKey.parse(key);
            return lookup.describe(totals, parsed.keys(), live(totals, parsed), showsKeys(security));
        });
    }

    /**
     * Deletes the state of a key, which then has all permits and is not banned. An audit event of the type {@value #RESET} says so.
     *
     * @param name the name, split at slashes
     * @param key as {@link LiveKey#value()}: # separates the keys of a path; {@code null} for the limit's own permits
     * @param banned the key as {@code bansInEffect} shows it, instead of the key itself
     * @param who resets it, without a login
     */
    @DeleteOperation
    public @Nullable Object reset(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] name,
            @org.springframework.lang.Nullable String key,
            @org.springframework.lang.Nullable String banned,
            @org.springframework.lang.Nullable String who) {
        return EndpointProblems.answered(() -> {
            LimiterTotals totals = find(name);
            if (totals == null) {
                return notFound(name);
            }
            String caller = Operator.name(security, who == null ? "unknown" : who);
            List<String> keys = banned != null
                    ? banned(totals, new Keys(showsKeys(security)), key, banned)
                    : key == null ? List.of() : LiveKey.parse(key).keys();
            lookup.reset(totals, keys, caller);
            return null;
        });
    }

    /** The keys of a ban that is in effect here. */
    private static List<String> banned(LimiterTotals totals, Keys keys, @Nullable String key, String banned) {
        if (key != null) {
            throw new IllegalArgumentException("key and banned both name a key: leave one of them out");
        }
        return totals.bansInEffect().stream()
                .map(LimiterTotals.KeyBan::keys)
                .filter(each -> keys.shown(each).equals(banned))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "banned must be a key of bansInEffect of this instance, as it is shown there, was '" + banned
                                + "': send the key itself, or use the endpoint of the instance that shows it"));
    }

    /** The live limit of a key. */
    private @Nullable Map<String, @Nullable Object> live(LimiterTotals totals, LiveKey key) {
        return live.get(totals.name(), key).map(LiveDefinition::of).orElse(null);
    }

    /** @param keys {@code null} if it is one of the list of limits, which has no keys */
    private LimitDescription describe(LimiterTotals totals, @Nullable Keys keys) {
        LiveLimit ofName = live.get(totals.name()).orElse(null);
        AnyLimit limit = totals.limit().orElse(null);
        return new LimitDescription(
                totals.prefix(),
                totals.name(),
                limit == null ? null : limit.getClass().getSimpleName(),
                limit == null ? null : LimitDefinition.of(limit, totals),
                ofName != null && ofName.settings().hasParameters() ? "live" : definedBy(totals),
                ofName == null ? null : LiveDefinition.of(ofName),
                LimitDescription.counts(totals::granted, lookup.isLocal()),
                LimitDescription.counts(totals::rejected, lookup.isLocal()),
                totals.errors(),
                totals.bans(),
                keys == null ? null : keys.bansInEffect(totals),
                keys == null ? null : keys.hottest(totals),
                keys == null ? null : keys.rejected(totals),
                keys == null ? null : own(totals, keys));
    }

    private String definedBy(LimiterTotals totals) {
        if (totals.isRateSet()) {
            return "setRate";
        }
        String configured = lookup.known(each -> each.definedBy(totals.prefix(), totals.limiter()));
        return configured == null ? "code" : configured;
    }

    /** {@code null} if Redis is unavailable, because the rest can be shown without it. */
    private @Nullable KeyDescription own(LimiterTotals totals, Keys keys) {
        try {
            return lookup.describe(totals, List.of(), null, keys.showKeys());
        } catch (IllegalArgumentException | LimiterBackendException e) {
            return null;
        }
    }

    /**
     * {@code null} if there is none of this name.
     *
     * @throws IllegalArgumentException if there are several
     */
    private @Nullable LimiterTotals find(String[] name) {
        String path = String.join("/", name);
        List<LimiterTotals> found = named(path, UnaryOperator.identity());
        if (found.isEmpty()) {
            found = named(path, LimitLookup::asInPath);
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException("several limits have this name, so name one of "
                    + found.stream().map(each -> each.prefix() + each.name()).toList());
        }
        return found.isEmpty() ? null : found.get(0);
    }

    private Object notFound(String[] name) {
        return EndpointProblems.notFound(LimitNames.problem(
                String.join("/", name),
                lookup.totals().stream().map(LimiterTotals::name).toList()));
    }

    private List<LimiterTotals> named(String path, UnaryOperator<String> form) {
        return lookup.totals().stream()
                .filter(each -> form.apply(each.name()).equals(path)
                        || form.apply(each.prefix() + each.name()).equals(path))
                .toList();
    }

    private boolean showsKeys(SecurityContext security) {
        return settings.showKeys().isShown(security, settings.roles());
    }

    /**
     * Settings of this endpoint.
     *
     * @param showKeys When to show keys, which may be addresses or names of people. Otherwise they are hashed.
     * @param roles Roles of which a user needs one to be shown keys when authorized. Without roles, any authenticated user is.
     */
    @ConfigurationProperties("management.endpoint.limiters")
    public record Settings(
            @DefaultValue("never") Show showKeys,
            @DefaultValue Set<String> roles) {}

    /** Keys as a caller sees them: themselves, or their hashes. */
    private record Keys(boolean showKeys) {

        String shown(List<String> keys) {
            return LimitLookup.shown(keys, showKeys);
        }

        List<LimitDescription.HotKey> hottest(LimiterTotals totals) {
            return totals.hottestKeys().stream()
                    .map(hot -> new LimitDescription.HotKey(shown(hot.keys()), hot.requests()))
                    .toList();
        }

        List<Rejections> rejected(LimiterTotals totals) {
            return totals.rejectedKeys().stream()
                    .map(each -> Rejections.of(shown(each.keys()), each))
                    .toList();
        }

        List<LimitDescription.BannedKey> bansInEffect(LimiterTotals totals) {
            return totals.bansInEffect().stream()
                    .limit(MAX_BANNED_KEYS)
                    .map(ban -> new LimitDescription.BannedKey(
                            shown(ban.keys()), ban.left().toMillis() / 1000.0))
                    .toList();
        }
    }
}
