package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;

/** Invalid limits that prevent startup, and their messages. */
class InvalidLimitsTest {

    static class Rate {
        @RateLimit(rate = 0)
        public void call() {}
    }

    static class OnBeanMethod {
        @Bean
        @RateLimit
        public Object made() {
            return new Object();
        }
    }

    static class NoRate {
        @RateLimit(rate = Double.NaN)
        public void call() {}
    }

    static class Burst {
        @RateLimit(burst = -1)
        public void call() {}
    }

    static class BurstTooSmall {
        @RateLimit(rate = 0.1, burst = 1)
        public void call() {}
    }

    static class Permits {
        @RateLimit(permits = 0)
        public void call() {}
    }

    static class PermitsTooMany {
        @RateLimit(rate = 2, burst = 2, permits = 5)
        public void call() {}
    }

    static class Timeout {
        @RateLimit(timeout = -0.5)
        public void call() {}
    }

    static class EndlessTimeout {
        @RateLimit(timeout = Double.POSITIVE_INFINITY)
        public void call() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentLimit(limit = 2)
    @interface Exports {}

    static class HeldTwice {

        @Exports
        @ConcurrentLimit(limit = 1)
        public void call() {}
    }

    static class Per {
        @RateLimit(per = 0)
        public void call() {}
    }

    static class NoPer {
        @RateLimit(per = Double.NaN)
        public void call() {}
    }

    static class Capacity {
        @RateLimit(capacity = -1)
        public void call() {}
    }

    static class CapacityAndBurst {
        @RateLimit(capacity = 60, burst = 30)
        public void call() {}
    }

    static class CapacityTooSmall {
        @RateLimit(capacity = 2, permits = 3)
        public void call() {}
    }

    static class Expire {
        @RateLimit(expire = 0)
        public void call() {}
    }

    static class Prefix {
        @RateLimit(prefix = "{x}")
        public void call() {}
    }

    static class BlankName {
        @RateLimit(name = " ")
        public void call() {}
    }

    static class Limit {
        @CountLimit(limit = 0)
        public void call() {}
    }

    static class Period {
        @CountLimit(period = 0)
        public void call() {}
    }

    static class Zone {
        @CountLimit(period = 86_400, zone = "Berlin")
        public void call() {}
    }

    static class ZoneOfWeek {
        @CountLimit(period = 604_800, zone = "UTC")
        public void call() {}
    }

    static class NoKey {
        @RateLimit(limitType = LimitType.CUSTOM)
        public void call(String phone) {}
    }

    static class UnknownName {
        @CountLimit(limitType = LimitType.CUSTOM, key = "#{fone}")
        public void call(String phone) {}
    }

    static class UselessKey {
        @RateLimit(key = "#{phone}", limitType = LimitType.USER)
        public void call(String phone) {}
    }

    static class HashTagOfAll {
        @RateLimit(hashTag = "#{phone}")
        public void call(String phone) {}
    }

    static class ConstantHashTag {
        @RateLimit(limitType = LimitType.CUSTOM, key = "#{phone}", hashTag = "one")
        public void call(String phone) {}
    }

    static class OneNameTwoPlaces {
        @RateLimit(name = "places", limitType = LimitType.CUSTOM, key = "#{phone}", hashTag = "#{phone}")
        public void call(String phone) {}

        @RateLimit(name = "places", limitType = LimitType.CUSTOM, key = "#{phone}")
        public void other(String phone) {}
    }

    static class Private {
        @RateLimit
        private void call() {}
    }

    static class Static {
        @RateLimit
        public static void call() {}
    }

    static class Final {
        @CountLimit
        public final void call() {}
    }

    static final class FinalClass {
        @CountLimit
        public void call() {}
    }

    record LimitedRecord(String name) {
        LimitedRecord() {
            this("record");
        }

        @RateLimit
        @Override
        public String name() {
            return name;
        }
    }

    @RateLimit
    static class FinalInLimitedClass {
        public final void call() {}
    }

    @RateLimit
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
        @RateLimit(name = "shared", prefix = "x:")
        @CountLimit(name = "shared", prefix = "x:")
        public void call() {}
    }

    static class OneNameTwoKindsOfBucket {
        @RateLimit(name = "shared", rate = 1, capacity = 1)
        public void call() {}

        @RateLimit(name = "shared", kind = RateLimit.Kind.LEAKY_BUCKET, rate = 1, limit = 1)
        public void other() {}
    }

    static class ZoneOfLog {
        @CountLimit(kind = CountLimit.Kind.SLIDING_LOG, period = 86_400, zone = "UTC")
        public void call() {}
    }

    static class LogTooLarge {
        @CountLimit(kind = CountLimit.Kind.SLIDING_LOG, limit = 100_001)
        public void call() {}
    }

    static class NegativeTimeout {
        @CountLimit(timeout = -1)
        public void call() {}
    }

    static class BurstOfQueue {
        @RateLimit(kind = RateLimit.Kind.LEAKY_QUEUE, limit = 50, burst = 2)
        public void call() {}
    }

    static class ExpireOfLeakyBucket {
        @RateLimit(kind = RateLimit.Kind.LEAKY_BUCKET, limit = 50, expire = 5)
        public void call() {}
    }

    static class QueueWithoutLimit {
        @RateLimit(kind = RateLimit.Kind.LEAKY_QUEUE)
        public void call() {}
    }

    static class NegativeQueue {
        @RateLimit(kind = RateLimit.Kind.LEAKY_QUEUE, limit = -1)
        public void call() {}
    }

    static class LimitOfTokenBucket {
        @RateLimit(limit = 50)
        public void call() {}
    }

    static class Ip {
        @RateLimit(limitType = LimitType.IP)
        public void call() {}
    }

    @RateLimit(limitType = LimitType.CUSTOM, key = "#{phone}")
    static class KeyOfClass {
        public void call(String phone) {}

        public void other(String mail) {}
    }

    static class TwoCosts {
        @RateLimit(burst = 9, permits = 2, cost = "#{amount}")
        public void call(int amount) {}
    }

    static class CostWithoutBraces {
        @CountLimit(cost = "amount")
        public void call(int amount) {}
    }

    static class CostWithText {
        @CountLimit(cost = "a#{amount}")
        public void call(int amount) {}
    }

    static class CostOfUnknown {
        @RateLimit(cost = "#{items.size()}")
        public void call(int amount) {}
    }

    static class CostThatCalls {
        @RateLimit(cost = "#{items.clear()}")
        public void call(java.util.List<String> items) {}
    }

    static class CostOfType {
        @RateLimit(cost = "#{T(java.lang.Math).random()}")
        public void call() {}
    }

    static class CostSyntax {
        @RateLimit(cost = "#{amount +}")
        public void call(int amount) {}
    }

    static class ConditionOfUnknown {
        @RateLimit(condition = "#{#result > 1}")
        public int call(int amount) {
            return amount;
        }
    }

    static class NoFallback {
        @RateLimit(fallback = "other")
        public int call(int amount) {
            return amount;
        }

        int other(long amount) {
            return (int) amount;
        }
    }

    static class TwoFallbacks {
        @RateLimit(fallback = "other")
        public void call(int amount) {}

        void other(int amount) {}

        void other(int amount, io.limiter.algorithm.Decision rejection) {}
    }

    static class FallbackOfOtherType {
        @RateLimit(fallback = "other")
        public int call() {
            return 1;
        }

        String other() {
            return "";
        }
    }

    static class FallbackOfVoid {
        @RateLimit(fallback = "other")
        public void call() {}

        String other() {
            return "";
        }
    }

    static class NoResolver {
        @RateLimit(resolver = "theBean")
        public void call() {}
    }

    static class FallbackToItself {
        @RateLimit(fallback = "call")
        public void call() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
                Arguments.of(OnBeanMethod.class, "limit on %s.made(): the method makes a bean"),
                Arguments.of(
                        Rate.class, "@RateLimit for %s.call(): rate must be more than 0, was 0: in Java 1 / 60 is 0"),
                Arguments.of(NoRate.class, "was NaN"),
                Arguments.of(Burst.class, "burst (seconds) must be between"),
                Arguments.of(BurstTooSmall.class, "capacity must be at least 1 permit (at 0.1/s a burst of 10.0 s)"),
                Arguments.of(Permits.class, "@RateLimit for %s.call(): permits must be at least 1, was 0"),
                Arguments.of(PermitsTooMany.class, "permits 5 would never be granted"),
                Arguments.of(PermitsTooMany.class, "capacity must be at least 5 permits (at 2.0/s a burst of 2.5 s)"),
                Arguments.of(PermitsTooMany.class, "or timeout at least 0.5 s"),
                Arguments.of(Timeout.class, "timeout (seconds) must be between 0.0 and 86400000, was -0.5"),
                Arguments.of(EndlessTimeout.class, "was Infinity"),
                Arguments.of(
                        HeldTwice.class, "at most one is allowed on a method, also of composed annotations, were 2"),
                Arguments.of(Per.class, "per (seconds) must be between 0.001 and 86400000, was 0.0"),
                Arguments.of(NoPer.class, "per (seconds) must be between 0.001 and 86400000, was NaN"),
                Arguments.of(Capacity.class, "@RateLimit for %s.call(): capacity must be at least 1, was -1"),
                Arguments.of(
                        CapacityAndBurst.class, "capacity 60 (permits) and burst 30.0 (seconds) both say how many"),
                Arguments.of(CapacityAndBurst.class, "leave one of them out"),
                Arguments.of(CapacityTooSmall.class, "capacity must be at least 3 permits"),
                Arguments.of(Expire.class, "expire must be between"),
                Arguments.of(
                        Zone.class, "zone must be one that Java knows, such as Europe/Berlin or UTC, was 'Berlin'"),
                Arguments.of(ZoneOfWeek.class, "period of an aligned window must be a day, or go into a day"),
                Arguments.of(Prefix.class, "@RateLimit for %s.call(): prefix must not contain braces"),
                Arguments.of(BlankName.class, "@RateLimit for %s.call(): name must not be null or blank"),
                Arguments.of(Limit.class, "@CountLimit for %s.call(): limit must be between 1"),
                Arguments.of(Period.class, "@CountLimit for %s.call(): period must be between"),
                Arguments.of(NoKey.class, "@RateLimit for %s.call(java.lang.String): limitType CUSTOM needs a key"),
                Arguments.of(
                        UnknownName.class,
                        "@CountLimit for %s.call(java.lang.String): #{fone} in the key '#{fone}' uses 'fone'"),
                Arguments.of(UselessKey.class, "key '#{phone}' has no effect with limitType USER"),
                Arguments.of(HashTagOfAll.class, "hashTag '#{phone}' would give each hash tag permits of its own"),
                Arguments.of(ConstantHashTag.class, "hashTag 'one' is the same for all calls: write #{one}"),
                Arguments.of(OneNameTwoPlaces.class, "it shares the name 'places' with @RateLimit for %s."),
                Arguments.of(Private.class, "limit on %s.call(): the method is private"),
                Arguments.of(Static.class, "limit on %s.call(): the method is static"),
                Arguments.of(Final.class, "limit on %s.call(): the method is final"),
                Arguments.of(FinalClass.class, "limit on %s.call(): the class is final"),
                Arguments.of(LimitedRecord.class, "limit on %s.name(): the class is final"),
                Arguments.of(FinalInLimitedClass.class, "limit on %s.call(): the method is final"),
                Arguments.of(NothingPublic.class, "limit on %s: it has no public methods"),
                Arguments.of(OneNameTwoRates.class, "it shares the name 'shared' with @RateLimit for %s."),
                Arguments.of(OneNameTwoKinds.class, "it shares the name 'shared' with @RateLimit for %s.call()"),
                Arguments.of(OneNameTwoKindsOfBucket.class, "it shares the name 'shared' with @RateLimit for %s."),
                Arguments.of(
                        ZoneOfLog.class,
                        "@CountLimit for %s.call(): zone has no effect on kind sliding-log, which has limit, period, timeout"),
                Arguments.of(
                        NegativeTimeout.class,
                        "@CountLimit for %s.call(): timeout (seconds) must be between 0.0 and 86400000, was -1.0"),
                Arguments.of(LogTooLarge.class, "was 100001: use a SlidingCounter"),
                Arguments.of(
                        BurstOfQueue.class,
                        "@RateLimit for %s.call(): burst has no effect on kind leaky-queue, which has limit, per, rate, timeout"),
                Arguments.of(ExpireOfLeakyBucket.class, "expire has no effect on kind leaky-bucket"),
                Arguments.of(QueueWithoutLimit.class, "@RateLimit for %s.call(): limit must be set"),
                Arguments.of(NegativeQueue.class, "@RateLimit for %s.call(): limit must be at least 1, was -1"),
                Arguments.of(LimitOfTokenBucket.class, "limit has no effect on kind token-bucket, which has burst"),
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
                        "resolver 'theBean' must be the name of a io.limiter.spring.aop.LimitResolver"),
                Arguments.of(FallbackToItself.class, "fallback 'call' was not found"),
                Arguments.of(Ip.class, "@RateLimit for %s.call(): limitType IP needs a web application"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_prevents_startup(Class<?> type, String problem) {
        Contexts.local()
                .withBean("theBean", type)
                .run(context -> assertThat(context.getStartupFailure())
                        .as("start-up failure")
                        .isNotNull()
                        .extracting(InvalidLimitsTest::root)
                        .isInstanceOfSatisfying(
                                InvalidLimitException.class,
                                e -> assertThat(e).hasMessageContaining(problem.replace("%s", type.getName()))));
    }

    @Test
    void the_failure_names_the_bean() {
        Contexts.local()
                .withBean("theBean", Rate.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(BeanCreationException.class)
                        .hasMessageContaining("'theBean'"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Rate.class, Prefix.class, Ip.class, Private.class})
    void an_invalid_limit_prevents_the_creation_of_a_later_bean(Class<?> type) {
        failsWhenMade(type, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE));
        failsWhenMade(type, definition -> definition.setLazyInit(true));
    }

    private static void failsWhenMade(Class<?> type, BeanDefinitionCustomizer customizer) {
        Contexts.local()
                .withInitializer(context -> ((GenericApplicationContext) context).registerBean(type, customizer))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThatThrownBy(() -> context.getBean(type))
                            .extracting(InvalidLimitsTest::root)
                            .isInstanceOf(InvalidLimitException.class);
                });
    }

    @Test
    void an_application_without_limits_starts() {
        Contexts.local().run(context -> assertThat(context).hasNotFailed());
    }

    private static Throwable root(Throwable failure) {
        Throwable found = failure;
        while (found.getCause() != null && !(found instanceof InvalidLimitException)) {
            found = found.getCause();
        }
        return found;
    }
}
