package io.limiter.spring.key;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A value as part of a key. */
final class KeyText {

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private KeyText() {}

    /**
     * What {@code toString()} says, of the value itself if it is an {@link Optional}.
     *
     * @throws IllegalArgumentException if that would be the object's identity, which is another in each call
     */
    static @Nullable String of(@Nullable Object value) {
        Object content = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (content == null) {
            return null;
        }
        if (!HAS_TEXT.get(content.getClass())) {
            throw new IllegalArgumentException("a " + content.getClass().getTypeName()
                    + " has no toString() of its own, so it would be another key each time: use one of its properties");
        }
        return content.toString();
    }
}
