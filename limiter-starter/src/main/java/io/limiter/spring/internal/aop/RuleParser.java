package io.limiter.spring.internal.aop;

import io.limiter.FailurePolicy;
import io.limiter.LimiterOptions;
import io.limiter.Share;
import io.limiter.algorithm.LimitKind;
import io.limiter.internal.key.KeySpace;
import io.limiter.internal.parameters.Anchor;
import io.limiter.internal.parameters.LimitParameters;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.aop.annotated.LimitAnnotations;
import io.limiter.spring.internal.aop.result.LateResults;
import io.limiter.spring.internal.aop.result.ResultKind;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.key.MethodName;
import io.limiter.spring.internal.key.spel.CallAnchor;
import io.limiter.spring.internal.key.spel.CallCharge;
import io.limiter.spring.internal.key.spel.CallPermits;
import io.limiter.spring.internal.key.spel.KeyTemplate;
import io.limiter.spring.internal.key.spel.Needs;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import io.limiter.spring.internal.settings.SettingChecks;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** Turns the annotations of a method into rules. */
final class RuleParser {

    private final CallerFacts caller;
    private final ApplicationBeans beans;
    private final ConfiguredLimits configured;

    RuleParser(CallerFacts caller, ConfiguredLimits configured, ApplicationBeans beans) {
        this.caller = caller;
        this.configured = configured;
        this.beans = beans;
    }

    /**
     * The limits of a method in the order in which they are decided.
     *
     * @throws InvalidLimitException if one of them cannot work
     */
    List<AnnotationRule> parse(Method method, Class<?> userClass) {
        List<AnnotationRule> limits = new ArrayList<>();
        limits.addAll(parse(RateLimit.class, LimitKind.TOKEN_BUCKET, method, userClass));
        limits.addAll(parse(CountLimit.class, LimitKind.FIXED_WINDOW, method, userClass));
        List<AnnotationRule> held = parse(ConcurrentLimit.class, LimitKind.CONCURRENT, method, userClass);
        if (held.size() > 1) {
            throw new InvalidLimitException(
                    "@ConcurrentLimit for " + MethodName.of(userClass, method),
                    "at most one is allowed on a method, also of composed annotations, were " + held.size()
                            + ": remove the others");
        }
        limits.addAll(held);
        return List.copyOf(limits);
    }

    /** @param usual the kind of the annotation's limits, unless it names another */
    private <A extends Annotation> List<AnnotationRule> parse(
            Class<A> type, LimitKind usual, Method method, Class<?> userClass) {
        List<AnnotationRule> limits = new ArrayList<>();
        String methodName = MethodName.of(userClass, method);
        String where = "@" + type.getSimpleName() + " for " + methodName;
        for (MergedAnnotation<A> annotation : LimitAnnotations.of(type, method, userClass)) {
            ResultKind.checkCanSuspend(where, method);
            // Two limits of one method have permits of their own.
            String defaultName = limits.isEmpty() ? methodName : methodName + "/" + (limits.size() + 1);
            try {
                limits.add(parse(annotation, usual, where, defaultName, method, userClass));
            } catch (IllegalArgumentException e) {
                throw new InvalidLimitException(where, String.valueOf(e.getMessage()), e);
            }
        }
        return limits;
    }

    private AnnotationRule parse(
            MergedAnnotation<?> annotation,
            LimitKind usual,
            String where,
            String defaultName,
            Method method,
            Class<?> userClass) {
        if (usual == LimitKind.CONCURRENT) {
            LateResults.check(where, method, LateResults.Use.LEASE);
        }
        LimitParameters declared = parameters(annotation, usual);
        String given = text(annotation, "name");
        String name = given.isEmpty() ? defaultName : given;
        List<String> path = texts(annotation, "key");
        LimitType declaredType = annotation.getEnum("limitType", LimitType.class);
        LimitType type = declaredType == LimitType.METHOD && !path.isEmpty() ? LimitType.CUSTOM : declaredType;
        // The names in expressions are those of the arguments where the annotation stands, which may be an interface.
        Method annotated = annotation.getSource() instanceof Method source ? source : method;
        CallPermits permits = CallPermits.parse(text(annotation, "cost"), text(annotation, "condition"), annotated);
        String plan = text(annotation, "plan");
        ConfiguredLimits.Configured limit = configured.of(name, declared, options(annotation), permits.fixed());
        String chosenPrefix = text(annotation, "prefix");
        // The prefix of the kind in effect, wherever that is chosen, so that code with the same name takes the same
        // permits.
        String prefix = chosenPrefix.isEmpty() ? KeySpace.defaultPrefix(limit.limit()) : chosenPrefix;
        CallCharge charge = CallCharge.parse(
                text(annotation, "chargeOn"), text(annotation, "settle"), annotated, LateResults.valueOf(annotated));
        if (charge != null && !charge.isByStatus()) {
            LateResults.check(where, method, LateResults.Use.CHARGE);
        }
        RuleKey keys = RuleKey.ofMethod(type, path, annotated);
        KeyTemplate ofPlan =
                plan.isEmpty() ? null : KeyTemplate.ofMethod("plan", plan, annotated, "leave the plan out");
        Needs needs = keys.needs().and(permits.needs());
        needs = ofPlan == null ? needs : needs.and(ofPlan.needs());
        CallAnchor anchor =
                limit.parameters().isAnchoredByCall() ? CallAnchor.parse(text(annotation, "anchor"), annotated) : null;
        needs = anchor == null ? needs : needs.and(anchor.needs());
        return new AnnotationRule(
                where,
                given.isEmpty() ? LimitName.ofMethod(prefix, name) : LimitName.chosen(prefix, name),
                limit,
                permits,
                charge,
                type,
                keys,
                ofPlan,
                anchor,
                caller,
                charge == null ? needs : needs.and(charge.needs()),
                text(annotation, "message"));
    }

    /** A text with the values of its placeholders; empty if the annotation has no such attribute. */
    private String text(MergedAnnotation<?> annotation, String attribute) {
        return resolved(attribute, annotation.getValue(attribute, String.class).orElse(""));
    }

    /** Several texts; empty if there is only an empty one. */
    private List<String> texts(MergedAnnotation<?> annotation, String attribute) {
        List<String> texts = Arrays.stream(annotation.getStringArray(attribute))
                .map(text -> resolved(attribute, text))
                .toList();
        return texts.equals(List.of("")) ? List.of() : texts;
    }

    private String resolved(String attribute, String text) {
        try {
            return beans.resolved(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    attribute + " '" + text
                            + "' has a placeholder without a value: set the property, or write a default"
                            + " behind a colon, as in ${limits.per:15m}: " + e.getMessage(),
                    e);
        }
    }

    /**
     * What an annotation says of the limit itself.
     *
     * @throws IllegalArgumentException if some of it is out of its range, or has no effect on the kind
     */
    private LimitParameters parameters(MergedAnnotation<?> annotation, LimitKind usual) {
        Double rate = given(annotation, "rate", Double.class);
        if (rate != null && rate == 0) {
            throw new IllegalArgumentException(
                    "rate must be more than 0, was 0: in Java 1 / 60 is 0, write 1.0 / 60, or"
                            + " rate = 1, per = \"1m\"");
        }
        LimitKind kind = annotation
                .getValue("kind")
                .map(named -> LimitKind.valueOf(named.toString()))
                .orElse(usual);
        LimitParameters parameters = LimitParameters.of(kind)
                .with("rate", rate)
                .with("per", AnnotatedTimes.per(given(annotation, "period", Double.class), text(annotation, "per")))
                .with("burst", seconds(annotation, "burst", "0.000000001"))
                .with("capacity", given(annotation, "capacity", Long.class))
                .with("timeout", seconds(annotation, "timeout", "0"))
                .with("expire", seconds(annotation, "expire", "0.001"))
                .with("limit", given(annotation, "limit", Long.class))
                .with("zone", AnnotatedTimes.zone(text(annotation, "zone")))
                .with("anchor", anchor(text(annotation, "anchor")))
                .with("lease", seconds(annotation, "lease", "0.1"));
        SettingChecks.parameters("", parameters);
        return parameters;
    }

    private static @Nullable Anchor anchor(String text) {
        if (text.isEmpty()) {
            return null;
        }
        return text.contains("#{") ? Anchor.ofCall(text) : Anchor.valueOf(text);
    }

    /** An attribute that is not the default; {@code null} if it is, or if the annotation has none. */
    private static <T> @Nullable T given(MergedAnnotation<?> annotation, String attribute, Class<T> type) {
        return annotation
                .getValue(attribute, type)
                .filter(value -> !value.equals(
                        annotation.getDefaultValue(attribute, type).orElse(null)))
                .orElse(null);
    }

    private static @Nullable Duration seconds(MergedAnnotation<?> annotation, String attribute, String min) {
        return AnnotatedTimes.seconds(attribute, given(annotation, attribute, Double.class), min);
    }

    private LimiterOptions options(MergedAnnotation<?> annotation) {
        FailurePolicy policy = SettingChecks.failurePolicy("onFailure", text(annotation, "onFailure"));
        LimiterOptions options = policy == null ? LimiterOptions.NONE : LimiterOptions.NONE.withFailurePolicy(policy);
        String leave = annotation.getType() == ConcurrentLimit.class ? "" : text(annotation, "leave");
        return leave.isEmpty()
                ? options
                : options.withLeave(SettingChecks.named("leave", ": ", () -> Share.parse(leave)));
    }
}
