package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.limiter.spring.internal.check.DecisionRecorder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class ApplicationBeansTest {

    private final AtomicInteger lookups = new AtomicInteger();
    private final CompletableFuture<Void> firstStarted = new CompletableFuture<>();
    private final CompletableFuture<Void> firstMayEnd = new CompletableFuture<>();
    private final StaticListableBeanFactory factory = new StaticListableBeanFactory() {
        @Override
        public <T> ObjectProvider<T> getBeanProvider(Class<T> type) {
            if (lookups.incrementAndGet() == 1) {
                firstStarted.complete(null);
                firstMayEnd.join();
            }
            return super.getBeanProvider(type);
        }
    };
    private final ApplicationBeans beans = new ApplicationBeans();

    ApplicationBeansTest() {
        beans.setFactory(factory);
    }

    /** As with spring.locking.strict=true, where a lookup waits for the thread that creates beans, and that calls a method. */
    @Test
    void a_lookup_that_waits_does_not_block_that_of_another_thread() throws Exception {
        DecisionRecorder recorder = mock(DecisionRecorder.class);
        factory.addBean("recorders", (DecisionRecorder.Finder) () -> recorder);
        CompletableFuture<DecisionRecorder> first = CompletableFuture.supplyAsync(beans::recorder);
        firstStarted.get(10, TimeUnit.SECONDS);
        try {
            assertThat(CompletableFuture.supplyAsync(beans::recorder).get(10, TimeUnit.SECONDS))
                    .isSameAs(recorder);
        } finally {
            firstMayEnd.complete(null);
        }
        assertThat(first.get(10, TimeUnit.SECONDS)).isSameAs(recorder);
    }

    /** Most applications have none, and a lookup takes longer than the rest of a check. */
    @Test
    void a_missing_bean_is_looked_up_once() {
        firstMayEnd.complete(null);
        assertThat(beans.recorder()).isNull();
        assertThat(beans.recorder()).isNull();
        assertThat(lookups).hasValue(1);
    }
}
