package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.spring.Contexts;
import io.limiter.testing.TestRedis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Where the limits of a test are. */
enum Backend {
    LOCAL {
        @Override
        ApplicationContextRunner start() {
            return Contexts.local();
        }
    },
    REDIS {
        @Override
        ApplicationContextRunner start() {
            return Contexts.plain()
                    .withConfiguration(Contexts.redis())
                    .withPropertyValues(
                            "spring.data.redis.url=" + TestRedis.shared().uri(),
                            "limiter.on-failure=throw",
                            "limiter.failure.decision-timeout=2m");
        }
    };

    abstract ApplicationContextRunner start();

    /** Runs the test in an application that has the bean. */
    void run(Class<?> bean, ContextConsumer<AssertableApplicationContext> test, String... settings) {
        start().withPropertyValues(settings).withBean(bean).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    /** What a test does with its bean, whose limits it reads from the limiters. */
    interface Check<T> {
        void of(T bean, LimiterFactory limiters) throws Exception;
    }

    <T> void run(Class<T> bean, Check<T> check, String... settings) {
        run(bean, context -> check.of(context.getBean(bean), context.getBean(LimiterFactory.class)), settings);
    }
}
