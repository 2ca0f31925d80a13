package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.RateLimit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

class TransactionOrderTest {

    static class Orders {

        @Transactional
        @RateLimit(rate = 1.0 / 60, burst = 60)
        public void place() {}
    }

    static class CountingTransactions extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        final AtomicInteger begun = new AtomicInteger();

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            begun.incrementAndGet();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {

        @Bean
        CountingTransactions transactions() {
            return new CountingTransactions();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    private final ApplicationContextRunner runner = Contexts.local().withUserConfiguration(Application.class);

    @Test
    void a_rejected_call_opens_no_transaction() {
        runner.run(context -> {
            assertThat(placeTwice(context.getBean(Orders.class), context.getBean(CountingTransactions.class)))
                    .isEqualTo(1);
        });
    }

    @Test
    void a_property_sets_the_order() {
        runner.withPropertyValues("limiter.order=2147483647").run(context -> {
            assertThat(context.getBean(AnnotationLimitAdvisor.class).getOrder()).isEqualTo(Integer.MAX_VALUE);
        });
        // Transactions before the limit: a rejected call opens one.
        runner.withPropertyValues("limiter.order=2147483647")
                .withBean(
                        "early",
                        org.springframework.beans.factory.config.BeanFactoryPostProcessor.class,
                        () -> factory -> factory.getBeanDefinition(
                                        "org.springframework.transaction.config.internalTransactionAdvisor")
                                .getPropertyValues()
                                .add("order", 0))
                .run(context -> assertThat(
                                placeTwice(context.getBean(Orders.class), context.getBean(CountingTransactions.class)))
                        .isEqualTo(2));
    }

    private static int placeTwice(Orders orders, CountingTransactions transactions) {
        orders.place();
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(orders::place);
        return transactions.begun.get();
    }
}
