package io.limiter.spring.autoconfigure;

import io.limiter.LimiterFactory;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.check.Charge;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.check.MessageCode;
import io.limiter.spring.internal.check.RejectionLog;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.check.RuleLimit;
import io.limiter.spring.internal.key.address.CallerAddress;
import io.limiter.spring.internal.key.address.ExemptAddresses;
import io.limiter.spring.internal.key.spel.CallPermits;
import io.limiter.spring.internal.key.spel.ChargedStatuses;
import io.limiter.spring.internal.key.spel.KeyTemplate;
import io.limiter.spring.internal.key.spel.Needs;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.internal.metrics.CallCounts;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.settings.InvalidSettings;
import io.limiter.spring.internal.settings.LimitSettings;
import io.limiter.spring.internal.settings.SettingChecks;
import io.limiter.spring.internal.web.ChargeWatch;
import io.limiter.spring.internal.web.HttpRule;
import io.limiter.spring.internal.web.RequestPattern;
import io.limiter.spring.internal.web.ResponseCharge;
import io.limiter.spring.internal.web.usage.UsageSources;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.settings.InvalidSettingException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.Delimiter;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPattern;

/**
 * One or several limits on HTTP requests, all or nothing.
 *
 * @param name Its name in headers and in Redis, unique among the rules. Default: its key under limiter.http.
 * @param path Path patterns as those of controllers, such as /api/**. A rule without any is for routes of a gateway that name it.
 * @param methods HTTP methods; all, if none is given. GET includes HEAD.
 * @param exclude Patterns of paths that are not limited. The path of Actuator's health is not, unless path names it.
 * @param exemptAddresses Addresses and ranges, such as 10.0.0.0/8, whose requests are not limited: never a request that has a forwarded
 *     header although its peer is none of limiter.key.trusted-proxies.
 * @param key Key of a request: ip, user, header:name, cookie:name, param:name, claim:name, or a text with expressions over the request.
 *     Several are a path of keys, the outermost first. With all, all requests share the permits.
 * @param condition An expression over the request that is true if the rule applies to it. Default: it applies to all.
 * @param cost How many permits a request takes of each limit: an expression over the request, 0 to skip the rule. Default: 1.
 * @param plan Plan of a request, if its limits have plans: header:name, cookie:name, param:name, claim:name, or a text with
 *     expressions over the request. Default: that of a PlanResolver bean.
 * @param message Detail of rejections, or the code of a message in braces. Default: that of limiter.web.message.
 * @param chargeOn Which requests are charged once their response is known: always, failure (status 4xx or 5xx), success (any
 *     other), or statuses such as 401,403 or 4xx. Others get their permits back.
 * @param settle Where a response says what its request has cost, such as response-header:X-Usage-Tokens, or
 *     response-json:/usage/total_tokens for JSON and event streams, in which + joins pointers. Of several, the first that has a number
 *     counts. The request takes the cost as an estimate, at least 1. Default: the cost is final.
 * @param limits At least one by name, each with the settings of limiter.limits. A single one has the name of the rule, several
 *     have it before their own: api/day.
 * @param order Order among several rules that match a request; lower is checked first, and of equal ones by their keys. Default: 0.
 * @param enforce Whether it rejects requests. If not, it is in shadow mode: the log and the meters report rejections.
 */
record HttpRuleSettings(
        @Nullable String name,
        @DefaultValue List<String> path,
        @DefaultValue List<String> methods,
        @DefaultValue List<String> exclude,
        @DefaultValue List<String> exemptAddresses,
        @Delimiter(Delimiter.NONE) @DefaultValue("ip") List<String> key,
        @Nullable String condition,
        @Nullable String cost,
        @Nullable String plan,
        @DefaultValue("") String message,
        @DefaultValue("always") String chargeOn,
        @DefaultValue List<String> settle,
        @DefaultValue Map<String, LimitSettings> limits,
        @Nullable Integer order,
        @DefaultValue("true") boolean enforce) {

    static final String PROPERTY = "limiter.http";

    static final String PREFIX = "httpLimit:";

    HttpRuleSettings {
        // The same order in all instances.
        limits = new TreeMap<>(limits);
        // A later source of properties unsets one by an empty text.
        condition = given(condition);
        cost = given(cost);
        plan = given(plan);
    }

    private static @Nullable String given(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    /**
     * The application's part of a rule.
     *
     * @param hasRoutes whether routes can name a rule
     * @param health the paths of {@link HealthPaths}
     * @param live returns the current live settings of a limit's name
     * @param plans finds the plans that no rule finds; {@code null} if the application has no such bean
     * @param addresses finds the addresses of callers
     * @param replacesAddresses whether the server or a filter of the framework replaces the address of a caller by one that the caller may have sent
     * @param calls counts requests that a rule does not apply to
     * @param messages {@code null} if it has none
     */
    record Application(
            boolean hasRoutes,
            List<String> health,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live,
            @Nullable PlanResolver plans,
            CallerAddress addresses,
            boolean replacesAddresses,
            CallCounts calls,
            @Nullable MessageSource messages) {}

    /** Whether it applies to routes that name it, rather than to paths. */
    boolean isOfRoutes() {
        return path.isEmpty();
    }

    /** The name of one of its limits. */
    private String limitName(String rule, String limit) {
        return limits.size() == 1 ? rule : rule + "/" + limit;
    }

    /**
     * Checks the rule and builds its limiters.
     *
     * @param id its key under limiter.http
     * @param property with which the names of its settings start
     * @throws InvalidSettingException naming an invalid setting
     */
    HttpRule build(String id, String property, Application application) {
        if (isOfRoutes() && !application.hasRoutes()) {
            throw new InvalidSettingException(property, ".path must be set, such as " + property + ".path=/api/**");
        }
        if (isOfRoutes() && order != null) {
            throw new InvalidSettingException(
                    property + ".order",
                    " has no effect on a rule without a path, because the filters of a route have an order: remove it");
        }
        if (limits.isEmpty()) {
            throw new InvalidSettingException(
                    property, ".limits must have at least one limit, such as " + property + ".limits.second.rate=10");
        }
        RequestPattern requests = new RequestPattern(
                SettingChecks.named(property + ".path", " ", () -> patterns(isOfRoutes() ? List.of("/**") : path)),
                methods(property + ".methods"),
                SettingChecks.named(property + ".exclude", " ", () -> patterns(excluded(application.health()))));
        ExemptAddresses exempt = exempt(property + ".exempt-addresses", application);
        RuleKey keys = SettingChecks.named(property + ".key", " ", () -> RuleKey.ofRule(key));
        CallPermits permits = permits(property);
        String problem = MessageCode.problem(message, application.messages());
        if (problem != null) {
            throw new InvalidSettingException(property + ".message", " " + problem);
        }
        String rule = name == null || name.isBlank() ? id : name;
        String where = rule.equals(id) ? property : property + " (" + rule + ")";
        RejectionLog log = new RejectionLog(where, enforce, System::nanoTime);
        List<RuleLimit> built = new ArrayList<>();
        limits.forEach((limit, settings) -> {
            String ofLimit = ConfiguredLimits.property(property + ".limits", limit, ".day.limit=1000");
            check(ofLimit, settings, keys);
            built.add(SettingChecks.named(
                    ofLimit,
                    ": ",
                    () -> ruleLimit(
                            settings.toLimit(ofLimit, permits.fixed()).as(enforce, false),
                            limitName(rule, limit),
                            log,
                            application)));
        });
        Charge.Source charges = charges(property, built, application.calls());
        boolean hasPlans = built.stream().anyMatch(RuleLimit::hasPlans);
        KeyTemplate byRequest = byRequest(property, hasPlans, keys, application.plans());
        PlanResolver resolver = hasPlans && byRequest == null ? application.plans() : null;
        Needs read = keys.needs().and(permits.needs());
        read = byRequest == null ? read : read.and(byRequest.needs());
        // Beans that find plans usually need to know the user, and may read parameters.
        Needs needs = resolver == null ? read : read.andUser().andForm();
        if (exempt != null) {
            built.forEach(limit -> application.calls().addSkips(limit.name().name()));
        }
        return new HttpRule(
                order == null ? 0 : order,
                rule,
                requests,
                SettingChecks.named(
                        property,
                        ": ",
                        () -> new Rule(
                                built,
                                keys,
                                permits,
                                byRequest,
                                resolver,
                                null,
                                charges,
                                needs,
                                log,
                                application.calls())),
                exempt);
    }

    private @Nullable ExemptAddresses exempt(String property, Application application) {
        if (exemptAddresses.isEmpty()) {
            return null;
        }
        if (application.replacesAddresses()) {
            throw new InvalidSettingException(
                    property,
                    " cannot go by the addresses of callers while the server or a ForwardedHeaderTransformer replaces them by"
                            + " any that a caller has sent: set limiter.key.trusted-proxies and"
                            + " server.forward-headers-strategy=none without server.tomcat.remoteip.*, or remove "
                            + property);
        }
        return SettingChecks.named(property, ": ", () -> new ExemptAddresses(exemptAddresses, application.addresses()));
    }

    /** A rule names the health endpoint with a pattern that begins with its path; {@code /**} and {@code /actuator/**} do not. */
    private List<String> excluded(List<String> health) {
        List<String> excluded = new ArrayList<>(exclude);
        for (String each : health) {
            if (!isOfRoutes() && path.stream().noneMatch(pattern -> pattern.startsWith(each))) {
                excluded.add(each + "/**");
            }
        }
        return excluded;
    }

    private CallPermits permits(String property) {
        SettingChecks.named(property + ".condition", " ", () -> CallPermits.ofRequest(null, condition));
        CallPermits permits =
                SettingChecks.named(property + ".cost", " ", () -> CallPermits.ofRequest(cost, condition));
        return settle.isEmpty() ? permits : permits.atLeastOne();
    }

    /** What requests are charged once their responses are known; {@code null} if it is what they took. */
    private Charge.@Nullable Source charges(String property, List<RuleLimit> limits, CallCounts calls) {
        IntPredicate charged = SettingChecks.named(property + ".charge-on", " ", () -> ChargedStatuses.parse(chargeOn));
        ChargeWatch statuses = charged == null ? null : new ChargeWatch(property + ".charge-on=" + chargeOn, charged);
        if (settle.isEmpty()) {
            return statuses == null ? null : statuses::charge;
        }
        UsageSources sources = SettingChecks.named(property + ".settle", " ", () -> UsageSources.parse(settle));
        if (charged != null && IntStream.range(200, 300).noneMatch(charged)) {
            throw new InvalidSettingException(
                    property + ".charge-on",
                    " must charge successful responses if there is a settle, because these say what a request has cost: use"
                            + " success, or leave one of them out, was '" + chargeOn + "'");
        }
        List<String> names = limits.stream().map(limit -> limit.name().name()).toList();
        names.forEach(calls::addUnsettled);
        return new ResponseCharge(sources, statuses, () -> names.forEach(calls::unsettled))::charge;
    }

    /** The part of a request that is its plan; {@code null} if a resolver finds it, or there are no plans. */
    private @Nullable KeyTemplate byRequest(
            String property, boolean hasPlans, RuleKey keys, @Nullable PlanResolver finder) {
        String setting = property + ".plan";
        String plans = property + ".limits.*.plans";
        String text = plan;
        if (!hasPlans) {
            if (text == null) {
                return null;
            }
            throw new InvalidSettingException(
                    setting,
                    " has no effect, because no limit of the rule has plans: set " + property
                            + ".limits.<limit>.plans.<plan>.rate, or remove it");
        }
        if (keys.isShared() && limits.values().stream().anyMatch(LimitSettings::differsByPlan)) {
            throw InvalidSettings.ofSharedPermits(
                    plans, "give callers different limits", property + ".key=all", "use another key");
        }
        if (text != null) {
            return SettingChecks.named(setting, " ", () -> KeyTemplate.planOfRule(text));
        }
        // A resolver goes by the caller's key, which such a request does not have.
        if (finder == null || keys.isShared()) {
            throw InvalidSettings.ofUnusedPlans(plans, "set " + setting + ", such as claim:plan");
        }
        return null;
    }

    private static List<PathPattern> patterns(List<String> texts) {
        return texts.stream().map(RequestPattern::path).toList();
    }

    private void check(String property, LimitSettings limit, RuleKey keys) {
        if (limit.ban() != null && keys.isShared()) {
            throw InvalidSettings.ofSharedPermits(
                    property + ".ban", "ban all callers at once", "key=all", "use another key");
        }
        if (limit.enforce() != null) {
            throw new InvalidSettingException(
                    property + ".enforce",
                    " has no effect, the limits of one rule are all or" + " nothing: set enforce of the rule instead");
        }
        if (limit.internal() != null) {
            throw new InvalidSettingException(
                    property + ".internal",
                    " has no effect on limits of requests, which are the caller's: leave it out");
        }
        limit.check(property);
        if (limits.size() > 1 && limit.prefetchTime() != null) {
            throw new InvalidSettingException(
                    property + ".prefetch-time",
                    " has no effect where a rule has several"
                            + " limits, which are decided atomically in Redis: leave it out");
        }
    }

    private RuleLimit ruleLimit(
            ConfiguredLimits.Configured configured, String limit, RejectionLog log, Application application) {
        // What is a plan of another limit of the rule is not unknown to this one.
        Set<String> plans = limits.values().stream()
                .flatMap(each -> each.planNames().stream())
                .collect(Collectors.toSet());
        return new RuleLimit(
                LimitName.chosen(PREFIX, limit),
                message,
                log,
                configured,
                application.factory(),
                application.live(),
                plans);
    }

    private Set<String> methods(String property) {
        Set<String> known = new LinkedHashSet<>();
        for (String method : methods) {
            String upper = method.toUpperCase(Locale.ROOT);
            if (!List.of(HttpMethod.values()).contains(HttpMethod.valueOf(upper))) {
                throw new InvalidSettingException(property, " must be HTTP methods such as GET, was '" + method + "'");
            }
            known.add(upper);
        }
        return known;
    }
}
