package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;

class LimitedMethodsAotTest {

    record Order(String customer) {}

    record Unread(String text) {}

    static class Orders {

        @CountLimit(key = "#{order.customer}", limit = 1, per = "1m")
        public String place(Order order) {
            return "placed";
        }

        @RateLimit(rate = 1)
        public String read(Unread unread) {
            return "read";
        }
    }

    @Test
    void a_native_image_keeps_what_expressions_read() {
        RuntimeHints hints = process(Orders.class);
        assertThat(invoked(hints, Order.class, "customer")).isTrue();
        assertThat(hints.reflection().getTypeHint(Unread.class)).isNull();
    }

    private static RuntimeHints process(Class<?> bean) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(LimitedMethodsAotTest.class)), new InMemoryGeneratedFiles());
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean(bean);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        return generation.getRuntimeHints();
    }

    private static boolean invoked(RuntimeHints hints, Class<?> type, String method) {
        TypeHint found = hints.reflection().getTypeHint(type);
        return found != null
                && found.methods()
                        .filter(each -> each.getMode() == ExecutableMode.INVOKE)
                        .map(ExecutableHint::getName)
                        .anyMatch(method::equals);
    }
}
