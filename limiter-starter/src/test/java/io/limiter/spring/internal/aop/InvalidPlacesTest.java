package io.limiter.spring.internal.aop;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;

/** Methods that cannot have the limit that they have, and limits that cannot share their name. */
class InvalidPlacesTest {

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentLimit(limit = 2)
    @interface Exports {}

    static class OnBeanMethod {
        @Bean
        @RateLimit(rate = 1)
        public Object made() {
            return new Object();
        }
    }

    static class HeldTwice {

        @Exports
        @ConcurrentLimit(limit = 1)
        public void call() {}
    }

    static class Private {
        @RateLimit(rate = 1)
        private void call() {}
    }

    static class Static {
        @RateLimit(rate = 1)
        public static void call() {}
    }

    static class Final {
        @CountLimit(limit = 1, period = 1)
        public final void call() {}
    }

    static final class FinalClass {
        @CountLimit(limit = 1, period = 1)
        public void call() {}
    }

    record LimitedRecord(String name) {
        LimitedRecord() {
            this("record");
        }

        @RateLimit(rate = 1)
        @Override
        public String name() {
            return name;
        }
    }

    @RateLimit(rate = 1)
    static class FinalInLimitedClass {
        public final void call() {}
    }

    @RateLimit(rate = 1)
    static class NothingPublic {
        void call() {}
    }

    static class OneNameTwoRates {
        @RateLimit(name = "shared", rate = 1)
        public void call() {}

        @RateLimit(name = "shared", rate = 2)
        public void other() {}
    }

    static class OneNameTwoKinds {
        @RateLimit(rate = 1, name = "shared", prefix = "x:")
        @CountLimit(limit = 1, period = 1, name = "shared", prefix = "x:")
        public void call() {}
    }

    static class OneNameTwoKindsOfBucket {
        @RateLimit(name = "shared", rate = 1, capacity = 1)
        public void call() {}

        @RateLimit(name = "shared", kind = RateLimit.Kind.LEAKY_BUCKET, rate = 1, capacity = 1)
        public void other() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(OnBeanMethod.class, "limit on %s.made(): the method makes a bean"),
                Arguments.of(
                        HeldTwice.class, "at most one is allowed on a method, also of composed annotations, were 2"),
                Arguments.of(Private.class, "limit on %s.call(): the method is private"),
                Arguments.of(Static.class, "limit on %s.call(): the method is static"),
                Arguments.of(Final.class, "limit on %s.call(): the method is final"),
                Arguments.of(FinalClass.class, "limit on %s.call(): the class is final"),
                Arguments.of(LimitedRecord.class, "limit on %s.name(): the class is final"),
                Arguments.of(FinalInLimitedClass.class, "limit on %s.call(): the method is final"),
                Arguments.of(NothingPublic.class, "limit on %s: it has no public methods"),
                Arguments.of(OneNameTwoRates.class, "it shares the name 'shared' with @RateLimit for %s."),
                Arguments.of(OneNameTwoKinds.class, "it shares the name 'shared' with @RateLimit for %s.call()"),
                Arguments.of(OneNameTwoKindsOfBucket.class, "it shares the name 'shared' with @RateLimit for %s."));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_fails_at_startup(Class<?> type, String problem) {
        InvalidLimitsTest.assertPreventsStartup(type, problem);
    }
}
