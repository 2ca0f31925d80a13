package io.limiter.test.spring;

import io.limiter.test.TestLimiterFactory;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Gives each test with {@link AutoConfigureLimiter} all permits. */
final class LimiterResetListener implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        if (LimiterCustomizerFactory.applies(test.getTestClass())) {
            test.getApplicationContext().getBean(TestLimiterFactory.class).reset();
        }
    }
}
