package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.InvalidLimitException;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.context.MessageSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.StaticMessageSource;

/** The application fails to start if a value of a limit is invalid, with these messages. */
class InvalidLimitsTest {

    static class Rate {
        @RateLimit(rate = 0)
        public void call() {}
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
        @RateLimit(rate = 1, cost = "0")
        public void call() {}
    }

    static class PermitsTooMany {
        @RateLimit(rate = 2, burst = 2, cost = "5")
        public void call() {}
    }

    static class Timeout {
        @RateLimit(rate = 1, timeout = -0.5)
        public void call() {}
    }

    static class EndlessTimeout {
        @RateLimit(rate = 1, timeout = Double.POSITIVE_INFINITY)
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
        @RateLimit(rate = 1, capacity = -2)
        public void call() {}
    }

    static class CapacityAndBurst {
        @RateLimit(rate = 1, capacity = 60, burst = 30)
        public void call() {}
    }

    static class CapacityTooSmall {
        @RateLimit(rate = 1, capacity = 2, cost = "3")
        public void call() {}
    }

    static class Expire {
        @RateLimit(rate = 1, expire = 0)
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
        @CountLimit(period = 1, limit = 0)
        public void call() {}
    }

    static class Period {
        @CountLimit(limit = 1, period = 0)
        public void call() {}
    }

    static class NoLimit {
        @CountLimit(per = "1h")
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
        @CountLimit(limit = 1, per = "15 minutes")
        public void call() {}
    }

    static class LongPeriod {
        @CountLimit(limit = 1, per = "1001d")
        public void call() {}
    }

    static class UnknownPlaceholder {
        @CountLimit(limit = 1, per = "${no.such.per}")
        public void call() {}
    }

    static class PlaceholderOfName {
        @CountLimit(name = "${no.such.name}-limit", limit = 1, period = 1)
        public void call() {}
    }

    static class PeriodAndPer {
        @CountLimit(limit = 1, period = 60, per = "1m")
        public void call() {}
    }

    static class MonthOfCount {
        @CountLimit(limit = 1, per = "month", kind = CountLimit.Kind.SLIDING_LOG)
        public void call() {}
    }

    static class AnchorOfDay {
        @CountLimit(limit = 1, per = "day", anchor = "2026-01-15")
        public void call() {}
    }

    static class AnchorOfDuration {
        @CountLimit(limit = 1, per = "30d", anchor = "#{since}")
        public void call(java.time.LocalDate since) {}
    }

    static class AnchorNoDate {
        @CountLimit(limit = 1, per = "month", anchor = "15")
        public void call() {}
    }

    static class AnchorOfHeader {
        @CountLimit(limit = 1, per = "month", key = "#{id}", anchor = "#{id == 'a' ? header('Since') : null}")
        public void call(String id) {}
    }

    static class AnchorOfAllCalls {
        @CountLimit(limit = 1, per = "month", anchor = "#{'2026-01-15'}")
        public void call() {}
    }

    static class MinuteOfRate {
        @RateLimit(rate = 1, per = "minute")
        public void call() {}
    }

    static class NoCapacity {
        @RateLimit(rate = 1, capacity = 0)
        public void call() {}
    }

    static class BurstOfAsecond {
        @RateLimit(rate = 1, capacity = 60, burst = 1.0)
        public void call() {}
    }

    static class ShortPeriod {
        @CountLimit(limit = 1, period = 0.0001)
        public void call() {}
    }

    static class Zone {
        @CountLimit(limit = 1, per = "day", zone = "Berlin")
        public void call() {}
    }

    static class ZoneOfWeek {
        @CountLimit(limit = 1, per = "7d", zone = "UTC")
        public void call() {}
    }

    static class ZoneOfLog {
        @CountLimit(limit = 1, kind = CountLimit.Kind.SLIDING_LOG, per = "day", zone = "UTC")
        public void call() {}
    }

    static class LogTooLarge {
        @CountLimit(period = 1, kind = CountLimit.Kind.SLIDING_LOG, limit = 100_001)
        public void call() {}
    }

    static class NegativeTimeout {
        @CountLimit(limit = 1, period = 1, timeout = -1)
        public void call() {}
    }

    static class BurstOfQueue {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE, capacity = 50, burst = 2)
        public void call() {}
    }

    static class ExpireOfLeakyBucket {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_BUCKET, capacity = 50, expire = 5)
        public void call() {}
    }

    static class QueueWithoutLimit {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE)
        public void call() {}
    }

    static class NegativeQueue {
        @RateLimit(rate = 1, kind = RateLimit.Kind.LEAKY_QUEUE, capacity = -2)
        public void call() {}
    }

    static class UnknownMessage {
        @CountLimit(limit = 1, period = 1, message = "{no.such.code}")
        public void call() {}
    }

    static class MessageOfOneLanguage {
        @CountLimit(limit = 1, period = 1, message = "{sms.often}")
        public void call() {}
    }

    static class Ip {
        @RateLimit(rate = 1, limitType = LimitType.IP)
        public void call() {}
    }

    static Stream<Arguments> invalid() {
        return Stream.of(
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
                        "per must be set in the annotation or limiter.limits.periodless, such as per = 15m"),
                Arguments.of(NothingHeld.class, "@ConcurrentLimit for %s.call(): limit must be set in the annotation"),
                Arguments.of(
                        WordyPeriod.class,
                        "@CountLimit for %s.call(): per must be a number of seconds or one with a unit (ns, us, ms, s, m, h, d),"
                                + " such as 900, 0.5, 15m or 500ms, was '15 minutes'"),
                Arguments.of(LongPeriod.class, "per must be between PT0.001S and PT24000H (ISO-8601), was PT24024H"),
                Arguments.of(
                        UnknownPlaceholder.class,
                        "@CountLimit for %s.call(): per '${no.such.per}' has a placeholder without a value"),
                Arguments.of(PlaceholderOfName.class, "name '${no.such.name}-limit' has a placeholder without a value"),
                Arguments.of(
                        PeriodAndPer.class,
                        "@CountLimit for %s.call(): period = 60.0 (seconds) and per = \"1m\" both say how long a period is"),
                Arguments.of(MonthOfCount.class, "only a fixed window can have, not kind sliding-log: set per to 30d"),
                Arguments.of(
                        AnchorOfDay.class, "anchor '2026-01-15' has no effect on a day: set per to week, month or"),
                Arguments.of(AnchorOfDuration.class, "anchor '#{since}' has no effect without a unit of the calendar"),
                Arguments.of(AnchorNoDate.class, "anchor must be a date such as 2026-01-15, was '15'"),
                Arguments.of(
                        AnchorOfHeader.class, "must not use header(...), with which callers choose when their quota"),
                Arguments.of(AnchorOfAllCalls.class, "is the same for all calls: write a date, such as 2026-01-15"),
                Arguments.of(MinuteOfRate.class, "per must be a duration, such as 1m, 1h or 1d, was 'minute'"),
                Arguments.of(NoCapacity.class, "capacity must be between 1 and 1000000000000, was 0"),
                Arguments.of(BurstOfAsecond.class, "capacity 60 (permits) and burst 1.0 (seconds) both say"),
                Arguments.of(ShortPeriod.class, "period (seconds) must be between 0.001 and 86400000, was 0.0001"),
                Arguments.of(Burst.class, "burst (seconds) must be between 0.000000001 and 86400000, was -1"),
                Arguments.of(BurstTooSmall.class, "capacity must be at least 1 permit (at 0.1/s a burst of 10.0 s)"),
                Arguments.of(
                        Permits.class,
                        "@RateLimit for %s.call(): cost '0' must be between 1 and 9007199254740991, or an expression"),
                Arguments.of(PermitsTooMany.class, "a cost of 5 would never be granted"),
                Arguments.of(PermitsTooMany.class, "capacity must be at least 5 permits (at 2.0/s a burst of 2.5 s)"),
                Arguments.of(PermitsTooMany.class, "or timeout at least 0.5 s"),
                Arguments.of(Timeout.class, "timeout (seconds) must be between 0 and 86400000, was -0.5"),
                Arguments.of(EndlessTimeout.class, "timeout (seconds) must be between 0 and 86400000, was Infinity"),
                Arguments.of(Per.class, "per must be between PT0.001S and PT24000H (ISO-8601), was PT0S"),
                Arguments.of(NoPer.class, "per must be a number of seconds or one with a unit"),
                Arguments.of(
                        Capacity.class,
                        "@RateLimit for %s.call(): capacity must be between 1 and 1000000000000, was -2"),
                Arguments.of(
                        CapacityAndBurst.class, "capacity 60 (permits) and burst 30.0 (seconds) both say how many"),
                Arguments.of(CapacityAndBurst.class, "leave one of them out"),
                Arguments.of(CapacityTooSmall.class, "capacity must be at least 3 permits"),
                Arguments.of(Expire.class, "expire (seconds) must be between 0.001 and 86400000, was 0"),
                Arguments.of(
                        Zone.class, "zone must be one that Java knows, such as Europe/Berlin or UTC, was 'Berlin'"),
                Arguments.of(ZoneOfWeek.class, "zone 'UTC' has no effect without a unit of the calendar: set per"),
                Arguments.of(Prefix.class, "@RateLimit for %s.call(): prefix must not contain braces"),
                Arguments.of(BlankName.class, "@RateLimit for %s.call(): name must not be null or blank"),
                Arguments.of(Limit.class, "limit must be between 1 and 9007199254740991, was 0"),
                Arguments.of(
                        Period.class,
                        "@CountLimit for %s.call(): period (seconds) must be between 0.001 and 86400000, was 0"),
                Arguments.of(ZoneOfLog.class, "zone has no effect on kind sliding-log, which has limit, per, timeout"),
                Arguments.of(
                        NegativeTimeout.class,
                        "@CountLimit for %s.call(): timeout (seconds) must be between 0 and 86400000, was -1"),
                Arguments.of(LogTooLarge.class, "was 100001: use a SlidingCounter"),
                Arguments.of(
                        BurstOfQueue.class,
                        "@RateLimit for %s.call(): burst has no effect on kind leaky-queue, which has capacity, per, rate, timeout"),
                Arguments.of(ExpireOfLeakyBucket.class, "expire has no effect on kind leaky-bucket"),
                Arguments.of(QueueWithoutLimit.class, "@RateLimit for %s.call(): capacity must be set"),
                Arguments.of(
                        NegativeQueue.class,
                        "@RateLimit for %s.call(): capacity must be between 1 and 1000000000000, was -2"),
                Arguments.of(
                        UnknownMessage.class,
                        "@CountLimit for %s.call(): message must be a message, or the code of one in braces, and the"
                                + " MessageSource of the application has none of this code in any language, was"
                                + " '{no.such.code}': add no.such.code to messages.properties, or write the message itself"),
                Arguments.of(Ip.class, "@RateLimit for %s.call(): limitType IP needs a web application"));
    }

    @ParameterizedTest
    @MethodSource("invalid")
    void an_invalid_limit_fails_at_startup(Class<?> type, String problem) {
        assertPreventsStartup(type, problem);
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
    @ValueSource(classes = {Rate.class, Prefix.class, Ip.class, InvalidPlacesTest.Private.class})
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
    void a_message_may_be_there_in_one_language_only() {
        StaticMessageSource messages = new StaticMessageSource();
        messages.addMessage("sms.often", Locale.TRADITIONAL_CHINESE, "...");
        Contexts.local()
                .withBean("messageSource", MessageSource.class, () -> messages)
                .withBean(MessageOfOneLanguage.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void an_application_without_limits_starts() {
        Contexts.local().run(context -> assertThat(context).hasNotFailed());
    }

    /** @param problem with {@code %s} for the name of the type */
    static void assertPreventsStartup(Class<?> type, String problem) {
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

    private static Throwable root(Throwable failure) {
        Throwable found = failure;
        while (found.getCause() != null && !(found instanceof InvalidLimitException)) {
            found = found.getCause();
        }
        return found;
    }
}
