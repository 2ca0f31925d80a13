package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.Contexts;
import io.limiter.spring.RecordingLimiterFactory;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Where annotations are found. */
class AnnotationDiscoveryTest {

    private final RecordingLimiterFactory factory = new RecordingLimiterFactory();

    private final ApplicationContextRunner runner = Contexts.plain().withBean(LimiterFactory.class, () -> factory);

    static class OnMethods {

        @RateLimit(rate = 1)
        public void defaults() {}

        @CountLimit(limit = 1, period = 1)
        public void counted() {}

        @RateLimit(
                name = "sms",
                prefix = "p:",
                expire = 90,
                rate = 0.5,
                burst = 10,
                timeout = 0.25,
                cost = "3",
                message = "slow down",
                limitType = LimitType.CUSTOM,
                key = "#{phone}")
        public void everything(String phone) {}

        @CountLimit(name = "sms", prefix = "q:", limit = 2, period = 10, message = "enough")
        public void everyCount() {}

        public void free() {}

        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void overloaded(String text) {}

        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void overloaded(int[] number) {}

        @RateLimit(rate = 1.0 / 60, burst = 60)
        void packagePrivate() {}

        @RateLimit(rate = 1.0 / 60, burst = 60, timeout = 7200)
        public void patient() {}
    }

    @Test
    void attributes_become_limits() {
        run(OnMethods.class, bean -> {
            String name = OnMethods.class.getName();
            assertThat(factory.built())
                    .contains(new RecordingLimiterFactory.Built(
                            "rateLimit:", name + ".defaults()", TokenBucket.perSecond(1)))
                    .contains(new RecordingLimiterFactory.Built(
                            "countLimit:", name + ".counted()", FixedWindow.of(1, Duration.ofSeconds(1))))
                    .contains(new RecordingLimiterFactory.Built(
                            "p:", "sms", TokenBucket.of(0.5, 10).withExpire(Duration.ofSeconds(90))))
                    .contains(new RecordingLimiterFactory.Built("q:", "sms", FixedWindow.of(2, Duration.ofSeconds(10))))
                    .contains(new RecordingLimiterFactory.Built(
                            "rateLimit:",
                            name + ".patient()",
                            TokenBucket.of(1.0 / 60, 60).withMaxWait(Duration.ofHours(2))));
            bean.everything("0171");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.everything("0171"))
                    .withMessage("slow down")
                    .satisfies(e -> assertThat(e.keys()).containsExactly("0171"))
                    .satisfies(e -> assertThat(e.decision().remaining()).isEqualTo(2));
            bean.everything("0172");
            bean.everyCount();
            bean.everyCount();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(bean::everyCount)
                    .withMessage("enough")
                    .satisfies(e -> assertThat(e.limiter()).isEqualTo("sms"));
            bean.free();
        });
    }

    @Test
    void the_default_message_has_the_retry_after() {
        run(OnMethods.class, bean -> {
            bean.packagePrivate();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(bean::packagePrivate)
                    .withMessage("Too many requests, try again in 60 s")
                    .satisfies(e -> assertThat(e.limiter()).isEqualTo(OnMethods.class.getName() + ".packagePrivate()"));
            bean.counted();
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(bean::counted)
                    .withMessage("Too many requests, try again in 1 s");
        });
    }

    static class OwnMessages {

        @CountLimit(limit = 1, per = "1m", message = "it's full, wait {0} s", cost = "#{pages}")
        public void count(int pages) {}

        @ConcurrentLimit(limit = 1, lease = 20, message = "busy for {0} s")
        public void place(Runnable inside) {
            inside.run();
        }
    }

    @Test
    void own_messages_have_the_retry_after() {
        run(OwnMessages.class, bean -> {
            bean.count(1);
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.count(1))
                    .withMessage("it's full, wait 60 s");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .as("never")
                    .isThrownBy(() -> bean.count(2))
                    .withMessage("The request can never be granted, so trying again does not help");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.place(() -> bean.place(() -> {})))
                    .withMessage("busy for 20 s");
        });
    }

    @Test
    void overloads_have_permits_of_their_own() {
        run(OnMethods.class, bean -> {
            bean.overloaded("x");
            bean.overloaded(new int[] {1});
            rejected(() -> bean.overloaded("x"));
            rejected(() -> bean.overloaded(new int[] {1}));
            assertThat(factory.names())
                    .contains(
                            OnMethods.class.getName() + ".overloaded(java.lang.String)",
                            OnMethods.class.getName() + ".overloaded(int[])");
        });
    }

    @RateLimit(rate = 1.0 / 60, burst = 60)
    @CountLimit(limit = 2, per = "1m")
    static class OnClass {

        public void first() {}

        public void second() {}

        @RateLimit(rate = 100, burst = 10)
        public void own() {}

        void notPublic() {}

        static void notOfABean() {}

        @Override
        public String toString() {
            return "never limited";
        }
    }

    @Test
    void on_a_class_it_limits_each_public_method() {
        run(OnClass.class, bean -> {
            bean.first();
            rejected(bean::first);
            bean.second();
            rejected(bean::second);
            for (int i = 0; i < 5; i++) {
                bean.notPublic();
                assertThat(bean.toString()).isEqualTo("never limited");
            }
        });
    }

    @Test
    void an_annotation_of_the_method_replaces_that_of_the_class_of_its_kind() {
        run(OnClass.class, bean -> {
            bean.own();
            bean.own();
            // By the class's count; its own rate would have allowed it.
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(bean::own)
                    .satisfies(e -> assertThat(e.decision().limit()).isEqualTo(2));
        });
    }

    static class InheritsClass extends OnClass {

        public void third() {}
    }

    @Test
    void on_a_superclass_it_limits_the_methods_of_the_subclass() {
        run(InheritsClass.class, bean -> {
            bean.first();
            rejected(bean::first);
            bean.third();
            rejected(bean::third);
            assertThat(factory.names()).allMatch(name -> name.startsWith(InheritsClass.class.getName()));
        });
    }

    interface Sender<T> {

        @RateLimit(rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM, key = "#{receiver}")
        void send(T receiver);

        @RateLimit(rate = 1.0 / 60, burst = 60)
        default void ping() {}
    }

    static class StringSender implements Sender<String> {

        @Override
        public void send(String otherName) {}
    }

    abstract static class Base<T> {

        @CountLimit(limit = 1, per = "1m")
        public void save(T value) {}

        @CountLimit(limit = 1, per = "1m")
        public void replaced(T value) {}
    }

    static class Derived extends Base<Integer> {

        @Override
        public void save(Integer value) {}

        @Override
        @CountLimit(limit = 2, per = "1m")
        public void replaced(Integer value) {}
    }

    @Test
    void on_an_interface_it_limits_calls_through_a_class_proxy() {
        run(StringSender.class, bean -> {
            assertThat(AopUtils.isCglibProxy(bean)).isTrue();
            onInterface(bean);
        });
    }

    @Test
    void on_an_interface_it_limits_calls_through_a_jdk_proxy() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(StringSender.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Sender<?> bean = context.getBean(Sender.class);
                    assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
                    onInterface(bean);
                });
    }

    @SuppressWarnings("unchecked")
    private void onInterface(Sender<?> bean) {
        Sender<String> sender = (Sender<String>) bean;
        sender.send("a");
        sender.send("b");
        rejected(() -> sender.send("a"));
        sender.ping();
        rejected(sender::ping);
        assertThat(factory.names())
                .containsExactlyInAnyOrder(
                        StringSender.class.getName() + ".send(java.lang.String)",
                        StringSender.class.getName() + ".ping()");
    }

    @Test
    @SuppressWarnings("unchecked")
    void a_bean_that_is_itself_a_proxy_is_limited() {
        Sender<String> proxy = (Sender<String>) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Sender.class}, (self, method, arguments) -> null);
        runner.withBean("sender", Sender.class, () -> proxy).run(context -> {
            assertThat(context).hasNotFailed();
            Sender<String> bean = context.getBean(Sender.class);
            bean.send("a");
            rejected(() -> bean.send("a"));
            assertThat(factory.names()).contains(Sender.class.getName() + ".send(java.lang.Object)");
        });
    }

    @Test
    void overriding_methods_are_limited_also_through_bridges() {
        run(Derived.class, bean -> {
            bean.save(1);
            rejected(() -> bean.save(1));
            Base<Integer> bridged = bean;
            bridged.replaced(1);
            bean.replaced(1);
            rejected(() -> bridged.replaced(1));
            rejected(() -> bean.replaced(1));
        });
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RateLimit(name = "metered", rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM)
    @interface Metered {

        @AliasFor(annotation = RateLimit.class)
        String key();

        @AliasFor(annotation = RateLimit.class, attribute = "message")
        String text() default "metered out";
    }

    static class Composed {

        @Metered(key = "#{who}")
        public void call(String who) {}
    }

    @Test
    void within_another_annotation_its_attributes_can_be_overridden() {
        run(Composed.class, bean -> {
            bean.call("a");
            bean.call("b");
            assertThatExceptionOfType(RateLimitExceededException.class)
                    .isThrownBy(() -> bean.call("a"))
                    .withMessage("metered out");
            assertThat(factory.names()).containsExactly("metered");
        });
    }

    static class Shares {

        @RateLimit(name = "shared", rate = 1.0 / 60, burst = 120)
        public void one() {}

        @RateLimit(name = "shared", rate = 1.0 / 60, burst = 120, cost = "2", timeout = 0.001)
        public void two() {}
    }

    @Test
    void methods_that_give_one_name_share_permits() {
        run(Shares.class, bean -> {
            bean.one();
            rejected(bean::two);
            bean.one();
            rejected(bean::one);
        });
    }

    static class Lambda {}

    @Test
    void a_bean_without_limits_has_no_proxy() {
        run(Lambda.class, bean -> assertThat(AopUtils.isAopProxy(bean)).isFalse());
    }

    private <B> void run(Class<B> type, Consumer<B> test) {
        runner.withBean(type).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context.getBean(type));
        });
    }

    private static void rejected(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }
}
