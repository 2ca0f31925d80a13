package io.limiter.spring.autoconfigure;

import io.limiter.spring.actuate.KnownLimits;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
import io.limiter.spring.settings.RefreshableSettings;
import io.limiter.spring.web.HttpLimit;
import io.limiter.spring.web.HttpLimits;
import io.limiter.spring.web.RouteRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.Environment;

/** The checked rules of {@code limiter.http}, which can be read again. An unknown setting prevents startup. */
final class HttpRules
        implements KnownLimits, RefreshableSettings, RouteRules, ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(HttpRules.class);

    private final PropertyNames names;
    private final Environment environment;
    private final HttpRule.Application application;
    private final Rules atStart;
    private final Set<String> named = ConcurrentHashMap.newKeySet();
    private volatile Rules current;

    /** @throws InvalidSettingException naming an invalid setting */
    HttpRules(PropertyNames names, Environment environment, HttpRule.Application application) {
        this.names = names;
        this.environment = environment;
        this.application = application;
        this.atStart = built(bound());
        this.current = atStart;
    }

    /**
     * @param first the limits whose key needs no user, in their order
     * @param byUser the limits whose key needs the user, in their order
     * @param ofRoutes those that routes name
     */
    private record Rules(
            Map<String, HttpRule> settings, HttpLimits first, HttpLimits byUser, Map<String, HttpLimits> ofRoutes) {}

    HttpLimits first() {
        return current.first();
    }

    HttpLimits byUser() {
        return current.byUser();
    }

    /** By now the routes that are configured have named their rules. Contexts below this one may start before that. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent started) {
        if (started.getApplicationContext().getEnvironment() != environment) {
            return;
        }
        current.ofRoutes().keySet().stream()
                .filter(named::add)
                .forEach(rule -> log.warn(
                        "{} has no path, and no route has named it: until one does, it limits nothing",
                        ConfiguredLimits.property(HttpRule.PROPERTY, rule)));
    }

    @Override
    public HttpLimits named(String rule) {
        named.add(rule);
        Rules rules = current;
        HttpLimits limits = rules.ofRoutes().get(rule);
        if (limits == null && rules.settings().containsKey(rule)) {
            throw new InvalidSettingException(
                    ConfiguredLimits.property(HttpRule.PROPERTY, rule) + ".path",
                    " applies the rule without a route, and a route names it: remove one of both");
        }
        if (limits == null) {
            throw new InvalidSettingException(
                    ConfiguredLimits.property(HttpRule.PROPERTY, rule),
                    " is named by a route, and is no rule: set "
                            + ConfiguredLimits.property(HttpRule.PROPERTY, rule)
                            + ".limits.second.rate=10, or name one of "
                            + rules.ofRoutes().keySet());
        }
        return limits;
    }

    @Override
    public boolean usesUser() {
        return current.ofRoutes().values().stream().anyMatch(HttpLimits::usesUser);
    }

    @Override
    public String property() {
        return HttpRule.PROPERTY;
    }

    /** @throws RuntimeException also if the rules need a filter that was not needed at the start */
    @Override
    public boolean refresh() {
        Map<String, HttpRule> settings = bound();
        if (settings.equals(current.settings())) {
            return false;
        }
        Rules changed = built(settings);
        checkHasFilter("without a user as its key", atStart.first(), changed.first());
        checkHasFilter("by user", atStart.byUser(), changed.byUser());
        current.settings().forEach((id, rule) -> {
            if (!rule.isOfRoutes() && changed.ofRoutes().containsKey(id)) {
                throw new InvalidSettingException(
                        ConfiguredLimits.property(HttpRule.PROPERTY, id) + ".path",
                        " must not become empty, because no route names the rule: set it, or remove the rule");
            }
        });
        if (!changed.ofRoutes().keySet().containsAll(current.ofRoutes().keySet())) {
            throw new InvalidSettingException(
                    HttpRule.PROPERTY,
                    " must have the rules without a path that it had, because routes may name them: "
                            + current.ofRoutes().keySet());
        }
        current = changed;
        return true;
    }

    private static void checkHasFilter(String kind, HttpLimits before, HttpLimits after) {
        if (before.limits().isEmpty() && !after.limits().isEmpty()) {
            throw new InvalidSettingException(
                    HttpRule.PROPERTY,
                    " had no rule " + kind + " when the application started, so there is no filter for one:"
                            + " restart the application");
        }
    }

    private Map<String, HttpRule> bound() {
        return names.rules(environment);
    }

    private Rules built(Map<String, HttpRule> rules) {
        List<HttpLimit> built = new ArrayList<>();
        Set<String> limits = new HashSet<>();
        Map<String, HttpLimits> ofRoutes = new TreeMap<>();
        rules.forEach((id, rule) -> {
            String property = ConfiguredLimits.property(HttpRule.PROPERTY, id, ".api.path=/api/**");
            HttpLimit limit = rule.build(id, property, application);
            limit.parts().forEach(part -> {
                if (!limits.add(part.name())) {
                    throw new InvalidSettingException(
                            property,
                            ".name must differ from those before it, which share its permits otherwise, was '"
                                    + limit.name() + "', and a limit is '" + part.name() + "' already");
                }
            });
            if (rule.isOfRoutes()) {
                ofRoutes.put(id, new HttpLimits(List.of(limit)));
            } else {
                built.add(limit);
            }
        });
        built.sort(Comparator.comparingInt(HttpLimit::order));
        return new Rules(rules, limits(built, false), limits(built, true), ofRoutes);
    }

    @Override
    public @Nullable String definedBy(String prefix, String name) {
        return all().anyMatch(limit -> limit.has(prefix, name)) ? HttpRule.PROPERTY : null;
    }

    private Stream<HttpLimit> all() {
        Rules rules = current;
        return Stream.concat(Stream.of(rules.first(), rules.byUser()), rules.ofRoutes().values().stream())
                .flatMap(each -> each.limits().stream());
    }

    private static HttpLimits limits(List<HttpLimit> built, boolean byUser) {
        return new HttpLimits(
                built.stream().filter(limit -> limit.usesUser() == byUser).toList());
    }
}
