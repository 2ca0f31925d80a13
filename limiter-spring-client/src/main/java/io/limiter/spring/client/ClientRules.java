package io.limiter.spring.client;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.actuate.KnownLimits;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.check.RejectionLog;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.check.RuleLimit;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.settings.ConfiguredLimits.Configured;
import io.limiter.spring.internal.settings.LimitSettings;
import io.limiter.spring.internal.settings.SettingChecks;
import io.limiter.spring.settings.InvalidSettingException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The rules of outgoing calls, {@code limiter.clients}. Safe for use by many threads. */
final class ClientRules implements KnownLimits {

    /** What the names of their settings start with. */
    static final String PROPERTY = "limiter.clients";

    private final LimiterFactory factory;
    private final Function<String, Supplier<LiveSettings>> live;
    private final ClientPauses pauses;
    private final Map<String, ClientRule> byName = new TreeMap<>();

    /** In the order in which they are looked up. */
    private final Map<HostPattern, ClientRule> byHost = new TreeMap<>(HostPattern.FEWEST_HOSTS_FIRST);

    /**
     * @param live returns the current live settings of a limit's name
     * @throws InvalidSettingException naming an invalid setting
     */
    ClientRules(
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live,
            Map<String, ClientSettings> settings,
            ClientPauses pauses) {
        this.factory = factory;
        this.live = live;
        this.pauses = pauses;
        build(settings);
    }

    /** Whether any call is limited by its host. */
    boolean hasHosts() {
        return !byHost.isEmpty();
    }

    /** The limits of a call to this URI; {@code null} if there are none. The most exact pattern decides. */
    @Nullable
    ClientRule find(URI uri) {
        HostPattern.Called called = HostPattern.Called.by(uri);
        return called == null
                ? null
                : byHost.entrySet().stream()
                        .filter(each -> each.getKey().matches(called))
                        .findFirst()
                        .map(Map.Entry::getValue)
                        .orElse(null);
    }

    /** The limits of a client; {@code null} if there is none of this name. */
    @Nullable
    ClientRule byName(String name) {
        return byName.get(name);
    }

    /** @throws IllegalArgumentException if there is no client of this name */
    ClientRule named(String name) {
        ClientRule rule = byName.get(name);
        if (rule == null) {
            throw new IllegalArgumentException("name must be one of " + PROPERTY + ", which has "
                    + byName.keySet() + ", was '" + name + "': set "
                    + ConfiguredLimits.property(PROPERTY, name) + ".limits");
        }
        return rule;
    }

    private void build(Map<String, ClientSettings> settings) {
        Set<String> names = new HashSet<>();
        settings.forEach((name, client) -> {
            String property = ConfiguredLimits.property(PROPERTY, name, ".maps.hosts=api.example.com");
            ClientRule rule = build(name, property, client, names);
            byName.put(name, rule);
            client.hosts().forEach(host -> {
                HostPattern pattern = SettingChecks.named(property + ".hosts", " ", () -> HostPattern.parse(host));
                ClientRule other = byHost.put(pattern, rule);
                if (other != null && !other.name().equals(name)) {
                    throw new InvalidSettingException(
                            property + ".hosts",
                            " must not have a host of another client, was '" + host + "', which "
                                    + ConfiguredLimits.property(PROPERTY, other.name())
                                    + " has too: give both limits to one client");
                }
            });
        });
    }

    /** @param names of the limits of clients before it */
    private ClientRule build(String name, String property, ClientSettings client, Set<String> names) {
        client.check(property);
        RejectionLog log = new RejectionLog(property, client.enforce(), System::nanoTime);
        boolean several = client.limits().size() > 1;
        List<RuleLimit> built = new ArrayList<>();
        client.limits().forEach((id, limit) -> {
            String ofLimit = ConfiguredLimits.property(property + ".limits", id, ".day.limit=1000");
            client.check(ofLimit, limit);
            String limitName = several ? name + "/" + id : name;
            if (!names.add(limitName)) {
                throw new InvalidSettingException(
                        ofLimit,
                        " must not have the name of a limit of another client, with which it shares permits and pauses"
                                + " otherwise, was '" + limitName + "': rename the client");
            }
            built.add(SettingChecks.named(ofLimit, ": ", () -> ruleLimit(ofLimit, limitName, limit, client, log)));
        });
        // The calls have the client's name as their key, so that they can be banned together.
        Rule rule = SettingChecks.named(property, ": ", () -> Rule.ofAllCalls(built, name, log));
        ClientPause pause = pauses.of(name, built.get(0).name().name());
        RequestedPause requestedPause = new RequestedPause(client.pauseStatuses(), client.pauseHeaders());
        return new ClientRule(name, property, rule, client.pauseAtMost(), requestedPause, pause, pauses);
    }

    private RuleLimit ruleLimit(
            String property, String name, LimitSettings limit, ClientSettings client, RejectionLog log) {
        Configured configured =
                limit.toLimitOfCalls(property, client.timeout()).as(client.enforce(), client.internal());
        return new RuleLimit(LimitName.chosen(ClientRule.PREFIX, name), "", log, configured, factory, live, Set.of());
    }

    @Override
    public @Nullable String definedBy(String prefix, String name) {
        return with(prefix, name).isPresent() ? PROPERTY : null;
    }

    private Optional<ClientRule> with(String prefix, String name) {
        return byName.values().stream()
                .filter(client -> client.rule().has(prefix, name))
                .findFirst();
    }
}
