package io.limiter.spring.aop;

import io.limiter.FailurePolicy;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallKey;
import io.limiter.spring.key.MethodName;
import io.limiter.spring.key.spel.CallKeys;
import io.limiter.spring.settings.LimitKinds;
import io.limiter.spring.settings.LimitSettings;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * What a {@link ConcurrentLimit} says about one method, parsed and checked.
 *
 * @param where the annotation and the method, for messages
 * @param named whether somebody chose the name
 * @param message empty for the default
 * @param failurePolicy what it answers when Redis does not decide; {@code null} for what the application says
 */
record DeclaredConcurrency(
        String where,
        String prefix,
        String name,
        boolean named,
        ConcurrencyLimit limit,
        Duration timeout,
        LimitType type,
        CallKey key,
        String message,
        @Nullable FailurePolicy failurePolicy)
        implements Declared {

    private static final double SHORTEST_LEASE_SECONDS = 0.1;

    /**
     * @throws InvalidLimitException if it cannot work
     */
    static DeclaredConcurrency parse(Method method, Class<?> userClass, CallKeys keys, ConfiguredLimits configured) {
        MergedAnnotation<ConcurrentLimit> annotation =
                LimitAnnotations.of(ConcurrentLimit.class, method, userClass).get(0);
        String methodName = MethodName.of(userClass, method);
        String where = "@ConcurrentLimit for " + methodName;
        Class<?> late = LateResults.find(method);
        if (late != null) {
            throw new InvalidLimitException(
                    where,
                    "it would be over before the work is: the method has returned when that of a "
                            + late.getSimpleName()
                            + " begins. Limit the method that does the work, or use a ConcurrencyLimiter there, whose"
                            + " acquireAsync is for Mono.usingWhen; other than in WebFlux it can also return a"
                            + " CompletableFuture that is completed when the work is done");
        }
        try {
            String given = annotation.getString("name");
            String name = given.isEmpty() ? methodName : given;
            ConfiguredLimits.Concurrency configuration = configured.concurrency(name, numbers(annotation));
            LimitType type = annotation.getEnum("limitType", LimitType.class);
            // The key's names are those of the arguments where the annotation stands, which may be an interface.
            Method annotated = annotation.getSource() instanceof Method source ? source : method;
            return new DeclaredConcurrency(
                    where,
                    annotation.getString("prefix"),
                    name,
                    !given.isEmpty(),
                    configuration.limit(),
                    configuration.timeout(),
                    type,
                    keys.of(type, annotation.getString("key"), annotated),
                    annotation.getString("message"),
                    configuration.failurePolicy());
        } catch (IllegalArgumentException e) {
            throw new InvalidLimitException(where, String.valueOf(e.getMessage()), e);
        }
    }

    private static LimitSettings numbers(MergedAnnotation<ConcurrentLimit> annotation) {
        return new LimitSettings(
                LimitKinds.CONCURRENT,
                null,
                null,
                null,
                LimitAnnotations.seconds(annotation, "timeout", 0, LimitAnnotations.LONGEST_SECONDS),
                null,
                null,
                null,
                annotation.getInt("limit"),
                null,
                null,
                LimitAnnotations.seconds(annotation, "lease", SHORTEST_LEASE_SECONDS, LimitAnnotations.LONGEST_SECONDS),
                null,
                FailurePolicies.action(annotation),
                FailurePolicies.share(annotation));
    }
}
