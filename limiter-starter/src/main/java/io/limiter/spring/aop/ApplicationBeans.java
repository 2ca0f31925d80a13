package io.limiter.spring.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;

/** The beans of the application that limits need, looked up when they are there. */
final class ApplicationBeans {

    /** Spring Boot's, and Spring's own for asynchronous web requests. */
    private static final String EXECUTOR = "applicationTaskExecutor";

    private volatile @Nullable BeanFactory factory;
    private volatile @Nullable Executor executor;

    void setFactory(BeanFactory newFactory) {
        factory = newFactory;
    }

    /** @throws IllegalArgumentException if there is no such bean */
    LimitResolver resolver(String name) {
        BeanFactory beans = factory;
        if (beans == null) {
            throw new IllegalArgumentException("resolver '" + name + "' needs a bean factory, and the LimitAdvisor was"
                    + " made without one: make it a bean");
        }
        try {
            return beans.getBean(name, LimitResolver.class);
        } catch (BeansException e) {
            throw new IllegalArgumentException(
                    "resolver '" + name + "' must be the name of a " + LimitResolver.class.getName() + " bean: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Where calls go on that had to wait for a decision: the application's executor, or the common pool. */
    Executor executor() {
        Executor known = executor;
        if (known == null) {
            known = find();
            executor = known;
        }
        return known;
    }

    private Executor find() {
        BeanFactory beans = factory;
        return beans != null && beans.containsBean(EXECUTOR) && beans.isTypeMatch(EXECUTOR, Executor.class)
                ? beans.getBean(EXECUTOR, Executor.class)
                : new CompletableFuture<>().defaultExecutor();
    }
}
