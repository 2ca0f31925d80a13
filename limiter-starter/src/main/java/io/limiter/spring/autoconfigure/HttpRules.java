package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveSettings;
import io.limiter.spring.actuate.KnownLimits;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.LimitSettings;
import io.limiter.spring.web.HttpLimit;
import io.limiter.spring.web.HttpLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The checked rules of {@code limiter.http}, which can be read again. An unknown setting prevents startup. */
final class HttpRules implements KnownLimits {

    private static final String PROPERTY = "limiter.http";

    private final Environment environment;
    private final LimiterFactory factory;
    private final Function<String, Supplier<LiveSettings>> live;
    private final @Nullable PlanResolver resolver;
    private final Rules atStart;
    private volatile Rules current;

    /**
     * @param live returns the current live settings of a limit's name
     * @param resolver of plans; {@code null} if the application has none
     * @throws InvalidSettingException naming an invalid setting
     */
    HttpRules(
            Environment environment,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live,
            @Nullable PlanResolver resolver) {
        this.environment = environment;
        this.factory = factory;
        this.live = live;
        this.resolver = resolver;
        this.atStart = built(bound());
        this.current = atStart;
    }

    /**
     * @param first the limits whose key needs no user, in their order
     * @param byUser the limits whose key needs the user, in their order
     */
    private record Rules(List<HttpRule> settings, HttpLimits first, HttpLimits byUser) {}

    HttpLimits first() {
        return current.first();
    }

    HttpLimits byUser() {
        return current.byUser();
    }

    /**
     * Reads the rules again.
     *
     * @return whether they have changed
     * @throws RuntimeException if a setting is unknown or invalid, or if the rules need a filter that was not needed at the start;
     *     all rules stay as they are
     */
    boolean refresh() {
        List<HttpRule> settings = bound();
        if (settings.equals(current.settings())) {
            return false;
        }
        Rules changed = built(settings);
        checkHasFilter("without a user as its key", atStart.first(), changed.first());
        checkHasFilter("by user", atStart.byUser(), changed.byUser());
        current = changed;
        return true;
    }

    private static void checkHasFilter(String kind, HttpLimits before, HttpLimits after) {
        if (before.limits().isEmpty() && !after.limits().isEmpty()) {
            throw new InvalidSettingException(
                    PROPERTY,
                    " had no rule " + kind + " when the application started, so there is no filter for one:"
                            + " restart the application");
        }
    }

    private List<HttpRule> bound() {
        Binder binder = Binder.get(environment);
        List<HttpRule> rules = binder.bind(PROPERTY, Bindable.listOf(HttpRule.class), ConfiguredLimits.strict())
                .orElse(List.of());
        for (int i = 0; i < rules.size(); i++) {
            for (int j = 0; j < rules.get(i).limits().size(); j++) {
                // The handler does not find unknown settings in a list within a list.
                binder.bind(
                        property(i) + ".limits[" + j + "]",
                        Bindable.of(LimitSettings.class),
                        ConfiguredLimits.strict());
            }
        }
        return rules;
    }

    private static String property(int rule) {
        return PROPERTY + "[" + rule + "]";
    }

    private Rules built(List<HttpRule> rules) {
        List<HttpLimit> built = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < rules.size(); i++) {
            HttpRule rule = rules.get(i);
            String property = property(i);
            HttpLimit limit = rule.build(property, factory, live, resolver);
            for (String name : rule.limitNames()) {
                if (!names.add(name)) {
                    throw new InvalidSettingException(
                            property,
                            ".name must differ from those before it, which share"
                                    + " its permits otherwise, was '" + rule.knownName() + "', and a limit is '" + name
                                    + "' already");
                }
            }
            built.add(limit);
        }
        built.sort(Comparator.comparingInt(HttpLimit::order));
        return new Rules(rules, limits(built, false), limits(built, true));
    }

    @Override
    public @Nullable String hashTag(String prefix, String name, @Nullable String key) {
        return all().map(limit -> limit.hashTag(prefix, name, key))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public @Nullable String definedBy(String prefix, String name) {
        return all().anyMatch(limit -> limit.has(prefix, name)) ? PROPERTY : null;
    }

    private Stream<HttpLimit> all() {
        return Stream.of(first(), byUser()).flatMap(each -> each.limits().stream());
    }

    private static HttpLimits limits(List<HttpLimit> built, boolean byUser) {
        return new HttpLimits(
                built.stream().filter(limit -> limit.usesUser() == byUser).toList());
    }
}
