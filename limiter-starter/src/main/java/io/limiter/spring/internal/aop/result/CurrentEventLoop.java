package io.limiter.spring.internal.aop.result;

import io.netty.channel.EventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Finds the event loop of Netty whose thread is the current one. */
public final class CurrentEventLoop {

    private static final boolean HAS_NETTY = Stream.of(
                    "io.netty.channel.EventLoop", "io.netty.util.internal.ThreadExecutorMap")
            .allMatch(name -> ClassUtils.isPresent(name, CurrentEventLoop.class.getClassLoader()));

    private CurrentEventLoop() {}

    /** {@code null} if there is none. */
    public static @Nullable Executor find() {
        return HAS_NETTY ? Netty.find() : null;
    }

    /**
     * The event loop of Reactor Netty whose thread is the current one: of WebFlux's server or a {@code WebClient}. Reactor knows that
     * such a thread must not block, which it does not of others, such as Lettuce's. Only used with Reactor on the class path.
     *
     * @param other used if there is none, and for tasks that an event loop rejects after its end
     */
    public static Scheduler orElse(Executor other) {
        Executor loop = Schedulers.isInNonBlockingThread() ? find() : null;
        return Schedulers.fromExecutor(
                loop == null
                        ? other
                        : task -> {
                            try {
                                loop.execute(task);
                            } catch (RejectedExecutionException e) {
                                other.execute(task);
                            }
                        });
    }

    /** Loaded only with Netty. */
    private static final class Netty {

        static @Nullable Executor find() {
            return ThreadExecutorMap.currentExecutor() instanceof EventLoop loop ? loop : null;
        }
    }
}
