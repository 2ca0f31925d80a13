package io.limiter.spring.aop;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.Limit;
import java.util.Arrays;
import java.util.Collections;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The limiters of a declared limit whose numbers a resolver may change with each call. */
final class ResolvedLimiters {

    private final DeclaredLimit declared;
    private final LimitResolver resolver;
    private final LimiterFactory factory;

    /** @param factory with the limit's prefix */
    ResolvedLimiters(DeclaredLimit declared, LimitResolver resolver, LimiterFactory factory) {
        this.declared = declared;
        this.resolver = resolver;
        this.factory = factory;
    }

    /** @throws IllegalStateException if the limit is of a kind that could not read what the declared one stored */
    Limiter of(MethodInvocation call, @Nullable String key) {
        Limit<?> limit = resolver.resolve(new LimitedCall(
                call.getMethod(),
                Collections.unmodifiableList(Arrays.asList(call.getArguments())),
                declared.name(),
                declared.limit(),
                key));
        Class<?> kind = declared.limit().getClass();
        if (limit != null && limit.getClass() != kind) {
            throw new IllegalStateException(declared.where() + ": resolver '" + declared.resolver() + "' must return a "
                    + kind.getSimpleName() + ", as the one declared, or null; it was " + limit);
        }
        return factory.build(declared.name(), limit == null ? declared.limit() : limit);
    }
}
