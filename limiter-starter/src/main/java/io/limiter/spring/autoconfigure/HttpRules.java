package io.limiter.spring.autoconfigure;

import io.limiter.spring.actuate.KnownLimits;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.InvalidSettingException;
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

/** The checked rules of {@code limiter.http}. An unknown setting prevents startup. */
final class HttpRules implements KnownLimits, RouteRules, ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(HttpRules.class);

    private final Environment environment;
    private final Set<String> all;

    /** The limits whose key needs no user, in their order. */
    private final HttpLimits first;

    /** The limits whose key needs the user, in their order. */
    private final HttpLimits byUser;

    /** Those that routes name. */
    private final Map<String, HttpLimits> ofRoutes = new TreeMap<>();

    private final Set<String> named = ConcurrentHashMap.newKeySet();

    /** @throws InvalidSettingException naming an invalid setting */
    HttpRules(Map<String, HttpRule> settings, Environment environment, HttpRule.Application application) {
        this.environment = environment;
        this.all = settings.keySet();
        List<HttpLimit> built = build(settings, application);
        this.first = limits(built, false);
        this.byUser = limits(built, true);
    }

    HttpLimits first() {
        return first;
    }

    HttpLimits byUser() {
        return byUser;
    }

    /** By now the routes that are configured have named their rules. Contexts below this one may start before that. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent started) {
        if (started.getApplicationContext().getEnvironment() != environment) {
            return;
        }
        ofRoutes.keySet().stream()
                .filter(named::add)
                .forEach(rule -> log.warn(
                        "{} has no path, and no route has named it: until one does, it limits nothing",
                        ConfiguredLimits.property(HttpRule.PROPERTY, rule)));
    }

    @Override
    public HttpLimits named(String rule) {
        named.add(rule);
        HttpLimits limits = ofRoutes.get(rule);
        if (limits == null && all.contains(rule)) {
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
                            + ofRoutes.keySet());
        }
        return limits;
    }

    @Override
    public boolean usesUser() {
        return ofRoutes.values().stream().anyMatch(HttpLimits::usesUser);
    }

    private List<HttpLimit> build(Map<String, HttpRule> settings, HttpRule.Application application) {
        List<HttpLimit> built = new ArrayList<>();
        Set<String> limits = new HashSet<>();
        settings.forEach((id, rule) -> {
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
        return built;
    }

    @Override
    public @Nullable String definedBy(String prefix, String name) {
        return all().anyMatch(limit -> limit.has(prefix, name)) ? HttpRule.PROPERTY : null;
    }

    private Stream<HttpLimit> all() {
        return Stream.concat(Stream.of(first, byUser), ofRoutes.values().stream())
                .flatMap(each -> each.limits().stream());
    }

    private static HttpLimits limits(List<HttpLimit> built, boolean byUser) {
        return new HttpLimits(
                built.stream().filter(limit -> limit.usesUser() == byUser).toList());
    }
}
