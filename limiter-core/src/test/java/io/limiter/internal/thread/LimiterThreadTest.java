package io.limiter.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("threads")
class LimiterThreadTest {

    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    @Test
    void a_thread_takes_nothing_over_from_the_caller_that_starts_it() throws Exception {
        AtomicReference<String> tenant = new AtomicReference<>("none seen");
        try (URLClassLoader ofCaller = new URLClassLoader(new URL[0])) {
            Thread caller = new Thread(() -> {
                TENANT.set("ann");
                Thread started = LimiterThread.of("limiter-test", () -> tenant.set(TENANT.get()));
                assertThat(started.getContextClassLoader()).isEqualTo(LimiterThread.class.getClassLoader());
                assertThat(started.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
                assertThat(started.isDaemon()).isTrue();
                assertThat(started.getName()).isEqualTo("limiter-test");
                started.start();
                join(started);
            });
            caller.setContextClassLoader(ofCaller);
            caller.setPriority(Thread.MAX_PRIORITY);
            caller.start();
            caller.join();
        }
        assertThat(tenant.get()).isNull();
    }

    @Test
    void a_factory_recognises_its_own_threads() throws Exception {
        LimiterThread.Factory one = LimiterThread.numbered("limiter-one-");
        LimiterThread.Factory other = LimiterThread.numbered("limiter-one-");
        CompletableFuture<Boolean> byOne = new CompletableFuture<>();
        CompletableFuture<Boolean> byOther = new CompletableFuture<>();
        one.newThread(() -> {
                    byOne.complete(one.hasMadeCurrentThread());
                    byOther.complete(other.hasMadeCurrentThread());
                })
                .start();
        assertThat(byOne.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(byOther.get(1, TimeUnit.MINUTES)).isFalse();
        assertThat(one.hasMadeCurrentThread()).isFalse();
        assertThat(one.newThread(() -> {}).getName()).isEqualTo("limiter-one-2");
    }

    private static void join(Thread started) {
        try {
            started.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
