package io.limiter.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.NonBlocking;
import reactor.core.scheduler.Scheduler;

class EventLoopsTest {

    static class Service {

        @RateLimit(rate = 1)
        public String call() {
            return "done";
        }
    }

    @Test
    void a_method_that_waits_is_not_called_on_a_thread_of_netty() {
        DefaultEventLoop loop = new DefaultEventLoop();
        Contexts.local().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(loop.submit(service::call).await().cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Service.call()")
                    .hasMessageContaining("a thread that serves all requests");
            assertThat(service.call()).isEqualTo("done");
        });
        loop.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
    }

    @Test
    void a_method_may_wait_on_a_thread_of_netty_that_serves_no_connections() {
        DefaultEventExecutor worker = new DefaultEventExecutor();
        Contexts.local().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(worker.submit(service::call).await().getNow()).isEqualTo("done");
        });
        worker.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
    }

    @Test
    void a_publisher_continues_on_the_event_loop_of_reactor_netty_as_long_as_that_runs() {
        DefaultEventLoop loop = new DefaultEventLoop(new NonBlockingThreads());
        List<String> continuedBy = new ArrayList<>();
        Executor scheduler = schedulerOn(loop, continuedBy)::schedule;
        CompletableFuture.runAsync(() -> {}, scheduler).join();
        loop.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
        CompletableFuture.runAsync(() -> {}, scheduler).join();
        assertThat(continuedBy).as("only after the event loop has ended").containsExactly("other");
    }

    @Test
    void a_publisher_does_not_continue_on_the_event_loop_of_a_redis_client() {
        DefaultEventLoop loop = new DefaultEventLoop();
        List<String> continuedBy = new ArrayList<>();
        CompletableFuture.runAsync(() -> {}, schedulerOn(loop, continuedBy)::schedule)
                .join();
        loop.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
        assertThat(continuedBy).containsExactly("other");
    }

    /** The scheduler that a thread of this event loop finds. */
    private static Scheduler schedulerOn(DefaultEventLoop loop, List<String> continuedBy) {
        Executor other = task -> {
            continuedBy.add("other");
            task.run();
        };
        return loop.submit(() -> CurrentEventLoop.orElse(other))
                .syncUninterruptibly()
                .getNow();
    }

    /** As those of Reactor Netty, unlike Lettuce's. */
    private static final class NonBlockingThreads implements ThreadFactory {

        @Override
        public Thread newThread(Runnable task) {
            return new NonBlockingThread(task);
        }
    }

    private static final class NonBlockingThread extends FastThreadLocalThread implements NonBlocking {

        NonBlockingThread(Runnable task) {
            super(task);
        }
    }
}
