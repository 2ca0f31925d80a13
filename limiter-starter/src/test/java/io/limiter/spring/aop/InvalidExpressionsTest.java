package io.limiter.spring.aop;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys, costs, conditions, fallbacks and resolvers that prevent startup. */
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

    static class HashTagOfAll {
        @RateLimit(rate = 1, hashTag = "#{phone}")
        public void call(String phone) {}
    }

    static class ConstantHashTag {
        @RateLimit(rate = 1, limitType = LimitType.CUSTOM, key = "#{phone}", hashTag = "one")
        public void call(String phone) {}
    }

    @RateLimit(rate = 1, limitType = LimitType.CUSTOM, key = "#{phone}")
    static class KeyOfClass {
        public void call(String phone) {}

        public void other(String mail) {}
    }

    static class TwoCosts {
        @RateLimit(rate = 1, burst = 9, permits = 2, cost = "#{amount}")
        public void call(int amount) {}
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

    static class NoFallback {
        @RateLimit(rate = 1, fallback = "other")
        public int call(int amount) {
            return amount;
        }

        int other(long amount) {
            return (int) amount;
        }
    }

    static class TwoFallbacks {
        @RateLimit(rate = 1, fallback = "other")
        public void call(int amount) {}

        void other(int amount) {}

        void other(int amount, io.limiter.algorithm.Decision rejection) {}
    }

    static class FallbackOfOtherType {
        @RateLimit(rate = 1, fallback = "other")
        public int call() {
            return 1;
        }

        String other() {
            return "";
        }
    }

    static class FallbackOfVoid {
        @RateLimit(rate = 1, fallback = "other")
        public void call() {}

        String other() {
            return "";
        }
    }

    static class NoResolver {
        @RateLimit(rate = 1, resolver = "theBean")
        public void call() {}
    }

    static class FallbackToItself {
        @RateLimit(rate = 1, fallback = "call")
        public void call() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(NoKey.class, "@RateLimit for %s.call(java.lang.String): limitType CUSTOM needs a key"),
                Arguments.of(
                        UnknownName.class,
                        "@CountLimit for %s.call(java.lang.String): #{fone} in the key '#{fone}' uses 'fone'"),
                Arguments.of(UselessKey.class, "key '#{phone}' has no effect with limitType USER"),
                Arguments.of(HashTagOfAll.class, "hashTag '#{phone}' would give each hash tag permits of its own"),
                Arguments.of(ConstantHashTag.class, "hashTag 'one' is the same for all calls: write #{one}"),
                Arguments.of(KeyOfClass.class, "@RateLimit for %s.other(java.lang.String): #{phone} in the key"),
                Arguments.of(TwoCosts.class, "permits 2 has no effect with cost '#{amount}'"),
                Arguments.of(CostWithoutBraces.class, "cost 'amount' must be one expression over the arguments"),
                Arguments.of(CostWithText.class, "cost 'a#{amount}' must be one expression over the arguments"),
                Arguments.of(CostOfUnknown.class, "#{items.size()} in the cost '#{items.size()}' uses 'items'"),
                Arguments.of(CostThatCalls.class, "must not use clear()"),
                Arguments.of(CostOfType.class, "must not use T(java.lang.Math)"),
                Arguments.of(CostSyntax.class, "cost '#{amount +}' cannot be parsed"),
                Arguments.of(ConditionOfUnknown.class, "in the condition '#{#result > 1}' uses 'result'"),
                Arguments.of(NoFallback.class, "@RateLimit for %s.call(int): fallback 'other' was not found: %s needs"),
                Arguments.of(NoFallback.class, "a method int other(int) or"),
                Arguments.of(TwoFallbacks.class, "fallback 'other' is ambiguous"),
                Arguments.of(
                        FallbackOfOtherType.class, "fallback 'other' returns java.lang.String, and must return int"),
                Arguments.of(FallbackOfVoid.class, "fallback 'other' returns java.lang.String, and must return void"),
                Arguments.of(
                        NoResolver.class,
                        "resolver 'theBean' must be the name of a io.limiter.spring.key.LimitResolver"),
                Arguments.of(FallbackToItself.class, "fallback 'call' was not found"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_prevents_startup(Class<?> type, String problem) {
        InvalidLimitsTest.assertPreventsStartup(type, problem);
    }
}
