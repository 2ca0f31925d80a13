package io.limiter.spring.key;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.AccessException;
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
 * What an expression sees of one call: its arguments, as variables and, by their plain names, as properties of the root.
 * They are looked up where they are; to copy them into a context of Spring's with each call costs more than most
 * expressions do.
 */
final class CallContext implements EvaluationContext {

    /** All that is the same for all calls. It knows no types, beans and constructors. */
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new ArgumentNames(), new MapEntries(), new ReadProperties())
            .withAssignmentDisabled()
            .build();

    private static final List<MethodResolver> METHODS = List.of(new ReadMethods());

    private final Map<String, Integer> positions;
    private final @Nullable Object[] arguments;

    /**
     * @param positions those of the arguments by all that they are called; see {@link #positions}
     */
    CallContext(Map<String, Integer> positions, @Nullable Object[] arguments) {
        this.positions = positions;
        this.arguments = arguments;
    }

    /**
     * By what an expression can call the arguments of a method: {@code p0} and {@code a0} for the first one, and its
     * name, which comes before another's position.
     *
     * @param names {@code null} if they are not known
     */
    static Map<String, Integer> positions(String @Nullable [] names, int arguments) {
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < arguments; i++) {
            positions.put("p" + i, i);
            positions.put("a" + i, i);
        }
        for (int i = 0; names != null && i < names.length; i++) {
            positions.put(names[i], i);
        }
        return Map.copyOf(positions);
    }

    @Nullable
    Object argument(int position) {
        return arguments[position];
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

    /** Reads the arguments as properties of the root. Which names there are is checked when a key is parsed. */
    private static final class ArgumentNames implements PropertyAccessor {

        private static final Class<?>[] TARGETS = {CallContext.class};

        @Override
        public Class<?>[] getSpecificTargetClasses() {
            return TARGETS;
        }

        @Override
        public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
            return target instanceof CallContext;
        }

        @Override
        public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
            if (target instanceof CallContext call) {
                return new TypedValue(call.lookupVariable(name));
            }
            throw new AccessException("not the arguments of a call");
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
}
