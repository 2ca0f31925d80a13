package io.limiter.spring.autoconfigure;

import io.limiter.internal.text.NearestName;
import io.limiter.spring.internal.actuate.KnownLimits;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.web.HttpRule;
import io.limiter.spring.internal.web.HttpRules;
import io.limiter.spring.internal.web.RouteRules;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.Environment;

/** The checked rules of {@code limiter.http}. The application fails to start if a setting is unknown. */
final class ConfiguredRules implements KnownLimits, RouteRules, ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredRules.class);

    /** How many names are shown in place of an unknown one. */
    private static final int NEAREST = 3;

    private final Environment environment;
    private final boolean readsResponses;

    /** All rules by their keys in the configuration. */
    private final Map<String, HttpRule> all = new TreeMap<>();

    /** The rules before Spring Security, which read no user, in their order. */
    private final HttpRules beforeSecurity;

    /** The rules behind Spring Security, which read the user, in their order. */
    private final HttpRules behindSecurity;

    /** The rules without a path, which routes of a gateway name. */
    private final Map<String, HttpRules> ofRoutes = new TreeMap<>();

    private final Set<String> named = ConcurrentHashMap.newKeySet();
    private final Set<String> keyedByRoutes = ConcurrentHashMap.newKeySet();

    /** @throws InvalidSettingException naming an invalid setting */
    ConfiguredRules(
            Map<String, HttpRuleSettings> settings, Environment environment, HttpRuleSettings.Application application) {
        this.environment = environment;
        this.readsResponses = settings.values().stream()
                .anyMatch(each -> each.isOfRoutes() && !each.settle().isEmpty());
        List<HttpRule> built = build(settings, application);
        this.beforeSecurity = rules(built, false);
        this.behindSecurity = rules(built, true);
    }

    HttpRules beforeSecurity() {
        return beforeSecurity;
    }

    HttpRules behindSecurity() {
        return behindSecurity;
    }

    /** Whether any of the rules leaves addresses out. */
    boolean exemptAddresses() {
        return all.values().stream().anyMatch(rule -> rule.exempt() != null);
    }

    /**
     * A rule, wherever it applies.
     *
     * @param name its key in the configuration
     * @throws IllegalArgumentException if there is none
     * @throws IllegalStateException if routes find its key
     */
    HttpRule rule(String name) {
        HttpRule found = all.get(Objects.requireNonNull(name, "rule"));
        if (found == null) {
            List<String> nearest = NearestName.nearest(name, all.keySet(), NEAREST);
            throw new IllegalArgumentException("there is no rule '" + name + "', "
                    + (nearest.isEmpty() ? "and none of another name" : "the nearest names are " + nearest) + ": set "
                    + ConfiguredLimits.property(HttpRuleSettings.PROPERTY, name)
                    + ".*, or name a rule that is there");
        }
        if (keyedByRoutes.contains(name)) {
            throw new IllegalStateException("the key of the rule '" + name
                    + "' is that of the keyResolver of a route, which other requests do not have: set "
                    + ConfiguredLimits.property(HttpRuleSettings.PROPERTY, name)
                    + ".key, and remove the keyResolver from the filter Limit of the route");
        }
        return found;
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
                        ConfiguredLimits.property(HttpRuleSettings.PROPERTY, rule)));
    }

    @Override
    public HttpRules named(String rule) {
        named.add(rule);
        HttpRules found = ofRoutes.get(rule);
        if (found == null && all.containsKey(rule)) {
            throw new InvalidSettingException(
                    ConfiguredLimits.property(HttpRuleSettings.PROPERTY, rule) + ".path",
                    " applies the rule without a route, and a route names it: remove one of them");
        }
        if (found == null) {
            throw new InvalidSettingException(
                    ConfiguredLimits.property(HttpRuleSettings.PROPERTY, rule),
                    " is named by a route, but is not a rule: set "
                            + ConfiguredLimits.property(HttpRuleSettings.PROPERTY, rule)
                            + ".limits.second.rate=10, or name one of "
                            + ofRoutes.keySet());
        }
        return found;
    }

    @Override
    public void keyedByRoutes(String rule) {
        keyedByRoutes.add(rule);
    }

    @Override
    public boolean usesUser() {
        return ofRoutes.values().stream().anyMatch(HttpRules::usesUser);
    }

    @Override
    public boolean readsResponses() {
        return readsResponses;
    }

    private List<HttpRule> build(Map<String, HttpRuleSettings> settings, HttpRuleSettings.Application application) {
        List<HttpRule> built = new ArrayList<>();
        Set<String> limits = new HashSet<>();
        settings.forEach((id, each) -> {
            String property = ConfiguredLimits.property(HttpRuleSettings.PROPERTY, id, ".api.path=/api/**");
            HttpRule rule = each.build(id, property, application);
            if (!each.exemptAddresses().isEmpty()) {
                log.info("{} does not limit requests from {}", property, each.exemptAddresses());
            }
            rule.rule().limits().forEach(limit -> {
                String limitName = limit.name().name();
                if (!limits.add(limitName)) {
                    throw new InvalidSettingException(
                            property,
                            ".name must differ from those before it, which share its permits otherwise, was '"
                                    + rule.name() + "', and a limit is '" + limitName + "' already");
                }
            });
            all.put(id, rule);
            if (each.isOfRoutes()) {
                ofRoutes.put(id, new HttpRules(List.of(rule)));
            } else {
                built.add(rule);
            }
        });
        built.sort(Comparator.comparingInt(HttpRule::order));
        return built;
    }

    @Override
    public @Nullable String definedBy(String prefix, String name) {
        return all.values().stream().anyMatch(each -> each.rule().has(prefix, name)) ? HttpRuleSettings.PROPERTY : null;
    }

    private static HttpRules rules(List<HttpRule> built, boolean byUser) {
        return new HttpRules(built.stream()
                .filter(each -> each.rule().needs().user() == byUser)
                .toList());
    }
}
