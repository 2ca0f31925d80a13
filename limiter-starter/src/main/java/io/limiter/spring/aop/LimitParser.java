package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.OnFailure;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.aop.annotated.LimitAnnotations;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.key.CallKey;
import io.limiter.spring.key.MethodName;
import io.limiter.spring.key.spel.CallCharge;
import io.limiter.spring.key.spel.CallKeys;
import io.limiter.spring.key.spel.CallPermits;
import io.limiter.spring.settings.ConfiguredLimits;
import io.limiter.spring.settings.KindSettings;
import io.limiter.spring.settings.LimitKind;
import io.limiter.spring.settings.SettingChecks;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** Turns the annotations of a method into limits. */
final class LimitParser {

    private static final double SHORTEST_LEASE_SECONDS = 0.1;
    private static final double SHORTEST_PERIOD_SECONDS = 0.001;

    /** 1000 days, as in configuration. */
    private static final long LONGEST_SECONDS = 86_400_000;

    private final CallKeys keys;
    private volatile ConfiguredLimits configured;

    LimitParser(CallKeys keys, ConfiguredLimits configured) {
        this.keys = keys;
        this.configured = configured;
    }

    /** Sets the configuration of limits that are parsed later. */
    void configure(ConfiguredLimits newConfigured) {
        configured = newConfigured;
    }

    /**
     * The limits of a method in the order in which they are decided.
     *
     * @throws InvalidLimitException if one of them cannot work
     */
    List<DeclaredLimit> parse(Method method, Class<?> userClass) {
        List<DeclaredLimit> limits = new ArrayList<>();
        limits.addAll(parse(RateLimit.class, LimitKind.TOKEN_BUCKET, LimitParser::rate, method, userClass));
        limits.addAll(parse(CountLimit.class, LimitKind.FIXED_WINDOW, LimitParser::count, method, userClass));
        List<DeclaredLimit> held =
                parse(ConcurrentLimit.class, LimitKind.CONCURRENT, LimitParser::concurrent, method, userClass);
        if (held.size() > 1) {
            throw new InvalidLimitException(
                    "@ConcurrentLimit for " + MethodName.of(userClass, method),
                    "at most one is allowed on a method, also of composed annotations, were " + held.size()
                            + ": remove the others");
        }
        limits.addAll(held);
        return List.copyOf(limits);
    }

    /**
     * @param usual the kind of the annotation's limits, unless it names another
     */
    private <A extends Annotation> List<DeclaredLimit> parse(
            Class<A> type,
            LimitKind usual,
            Function<MergedAnnotation<A>, KindSettings> settings,
            Method method,
            Class<?> userClass) {
        List<DeclaredLimit> limits = new ArrayList<>();
        String methodName = MethodName.of(userClass, method);
        String where = "@" + type.getSimpleName() + " for " + methodName;
        for (MergedAnnotation<A> annotation : LimitAnnotations.of(type, method, userClass)) {
            // Two limits of one method have permits of their own.
            String defaultName = limits.isEmpty() ? methodName : methodName + "/" + (limits.size() + 1);
            try {
                limits.add(parse(annotation, usual, settings.apply(annotation), where, defaultName, method, userClass));
            } catch (IllegalArgumentException e) {
                throw new InvalidLimitException(where, String.valueOf(e.getMessage()), e);
            }
        }
        return limits;
    }

    private DeclaredLimit parse(
            MergedAnnotation<?> annotation,
            LimitKind usual,
            KindSettings declared,
            String where,
            String defaultName,
            Method method,
            Class<?> userClass) {
        if (declared.kind() == LimitKind.CONCURRENT) {
            LateResults.check(where, method, LateResults.Use.LEASE);
        }
        String given = annotation.getString("name");
        String name = given.isEmpty() ? defaultName : given;
        String key = annotation.getString("key");
        LimitType declaredType = annotation.getEnum("limitType", LimitType.class);
        LimitType type = declaredType == LimitType.METHOD && !key.isEmpty() ? LimitType.CUSTOM : declaredType;
        // The names in expressions are those of the arguments where the annotation stands, which may be an interface.
        Method annotated = annotation.getSource() instanceof Method source ? source : method;
        FailurePolicy onFailure = failurePolicy(annotation);
        CallPermits permits = CallPermits.parse(
                annotation.getValue("permits", Integer.class).orElse(1),
                annotation.getString("cost"),
                annotation.getString("condition"),
                annotated);
        ConfiguredLimits.Configured limit = configured.of(name, declared, onFailure, permits.fixed());
        // Another kind could not read what is stored, wherever the kind is chosen.
        String prefix = annotation.getString("prefix") + (limit.kind() == usual ? "" : limit.kind() + ":");
        CallCharge charge = CallCharge.parse(
                text(annotation, "chargeOn"), text(annotation, "settle"), annotated, LateResults.valueOf(annotated));
        if (charge != null && !charge.isByStatus()) {
            LateResults.check(where, method, LateResults.Use.CHARGE);
        }
        String fallback = annotation.getString("fallback");
        return new DeclaredLimit(
                where,
                given.isEmpty() ? LimitName.ofMethod(prefix, name) : LimitName.chosen(prefix, name),
                declared,
                onFailure,
                limit,
                permits,
                charge,
                type,
                keys.of(type, key, annotated),
                plan(annotation.getString("plan"), annotated),
                hashTag(text(annotation, "hashTag"), type, annotated),
                text(annotation, "resolver"),
                annotation.getString("message"),
                fallback.isEmpty() ? null : Fallback.find(fallback, method, userClass));
    }

    /** Empty if the annotation has no such attribute. */
    private static String text(MergedAnnotation<?> annotation, String attribute) {
        return annotation.getValue(attribute, String.class).orElse("");
    }

    private static @Nullable CallKey plan(String plan, Method annotated) {
        return plan.isEmpty() ? null : CallKeys.plan(plan, annotated);
    }

    private static @Nullable CallKey hashTag(String hashTag, LimitType type, Method annotated) {
        if (hashTag.isEmpty()) {
            return null;
        }
        if (type == LimitType.METHOD) {
            throw new IllegalArgumentException(
                    "hashTag '" + hashTag + "' would give each hash tag permits of its own, but with"
                            + " limitType METHOD all callers share them: leave the hash tag out, or use limitType CUSTOM and a key");
        }
        return CallKeys.hashTag(hashTag, annotated);
    }

    private static KindSettings rate(MergedAnnotation<RateLimit> annotation) {
        double rate = annotation.getDouble("rate");
        if (rate == 0) {
            throw new IllegalArgumentException(
                    "rate must be more than 0, was 0: in Java 1 / 60 is 0, write 1.0 / 60, or rate = 1, per = 60");
        }
        checkAtLeastOne(annotation, "capacity");
        checkAtLeastOne(annotation, "limit");
        if (annotation.getInt("permits") < 1) {
            throw new IllegalArgumentException("permits must be at least 1, was " + annotation.getInt("permits"));
        }
        return KindSettings.ofBucket(
                kind(annotation, RateLimit.Kind.class, "per", "burst", "capacity", "limit", "timeout", "expire"),
                rate,
                annotation.hasDefaultValue("per") ? null : seconds(annotation, "per", SHORTEST_PERIOD_SECONDS),
                annotation.hasDefaultValue("burst") ? null : annotation.getDouble("burst"),
                annotation.hasDefaultValue("capacity") ? null : annotation.getInt("capacity"),
                annotation.hasDefaultValue("limit") ? null : annotation.getInt("limit"),
                annotation.hasDefaultValue("timeout") ? null : seconds(annotation, "timeout", 0),
                Duration.ofSeconds(annotation.getLong("expire")));
    }

    private static void checkAtLeastOne(MergedAnnotation<?> annotation, String attribute) {
        if (!annotation.hasDefaultValue(attribute) && annotation.getInt(attribute) < 1) {
            throw new IllegalArgumentException(attribute + " must be at least 1, was " + annotation.getInt(attribute));
        }
    }

    /**
     * The kind of an annotation, which has the name of one in configuration.
     *
     * @param attributes that only some kinds use
     * @throws IllegalArgumentException if one of the attributes is given and has no effect on the kind
     */
    private static <E extends Enum<E>> LimitKind kind(
            MergedAnnotation<?> annotation, Class<E> kinds, String... attributes) {
        LimitKind kind = LimitKind.valueOf(annotation.getEnum("kind", kinds).name());
        kind.checkUses(Arrays.stream(attributes)
                .filter(attribute -> !annotation.hasDefaultValue(attribute))
                .collect(Collectors.toCollection(LinkedHashSet::new)));
        return kind;
    }

    private static KindSettings count(MergedAnnotation<CountLimit> annotation) {
        return KindSettings.ofCount(
                kind(annotation, CountLimit.Kind.class, "zone"),
                annotation.getInt("limit"),
                Duration.ofSeconds(annotation.getLong("period")),
                zone(annotation.getString("zone")),
                seconds(annotation, "timeout", 0));
    }

    private static KindSettings concurrent(MergedAnnotation<ConcurrentLimit> annotation) {
        return KindSettings.ofConcurrency(
                annotation.getInt("limit"),
                seconds(annotation, "lease", SHORTEST_LEASE_SECONDS),
                seconds(annotation, "timeout", 0));
    }

    /** @throws IllegalArgumentException if the attribute is out of its range */
    private static Duration seconds(MergedAnnotation<?> annotation, String attribute, double shortest) {
        double seconds = annotation.getDouble(attribute);
        // Written so that NaN fails.
        if (!(seconds >= shortest && seconds <= LONGEST_SECONDS)) {
            throw new IllegalArgumentException(attribute + " (seconds) must be between " + shortest + " and "
                    + LONGEST_SECONDS + ", was " + seconds);
        }
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private static @Nullable ZoneId zone(String id) {
        try {
            return id.isEmpty() ? null : ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "zone must be one that Java knows, such as Europe/Berlin or UTC, was '" + id + "'", e);
        }
    }

    /** {@code null} for the application's. */
    private static @Nullable FailurePolicy failurePolicy(MergedAnnotation<?> annotation) {
        OnFailure policy = annotation.getEnum("onFailure", OnFailure.class);
        return policy == OnFailure.DEFAULT
                ? null
                : SettingChecks.failurePolicy("", FailurePolicy.Action.valueOf(policy.name()), "", null);
    }
}
