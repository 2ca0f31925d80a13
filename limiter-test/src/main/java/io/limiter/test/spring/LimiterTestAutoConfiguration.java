package io.limiter.test.spring;

import io.limiter.LimiterListener;
import io.limiter.spi.EngineObserver;
import io.limiter.spring.autoconfigure.LimiterAutoConfiguration;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The limiters of tests with {@link AutoConfigureLimiter}. */
@AutoConfiguration(before = LimiterAutoConfiguration.class)
class LimiterTestAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TestClock limiterTestClock() {
        return new TestClock();
    }

    @Bean
    @Primary
    TestLimiterFactory limiterTestFactory(
            TestClock clock, ObjectProvider<EngineObserver> observers, ObjectProvider<LimiterListener> listeners) {
        return new TestLimiterFactory(
                clock,
                observers.orderedStream().toList(),
                listeners.orderedStream().toList());
    }
}
