package io.limiter.test.spring;

import io.limiter.spring.internal.check.Resettable;
import io.limiter.test.TestLimiterFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Gives each test with {@link AutoConfigureLimiter} all permits, and ends the pauses of outgoing calls. */
final class LimiterResetListener implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (LimiterCustomizerFactory.applies(test.getTestClass())) {
            ApplicationContext context = test.getApplicationContext();
            context.getBean(TestLimiterFactory.class).reset();
            context.getBeanProvider(Resettable.class).forEach(Resettable::reset);
        }
    }
}
