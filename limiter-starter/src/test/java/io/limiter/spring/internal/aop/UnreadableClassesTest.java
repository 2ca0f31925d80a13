package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.key.CallerFacts;
import io.limiter.spring.internal.settings.ConfiguredLimits;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;

/** Classes with a type that is not on the class path: their methods cannot be read. */
class UnreadableClassesTest {

    static class Missing {}

    static class OnMethod {
        @CountLimit(limit = 1, period = 1)
        public void call() {}

        public void other(Missing missing) {}
    }

    static class Repeated {
        @RateLimit(rate = 1)
        @RateLimit(rate = 2)
        public void call() {}

        public void other(Missing missing) {}
    }

    @CountLimit(limit = 1, period = 1)
    static class OnType {
        public void call(Missing missing) {}
    }

    @CountLimit(limit = 1, period = 1)
    interface Limited {
        void call();
    }

    static class OfInterface implements Limited {
        @Override
        public void call() {}

        public void other(Missing missing) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @CountLimit(limit = 1, period = 1)
    @interface Slow {}

    static class Composed {
        @Slow
        public void call() {}

        public void other(Missing missing) {}
    }

    static class Extended extends OnMethod {}

    static class Free {
        public void call(Missing missing) {}
    }

    interface Callback {
        void call();

        default void other(Missing missing) {}
    }

    static class Callbacks implements Supplier<Callback> {
        @Override
        public Callback get() {
            return () -> {};
        }
    }

    private final LimitedMethodFinder finder = new LimitedMethodFinder(
            new RuleParser(
                    new CallerFacts(() -> null, () -> null, () -> null),
                    new ConfiguredLimits(Map.of()),
                    new ApplicationBeans()),
            new ApplicationBeans());

    @ParameterizedTest
    @ValueSource(
            classes = {OnMethod.class, Repeated.class, OnType.class, OfInterface.class, Composed.class, Extended.class})
    void unreadable_classes_with_limits_fail_at_startup(Class<?> type) throws Exception {
        Class<?> unreadable = withoutMissing(type);
        assertThatExceptionOfType(InvalidLimitException.class)
                .isThrownBy(() -> finder.find(unreadable))
                .withMessageStartingWith("limit on " + type.getName() + ": its methods cannot be read")
                .withMessageContaining(Missing.class.getName())
                .withMessageContaining("add the missing library to the class path");
    }

    @ParameterizedTest
    @ValueSource(classes = Free.class)
    void unreadable_classes_without_limits_can_be_beans(Class<?> type) throws Exception {
        assertThat(finder.find(withoutMissing(type))).isEmpty();
    }

    @Test
    void lambdas_without_limits_can_be_beans() throws Exception {
        Supplier<?> callbacks = (Supplier<?>) BeanUtils.instantiateClass(withoutMissing(Callbacks.class));
        assertThat(finder.find(callbacks.get().getClass())).isEmpty();
    }

    /** The same class, loaded where there is no class {@link Missing}. */
    private static Class<?> withoutMissing(Class<?> type) throws ClassNotFoundException {
        return Class.forName(type.getName(), true, new ClassLoader(UnreadableClassesTest.class.getClassLoader()) {

            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.equals(Missing.class.getName())) {
                    throw new ClassNotFoundException(name);
                }
                if (!name.startsWith(UnreadableClassesTest.class.getName() + "$")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> known = findLoadedClass(name);
                return known == null ? define(name) : known;
            }

            private Class<?> define(String name) throws ClassNotFoundException {
                try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        });
    }
}
