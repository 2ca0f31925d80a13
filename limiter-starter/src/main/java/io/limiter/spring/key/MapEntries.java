package io.limiter.spring.key;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;

/**
 * Reads the entries of a map as properties. One that is missing is null, and not an error in the expression as a property
 * that a class does not have: which entries there are is up to the caller.
 */
final class MapEntries implements PropertyAccessor {

    private static final Class<?>[] TARGETS = {Map.class};

    @Override
    public Class<?>[] getSpecificTargetClasses() {
        return TARGETS;
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target instanceof Map;
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
        if (target instanceof Map<?, ?> map) {
            return new TypedValue(map.get(name));
        }
        // An expression tries the accessor of its last evaluation first, without asking whether it can read.
        throw new AccessException("not a map");
    }

    @Override
    public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object newValue)
            throws AccessException {
        throw new AccessException("expressions only read");
    }
}
