package io.limiter.spring.internal.aop;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The application fails to start with these keys, costs and conditions. */
class InvalidExpressionsTest {

    static class NoKey {
        @RateLimit(rate = 1, limitType = LimitType.CUSTOM)
        public void call(String phone) {}
    }

    static class UnknownName {
        @CountLimit(limit = 1, period = 1, limitType = LimitType.CUSTOM, key = "#{fone}")
        public void call(String phone) {}
    }

    static class UselessKey {
        @RateLimit(rate = 1, key = "#{phone}", limitType = LimitType.USER)
        public void call(String phone) {}
    }

    static class ConstantKeyOfPath {
        @RateLimit(
                rate = 1,
                key = {"#{phone}", "one"})
        public void call(String phone) {}
    }

    @RateLimit(rate = 1, limitType = LimitType.CUSTOM, key = "#{phone}")
    static class KeyOfClass {
        public void call(String phone) {}

        public void other(String mail) {}
    }

    static class CostWithoutBraces {
        @CountLimit(limit = 1, period = 1, cost = "amount")
        public void call(int amount) {}
    }

    static class CostWithText {
        @CountLimit(limit = 1, period = 1, cost = "a#{amount}")
        public void call(int amount) {}
    }

    static class CostOfUnknown {
        @RateLimit(rate = 1, cost = "#{items.size()}")
        public void call(int amount) {}
    }

    static class CostThatCalls {
        @RateLimit(rate = 1, cost = "#{items.clear()}")
        public void call(java.util.List<String> items) {}
    }

    static class CostOfType {
        @RateLimit(rate = 1, cost = "#{T(java.lang.Math).random()}")
        public void call() {}
    }

    static class CostSyntax {
        @RateLimit(rate = 1, cost = "#{amount +}")
        public void call(int amount) {}
    }

    static class ConditionOfUnknown {
        @RateLimit(rate = 1, condition = "#{#result > 1}")
        public int call(int amount) {
            return amount;
        }
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(NoKey.class, "@RateLimit for %s.call(java.lang.String): limitType CUSTOM needs a key"),
                Arguments.of(
                        UnknownName.class,
                        "@CountLimit for %s.call(java.lang.String): #{fone} in the key '#{fone}' uses 'fone'"),
                Arguments.of(UselessKey.class, "key '#{phone}' has no effect with limitType USER"),
                Arguments.of(ConstantKeyOfPath.class, "key 'one' is the same for all calls: write #{one}"),
                Arguments.of(KeyOfClass.class, "@RateLimit for %s.other(java.lang.String): #{phone} in the key"),
                Arguments.of(
                        CostWithoutBraces.class,
                        "cost 'amount' must be one expression over the arguments, such as #{items.size()}, or a number, such as 5"),
                Arguments.of(CostWithText.class, "cost 'a#{amount}' must be one expression over the arguments"),
                Arguments.of(CostOfUnknown.class, "#{items.size()} in the cost '#{items.size()}' uses 'items'"),
                Arguments.of(CostThatCalls.class, "must not use clear()"),
                Arguments.of(CostOfType.class, "must not use T(java.lang.Math)"),
                Arguments.of(CostSyntax.class, "cost '#{amount +}' cannot be parsed"),
                Arguments.of(ConditionOfUnknown.class, "in the condition '#{#result > 1}' uses 'result'"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_fails_at_startup(Class<?> type, String problem) {
        InvalidLimitsTest.assertPreventsStartup(type, problem);
    }
}
