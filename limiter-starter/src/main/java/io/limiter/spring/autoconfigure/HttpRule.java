package io.limiter.spring.autoconfigure;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.live.LiveSettings;
import io.limiter.spring.check.Charge;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.LimitInUse;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.key.spel.ChargedStatuses;
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
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPattern;

/**
 * One or several limits on HTTP requests, all or nothing.
 *
 * @param name Its name in headers and in Redis, unique among the rules. Default: the paths.
 * @param path Path patterns as those of controllers, such as /api/**.
 * @param methods HTTP methods; all, if none is given. GET includes HEAD.
 * @param exclude Patterns of paths that are not limited.
 * @param key Key of a request: ip, user, all, header:name, cookie:name, claim:name, or a text with expressions over the
 *     request.
 * @param plan Plan of a request, if its limits have plans: header:name, cookie:name, claim:name, or a text with expressions
 *     over the request. Default: that of a PlanResolver bean.
 * @param chargeOn Which requests are charged once their response is known: always, failure (status 4xx or 5xx), success (any
 *     other), or statuses such as 401,403 or 4xx. Others get their permits back.
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
        @Nullable String plan,
        @DefaultValue("always") String chargeOn,
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
     * @param resolver of plans that no rule finds; {@code null} if the application has none
     * @throws InvalidSettingException naming an invalid setting
     */
    HttpLimit build(
            String property,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live,
            @Nullable PlanResolver resolver) {
        if (path.isEmpty()) {
            throw new InvalidSettingException(property, ".path must be set, such as " + property + ".path=/api/**");
        }
        if (limits.isEmpty()) {
            throw new InvalidSettingException(
                    property, ".limits must have at least one limit, such as " + property + ".limits[0].rate=10");
        }
        HttpRoute route = new HttpRoute(
                named(property + ".path", " ", () -> patterns(path)),
                methods(property + ".methods"),
                named(property + ".exclude", " ", () -> patterns(exclude)));
        RequestKey requestKey = named(property + ".key", " ", () -> RequestKey.parse(key));
        IntPredicate charged = named(property + ".charge-on", " ", () -> ChargedStatuses.parse(chargeOn));
        Charge charge = charged == null ? null : new Charge(true, outcome -> charged.test(outcome.status()) ? 1 : 0);
        RejectionLog log = new RejectionLog(property + " (" + knownName() + ")", enforce, System::nanoTime);
        List<LimitInUse<Limiter>> parts = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            String ofLimit = property + ".limits[" + i + "]";
            LimitSettings settings = limits.get(i);
            String limit = limitNames().get(i);
            check(ofLimit, settings);
            parts.add(named(ofLimit, ": ", () -> inUse(settings.toLimit(ofLimit, enforce), limit, log, factory, live)));
        }
        if (limits.size() > 1 || charge != null) {
            named(property, ": ", () -> checkedForSets(parts.get(0).applied().limiter()));
        }
        RequestKey byRequest = byRequest(property, parts.stream().anyMatch(LimitInUse::hasPlans), resolver);
        PlanResolver plans =
                byRequest == null ? resolver : request -> byRequest.of(Objects.requireNonNull(request.request()));
        return new HttpLimit(
                order, PREFIX, route, requestKey, plans, usesUser(requestKey, byRequest, parts), parts, charge, log);
    }

    /** The part of a request that is its plan; {@code null} if a resolver finds it, or there are no plans. */
    private @Nullable RequestKey byRequest(String property, boolean hasPlans, @Nullable PlanResolver resolver) {
        String setting = property + ".plan";
        String plans = property + ".limits[].plans";
        String text = plan;
        if (!hasPlans) {
            if (text == null) {
                return null;
            }
            throw new InvalidSettingException(
                    setting,
                    " has no effect, because no limit of the rule has plans: set " + property
                            + ".limits[0].plans.<plan>.rate, or remove it");
        }
        if (key.equals("all")) {
            throw InvalidSettingException.ofSharedPermits(
                    plans, "give callers different numbers", property + ".key=all", "use another key");
        }
        if (text != null) {
            return named(setting, " ", () -> RequestKey.plan(text));
        }
        if (resolver == null) {
            throw InvalidSettingException.ofUnusedPlans(plans, "set " + setting + ", such as claim:plan");
        }
        return null;
    }

    /** A resolver usually needs to know the user. */
    private static boolean usesUser(RequestKey key, @Nullable RequestKey plan, List<LimitInUse<Limiter>> parts) {
        boolean ofPlan = plan == null ? parts.stream().anyMatch(LimitInUse::hasPlans) : plan.usesUser();
        return key.usesUser() || ofPlan;
    }

    private static List<PathPattern> patterns(List<String> texts) {
        return texts.stream().map(HttpRoute::pattern).toList();
    }

    private void check(String property, LimitSettings limit) {
        if (limit.ban() != null && key.equals("all")) {
            throw InvalidSettingException.ofSharedPermits(
                    property + ".ban", "ban all callers at once", "key=all", "use another key");
        }
        if (limit.enforce() != null) {
            throw new InvalidSettingException(
                    property + ".enforce",
                    " has no effect, the limits of one rule are all or" + " nothing: set enforce of the rule instead");
        }
        limit.check(property);
        if (limits.size() > 1 && limit.prefetchPermits() != null && limit.prefetchPermits() > 0) {
            throw new InvalidSettingException(
                    property + ".prefetch-permits",
                    " has no effect where a rule has several"
                            + " limits, which are decided atomically in Redis: leave it out");
        }
    }

    private LimitInUse<Limiter> inUse(
            ConfiguredLimits.Configured configured,
            String name,
            RejectionLog log,
            LimiterFactory factory,
            Function<String, Supplier<LiveSettings>> live) {
        // In the prefix, because another kind cannot read the stored state.
        String prefix = PREFIX + configured.limit().getClass().getSimpleName() + ":";
        // What is a plan of another limit of the rule is not unknown to this one.
        Set<String> plans =
                limits.stream().flatMap(each -> each.planNames().stream()).collect(Collectors.toSet());
        return new LimitInUse<>(
                LimitName.chosen(PREFIX, name),
                "",
                log,
                configured,
                live,
                (plan, enforced) -> configured
                        .prefetching(configured.limiters(factory, prefix, limits.size() > 1, plan, enforced))
                        .build(name, configured.limit(plan)),
                plans);
    }

    private static Limiter checkedForSets(Limiter limiter) {
        CheckStep.checkIsForSets(limiter);
        return limiter;
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

    /** @throws InvalidSettingException naming the setting if a value cannot be parsed */
    private static <T extends @Nullable Object> T named(String property, String separator, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(property, separator + e.getMessage(), e);
        }
    }
}
