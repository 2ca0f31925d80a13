package io.limiter.spring.key.spel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The arguments of one call as variables and as properties of the root. They are not copied into a context of Spring's,
 * because that costs more per call than most expressions.
 */
final class CallContext implements EvaluationContext {

    /** What all calls share. It has no types, beans and constructors. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(accessors())
            .withAssignmentDisabled()
            .build();

    private static final List<MethodResolver> METHODS = List.of(ReadOnlyAccess.methods());

    private final Map<String, Integer> positions;
    private final @Nullable Object[] arguments;

    /** @param positions of each argument, by its name and by its variables */
    CallContext(Map<String, Integer> positions, @Nullable Object[] arguments) {
        this.positions = positions;
        this.arguments = arguments;
    }

    /** Arguments are properties of the root. {@link ExpressionCheck} finds names that do not exist. */
    private static PropertyAccessor[] accessors() {
        List<PropertyAccessor> accessors = new ArrayList<>();
        accessors.add(new ReadOnlyAccess.Reader<>(CallContext.class, CallContext::lookupVariable));
        accessors.addAll(ReadOnlyAccess.properties());
        return accessors.toArray(PropertyAccessor[]::new);
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer position = positions.get(name);
        return position == null ? null : arguments[position];
    }

    @Override
    public TypedValue getRootObject() {
        return new TypedValue(this);
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("expressions only read");
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return READ_ONLY.getPropertyAccessors();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return METHODS;
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return READ_ONLY.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return READ_ONLY.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return READ_ONLY.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return READ_ONLY.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return READ_ONLY.getOperatorOverloader();
    }
}
