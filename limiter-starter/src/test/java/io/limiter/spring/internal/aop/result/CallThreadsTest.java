package io.limiter.spring.internal.aop.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallThreadsTest {

    @Test
    void there_are_as_many_as_there_are_tasks_that_wait_for_each_other() throws Exception {
        int tasks = 300;
        CountDownLatch all = new CountDownLatch(tasks);
        List<CompletableFuture<Boolean>> done = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            done.add(inThread(() -> {
                all.countDown();
                return all.await(1, TimeUnit.MINUTES);
            }));
        }
        for (CompletableFuture<Boolean> each : done) {
            assertThat(each.get(2, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void they_end_with_the_jvm_and_keep_nothing_of_the_thread_that_hands_a_task_over() throws Exception {
        InheritableThreadLocal<String> inheritable = new InheritableThreadLocal<>();
        inheritable.set("of the caller");
        Thread thread = inThread(Thread::currentThread).get(1, TimeUnit.MINUTES);
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).startsWith("limiter-calls-");
        assertThat(inThread(() -> Objects.requireNonNullElse(inheritable.get(), "nothing"))
                        .get(1, TimeUnit.MINUTES))
                .isEqualTo("nothing");
        inheritable.remove();
    }

    /** Not where a virtual thread that blocks within a monitor keeps its carrier. */
    @Test
    void they_are_virtual_where_those_cannot_stop_each_other() throws Exception {
        Thread thread = inThread(Thread::currentThread).get(1, TimeUnit.MINUTES);
        boolean virtual = thread.getClass().getName().equals("java.lang.VirtualThread");
        assertThat(virtual).isEqualTo(Runtime.version().feature() >= 24);
    }

    private interface Task<T> {

        T run() throws Exception;
    }

    private static <T> CompletableFuture<T> inThread(Task<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CallThreads.execute(() -> {
            try {
                result.complete(task.run());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
