package io.limiter.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.RateLimit;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
}
