package io.limiter.spring.aop.result;

import io.netty.channel.EventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

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

    /** Loaded only with Netty. */
    private static final class Netty {

        static @Nullable Executor find() {
            return ThreadExecutorMap.currentExecutor() instanceof EventLoop loop ? loop : null;
        }
    }
}
