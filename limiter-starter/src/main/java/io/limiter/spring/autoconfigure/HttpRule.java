package io.limiter.spring.autoconfigure;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.live.LiveSettings;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.LimitInUse;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.spel.RequestKey;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.LimitSettings;
import io.limiter.spring.web.HttpLimit;
import io.limiter.spring.web.HttpRoute;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.http.HttpMethod;

/**
 * One or several limits on HTTP requests, all or nothing.
 *
 * @param name Its name in headers and in Redis, unique among the rules. Default: the paths.
 * @param path Path patterns as those of controllers, such as /api/**.
 * @param methods HTTP methods; all, if none is given. GET includes HEAD.
 * @param exclude Patterns of paths that are not limited.
 * @param key Key of a request: ip, user, all, header:name, cookie:name, or a text with expressions over the
 *     request.
 * @param limits At least one, with the settings of limiter.limits.
 * @param order Order among several rules that match a request; lower is checked first.
 * @param enforce Whether it rejects requests. If not, it is in shadow mode: the log and the meters report rejections.
 */
record HttpRule(
        @Nullable String name,
        @DefaultValue List<String> path,
        @DefaultValue List<String> methods,
        @DefaultValue List<String> exclude,
        @DefaultValue("ip") String key,
        @DefaultValue List<LimitSettings> limits,
        @DefaultValue("0") int order,
        @DefaultValue("true") boolean enforce) {

    static final String PREFIX = "httpLimit:";

    /** The name, or the paths if it has none. */
    String knownName() {
        return name == null || name.isBlank() ? String.join(",", path) : name;
    }

    /** The names of its limits: its own for the first, with a number for the others. */
    List<String> limitNames() {
        return IntStream.rangeClosed(1, limits.size())
                .mapToObj(i -> i == 1 ? knownName() : knownName() + "/" + i)
                .toList();
    }

    /**
     * Checks the rule and builds its limiters.
     *
     * @param property the rule's, with which the names of its settings start
     * @param live returns the current live settings of a limit's name
     * @throws InvalidSettingException naming an invalid setting
     */
    HttpLimit build(String property, LimiterFactory factory, Function<String, Supplier<LiveSettings>> live) {
        if (path.isEmpty()) {
            throw new InvalidSettingException(
                    property, property + ".path must be set, such as " + property + ".path=/api/**");
        }
        if (limits.isEmpty()) {
            throw new InvalidSettingException(
                    property,
                    property + ".limits must have at least one limit, such as " + property + ".limits[0].rate=10");
        }
        HttpRoute route = new HttpRoute(
                path.stream().map(named(property + ".path", HttpRoute::pattern)).toList(),
                methods(property + ".methods"),
                exclude.stream()
                        .map(named(property + ".exclude", HttpRoute::pattern))
                        .toList());
        RequestKey requestKey = named(property + ".key", RequestKey::parse).apply(key);
        RejectionLog log = new RejectionLog(property + " (" + knownName() + ")", enforce, System::nanoTime);
        List<LimitInUse<Limiter>> parts = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            check(property + ".limits[" + i + "]", limits.get(i));
            CheckedLimit limit =
                    new CheckedLimit(LimitName.chosen(PREFIX, limitNames().get(i)), enforce, "", log);
            parts.add(inUse(property + ".limits[" + i + "]", limits.get(i), limit, factory, live));
        }
        return new HttpLimit(PREFIX, route, requestKey, parts, log);
    }

    private void check(String property, LimitSettings limit) {
        if (limit.enforce() != null) {
            throw new InvalidSettingException(
                    property + ".enforce",
                    property + ".enforce has no effect, the limits of one rule are all or"
                            + " nothing: set enforce of the rule instead");
        }
        limit.check(property);
        if (limits.size() > 1 && limit.prefetchPermits() != null && limit.prefetchPermits() > 0) {
            throw new InvalidSettingException(
                    property + ".prefetch-permits",
                    property + ".prefetch-permits has no effect where a rule has several"
                            + " limits, which are decided atomically in Redis: leave it out");
        }
    }

    private LimitInUse<Limiter> inUse(
            String property,
            LimitSettings settings,
            CheckedLimit limit,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live) {
        return named(property, ": ", (LimitSettings checked) -> {
                    ConfiguredLimits.Configured built = checked.toLimit(property, enforce);
                    String name = limit.name().name();
                    // In the prefix, because another kind cannot read the stored state.
                    String prefix = PREFIX + built.limit().getClass().getSimpleName() + ":";
                    return new LimitInUse<>(
                            limit,
                            enforce,
                            built.timeout(),
                            live.apply(name),
                            enforced -> built.prefetching(built.limiters(factory, prefix, limits.size() > 1, enforced))
                                    .build(name, built.limit()));
                })
                .apply(settings);
    }

    private Set<String> methods(String property) {
        Set<String> known = new LinkedHashSet<>();
        for (String method : methods) {
            String upper = method.toUpperCase(Locale.ROOT);
            if (!List.of(HttpMethod.values()).contains(HttpMethod.valueOf(upper))) {
                throw new InvalidSettingException(
                        property, property + " must be HTTP methods such as GET, was '" + method + "'");
            }
            known.add(upper);
        }
        return known;
    }

    /** A parser whose failures name the setting. */
    private static <A, B> Function<A, B> named(String property, Function<A, B> parser) {
        return named(property, " ", parser);
    }

    private static <A, B> Function<A, B> named(String property, String separator, Function<A, B> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new InvalidSettingException(property, property + separator + e.getMessage(), e);
            }
        };
    }
}
