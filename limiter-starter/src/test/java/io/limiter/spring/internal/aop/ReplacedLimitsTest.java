package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.LogLines;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.RateLimit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of one kind on a class and its supertypes: the closest applies, and the log names the others. */
class ReplacedLimitsTest {

    interface Sends {
        @CountLimit(period = 1, name = "sends", limit = 5)
        void send();
    }

    interface Calls {
        @CountLimit(period = 1, name = "calls", limit = 6)
        void send();
    }

    @CountLimit(period = 1, name = "type", limit = 7)
    interface Limited {
        void send();
    }

    @RateLimit(name = "rate", rate = 9)
    interface Rated {
        void send();
    }

    static class Base {
        @CountLimit(period = 1, name = "base", limit = 8)
        public void send() {}
    }

    static class Overrides extends Base {
        @Override
        @CountLimit(period = 1, name = "own", limit = 1)
        public void send() {}
    }

    static class OverridesType implements Limited {
        @Override
        @CountLimit(period = 1, name = "own", limit = 1)
        public void send() {}
    }

    @CountLimit(period = 1, name = "own", limit = 1)
    static class TypeOverridesType implements Limited {
        @Override
        public void send() {}

        public void other() {}
    }

    @CountLimit(period = 1, name = "own", limit = 1)
    static class TypeBehindInterface implements Sends {
        @Override
        public void send() {}
    }

    static class BaseSends implements Sends {
        @Override
        @CountLimit(period = 1, name = "base", limit = 8)
        public void send() {}
    }

    static class SaysAgain extends BaseSends implements Sends {
        @Override
        public void send() {}
    }

    static Stream<Arguments> replaced() {
        return Stream.of(
                Arguments.of(
                        Overrides.class, "own", "@CountLimit on %s$Base.send() is replaced by that on %s$Overrides"),
                Arguments.of(
                        OverridesType.class, "own", "@CountLimit on %s$Limited is replaced by that on %s$Overrides"),
                Arguments.of(
                        TypeOverridesType.class,
                        "own",
                        "@CountLimit on %s$Limited is replaced by that on %s$TypeOverridesType"),
                Arguments.of(
                        TypeBehindInterface.class,
                        "sends",
                        "@CountLimit on %s$TypeBehindInterface is replaced by that on %s$Sends.send()"),
                Arguments.of(
                        SaysAgain.class, "base", "@CountLimit on %s$Sends.send() is replaced by that on %s$BaseSends"));
    }

    @ParameterizedTest
    @MethodSource("replaced")
    void a_replaced_limit_is_logged_once(Class<?> type, String applies, String logged) {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        try (LogLines log = new LogLines(LimitedMethodFinder.class)) {
            Contexts.plain()
                    .withBean(LimiterFactory.class, () -> factory)
                    .withBean(type)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(factory.names()).contains(applies).doesNotContain("type");
                    });
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("INFO " + logged.replace("%s", getClass().getName()))
                    .endsWith("for " + type.getName() + ": the closest applies");
        }
    }

    static class OfBoth implements Limited, Rated {
        @Override
        public void send() {}
    }

    @CountLimit(period = 1, name = "type", limit = 7)
    static class SaysTheSame implements Limited {
        @Override
        public void send() {}
    }

    interface Keyed {
        @CountLimit(period = 1, name = "keyed", limit = 1, key = "#{phone}")
        void call(String phone);
    }

    static class SaysTheSameKey implements Keyed {
        @Override
        @CountLimit(period = 1, name = "keyed", limit = 1, key = "#{phone}")
        public void call(String phone) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OfBoth.class, SaysTheSame.class, SaysTheSameKey.class})
    void a_limit_that_is_not_replaced_is_not_logged(Class<?> type) {
        try (LogLines log = new LogLines(LimitedMethodFinder.class)) {
            Contexts.local().withBean(type).run(context -> assertThat(context).hasNotFailed());
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void kinds_are_merged() {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.plain()
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(OfBoth.class)
                .run(context -> assertThat(factory.names()).containsExactlyInAnyOrder("type", "rate"));
    }

    static class Free {
        public void send() {}
    }

    static class Inherits extends Free implements Sends {}

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void an_interface_limits_a_method_that_a_superclass_implements(String classProxy) {
        RecordingLimiterFactory factory = new RecordingLimiterFactory();
        Contexts.plain()
                .withPropertyValues("spring.aop.proxy-target-class=" + classProxy)
                .withBean(LimiterFactory.class, () -> factory)
                .withBean(Inherits.class)
                .run(context -> {
                    assertThat(factory.names()).containsExactly("sends");
                    Sends bean = context.getBean(Sends.class);
                    for (int i = 0; i < 5; i++) {
                        bean.send();
                    }
                    assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(bean::send);
                });
    }

    static class TwoInterfaces implements Sends, Calls {
        @Override
        public void send() {}
    }

    static class SuperclassAndInterface extends Base implements Calls {}

    @CountLimit(period = 1, name = "other", limit = 2)
    interface OtherType {}

    static class TwoTypes implements Limited, OtherType {
        @Override
        public void send() {}
    }

    @ConcurrentLimit(name = "one", limit = 1)
    interface OnePlace {}

    @ConcurrentLimit(name = "two", limit = 2)
    interface TwoPlaces {}

    static class Places implements OnePlace, TwoPlaces {
        public void send() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {TwoInterfaces.class, SuperclassAndInterface.class, TwoTypes.class, Places.class})
    void two_that_do_not_override_each_other_fail_at_startup(Class<?> type) {
        Contexts.local()
                .withBean("theBean", type)
                .run(context -> assertThat(context.getStartupFailure())
                        .isNotNull()
                        .rootCause()
                        .isInstanceOf(InvalidLimitException.class)
                        .hasMessageContaining("Limit for " + type.getName() + ".send(): it is declared on ")
                        .hasMessageEndingWith("put the annotations that should apply on the method of " + type.getName()
                                + " itself"));
    }
}
