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
        @RateLimit(rate = 1)
        public Object made() {
            return new Object();
        }
    }

    static class NoRate {
        @RateLimit
        public void call() {}
    }

    static class Burst {
        @RateLimit(rate = 1, burst = -1)
        public void call() {}
    }

    static class BurstTooSmall {
        @RateLimit(rate = 0.1, burst = 1)
        public void call() {}
    }

    static class Permits {
        @RateLimit(rate = 1, permits = 0)
        public void call() {}
    }

    static class PermitsTooMany {
        @RateLimit(rate = 2, burst = 2, permits = 5)
        public void call() {}
    }

    static class Timeout {
        @RateLimit(rate = 1, timeout = "-0.5")
        public void call() {}
    }

    static class EndlessTimeout {
        @RateLimit(rate = 1, timeout = "forever")
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
        @RateLimit(rate = 1, per = "0")
        public void call() {}
    }

    static class NoPer {
        @RateLimit(rate = 1, per = "a minute")
        public void call() {}
    }

    static class Capacity {
        @RateLimit(rate = 1, capacity = -1)
        public void call() {}
    }

    static class CapacityAndBurst {
        @RateLimit(rate = 1, capacity = 60, burst = 30)
        public void call() {}
    }

    static class CapacityTooSmall {
        @RateLimit(rate = 1, capacity = 2, permits = 3)
        public void call() {}
    }

    static class Expire {
        @RateLimit(rate = 1, expire = "0")
        public void call() {}
    }

    static class Prefix {
        @RateLimit(rate = 1, prefix = "{x}")
        public void call() {}
    }

    static class BlankName {
        @RateLimit(rate = 1, name = " ")
        public void call() {}
    }

    static class Limit {
        @CountLimit(period = "1s", limit = 0)
        public void call() {}
    }

    static class Period {
        @CountLimit(limit = 1, period = "0")
        public void call() {}
    }

    static class NoLimit {
        @CountLimit(period = "1h")
        public void call() {}
    }

    static class NoPeriod {
        @CountLimit(name = "periodless", limit = 5)
        public void call() {}
    }

    static class NothingHeld {
        @ConcurrentLimit
        public void call() {}
    }

    static class WordyPeriod {
        @CountLimit(limit = 1, period = "15 minutes")
        public void call() {}
    }

    static class LongPeriod {
        @CountLimit(limit = 1, period = "1001d")
        public void call() {}
    }

    static class UnknownPlaceholder {
        @CountLimit(limit = 1, period = "${no.such.period}")
        public void call() {}
    }

    static class PlaceholderOfName {
        @CountLimit(name = "${no.such.name}-limit", limit = 1, period = "1s")
        public void call() {}
    }

    static class NoBurst {
        @RateLimit(rate = 1, burst = Double.NaN)
        public void call() {}
    }

    static class Zone {
        @CountLimit(limit = 1, period = "1d", zone = "Berlin")
        public void call() {}
    }

    static class ZoneOfWeek {
        @CountLimit(limit = 1, period = "7d", zone = "UTC")
        public void call() {}
    }

    static class NoKey {
        @RateLimit(rate = 1, limitType = LimitType.CUSTOM)
        public void call(String phone) {}
    }

    static class UnknownName {
        @CountLimit(limit = 1, period = "1s", limitType = LimitType.CUSTOM, key = "#{fone}")
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

    static class OneNameTwoPlaces {
        @RateLimit(rate = 1, name = "places", limitType = LimitType.CUSTOM, key = "#{phone}", hashTag = "#{phone}")
        public void call(String phone) {}

        @RateLimit(rate = 1, name = "places", limitType = LimitType.CUSTOM, key = "#{phone}")
        public void other(String phone) {}
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
        @CountLimit(limit = 1, period = "1s")
        public final void call() {}
    }

    static final class FinalClass {
        @CountLimit(limit = 1, period = "1s")
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
        @CountLimit(limit = 1, period = "1s", name = "shared", prefix = "x:")
        public void call() {}
    }

    static class OneNameTwoKindsOfBucket {
        @RateLimit(name = "shared", rate = 1, capacity = 1)
        public void call() {}

        @RateLimit(name = "shared", kind = RateLimit.Kind.LEAKY_BUCKET, rate = 1, limit = 1)
        public void other() {}
    }

    static class ZoneOfLog {
        @CountLimit(limit = 1, kind = CountLimit.Kind.SLIDING_LOG, period = "1d", zone = "UTC")
        public void call() {}
    }

    static class LogTooLarge {
        @CountLimit(period = "1s", kind = CountLimit.Kind.SLIDING_LOG, limit = 100_001)
        public void call() {}
    }

    static class NegativeTimeout {
        @CountLimit(limit = 1, period = "1s", timeout = "-1")
        public void call() {}
    }

    static class BurstOfQueue {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE, limit = 50, burst = 2)
        public void call() {}
    }

    static class ExpireOfLeakyBucket {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_BUCKET, limit = 50, expire = "5s")
        public void call() {}
    }

    static class QueueWithoutLimit {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE)
        public void call() {}
    }

    static class NegativeQueue {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE, limit = -1)
        public void call() {}
    }

    static class LimitOfTokenBucket {
        @RateLimit(rate = 1, limit = 50)
        public void call() {}
    }

    static class Ip {
        @RateLimit(rate = 1, limitType = LimitType.IP)
        public void call() {}
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
        @CountLimit(limit = 1, period = "1s", cost = "amount")
        public void call(int amount) {}
    }

    static class CostWithText {
        @CountLimit(limit = 1, period = "1s", cost = "a#{amount}")
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
                Arguments.of(OnBeanMethod.class, "limit on %s.made(): the method makes a bean"),
                Arguments.of(
                        Rate.class, "@RateLimit for %s.call(): rate must be more than 0, was 0: in Java 1 / 60 is 0"),
                Arguments.of(
                        NoRate.class,
                        "@RateLimit for %s.call(): rate must be set in the annotation or limiter.limits[%s.call()], such as rate = 10"),
                Arguments.of(
                        NoLimit.class,
                        "@CountLimit for %s.call(): limit must be set in the annotation or limiter.limits["),
                Arguments.of(NoLimit.class, "such as limit = 100"),
                Arguments.of(
                        NoPeriod.class,
                        "period must be set in the annotation or limiter.limits.periodless, such as period = 15m"),
                Arguments.of(NothingHeld.class, "@ConcurrentLimit for %s.call(): limit must be set in the annotation"),
                Arguments.of(
                        WordyPeriod.class,
                        "@CountLimit for %s.call(): period must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d),"
                                + " such as 900, 0.5, 15m or 500ms, was '15 minutes'"),
                Arguments.of(LongPeriod.class, "period must be between PT0.001S and PT24000H (ISO-8601), was PT24024H"),
                Arguments.of(
                        UnknownPlaceholder.class,
                        "@CountLimit for %s.call(): period '${no.such.period}' has a placeholder without a value"),
                Arguments.of(PlaceholderOfName.class, "name '${no.such.name}-limit' has a placeholder without a value"),
                Arguments.of(NoBurst.class, "burst (seconds) must be more than 0 and at most 86400000, was NaN"),
                Arguments.of(Burst.class, "burst (seconds) must be more than 0 and at most 86400000, was -1.0"),
                Arguments.of(BurstTooSmall.class, "capacity must be at least 1 permit (at 0.1/s a burst of 10.0 s)"),
                Arguments.of(Permits.class, "@RateLimit for %s.call(): permits must be at least 1, was 0"),
                Arguments.of(PermitsTooMany.class, "permits 5 would never be granted"),
                Arguments.of(PermitsTooMany.class, "capacity must be at least 5 permits (at 2.0/s a burst of 2.5 s)"),
                Arguments.of(PermitsTooMany.class, "or timeout at least 0.5 s"),
                Arguments.of(Timeout.class, "timeout must be between PT0S and PT24000H (ISO-8601), was PT-0.5S"),
                Arguments.of(EndlessTimeout.class, "such as 900, 0.5, 15m or 500ms, was 'forever'"),
                Arguments.of(
                        HeldTwice.class, "at most one is allowed on a method, also of composed annotations, were 2"),
                Arguments.of(Per.class, "per must be between PT0.001S and PT24000H (ISO-8601), was PT0S"),
                Arguments.of(NoPer.class, "per must be a number of seconds or one with a unit"),
                Arguments.of(
                        Capacity.class, "@RateLimit for %s.call(): capacity must be between 1 and 2147483647, was -1"),
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
                Arguments.of(
                        Limit.class,
                        "limit must be set in the annotation or limiter.limits[%s.call()], such as limit = 100 (at least 1)"),
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
                        "@CountLimit for %s.call(): timeout must be between PT0S and PT24000H (ISO-8601), was PT-1S"),
                Arguments.of(LogTooLarge.class, "was 100001: use a SlidingCounter"),
                Arguments.of(
                        BurstOfQueue.class,
                        "@RateLimit for %s.call(): burst has no effect on kind leaky-queue, which has limit, per, rate, timeout"),
                Arguments.of(ExpireOfLeakyBucket.class, "expire has no effect on kind leaky-bucket"),
                Arguments.of(QueueWithoutLimit.class, "@RateLimit for %s.call(): limit must be set"),
                Arguments.of(
                        NegativeQueue.class,
                        "@RateLimit for %s.call(): limit must be between 1 and 2147483647, was -1"),
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
                        "resolver 'theBean' must be the name of a io.limiter.spring.key.LimitResolver"),
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
