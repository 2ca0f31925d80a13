package io.limiter.spring.internal.aop;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CallerRequest;
import io.limiter.spring.internal.aop.result.CurrentEventLoop;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContextThreadLocalAccessor;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The context of the thread that makes a limited call, for the thread that goes on with it after a decision: the MDC, the locale, the
 * class loader, a snapshot of the servlet request, and what is registered with Micrometer's context propagation, such as the trace and
 * the security context.
 */
final class CallContext {

    private static final AsyncLog log = AsyncLog.of(CallContext.class);
    private static final LogThrottle FAILING = new LogThrottle();

    private static final ContextSnapshotFactory REGISTERED =
            ContextSnapshotFactory.builder().build();

    /** The MDC and the locale, which libraries do not register. */
    private static final ContextSnapshotFactory OTHERS = ContextSnapshotFactory.builder()
            .contextRegistry(new ContextRegistry()
                    .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())
                    .registerThreadLocalAccessor(new LocaleContextThreadLocalAccessor()))
            .build();

    private CallContext() {}

    /**
     * Runs actions in the context of the current thread. Where an accessor of it throws, they run without.
     *
     * @param request {@code null} if calls are made in no servlet requests
     */
    static UnaryOperator<Runnable> capture(@Nullable CallerRequest request) {
        try {
            UnaryOperator<Runnable> ofRequest = request == null ? UnaryOperator.identity() : request.capture();
            ContextSnapshot registered = REGISTERED.captureAll();
            ContextSnapshot others = OTHERS.captureAll();
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            return action -> {
                AtomicBoolean begun = new AtomicBoolean();
                // Inside, because an application may have registered Spring's accessor of the request, which copies
                // less.
                Runnable inContext = others.wrap(registered.wrap(ofRequest.apply(() -> {
                    begun.set(true);
                    action.run();
                })));
                return () -> run(inContext, begun, action, loader);
            };
        } catch (RuntimeException e) {
            failed(e);
            return UnaryOperator.identity();
        }
    }

    private static void run(Runnable inContext, AtomicBoolean begun, Runnable action, ClassLoader loader) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            inContext.run();
        } catch (RuntimeException e) {
            if (begun.get()) {
                throw e;
            }
            failed(e);
            action.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /**
     * The event loop of Reactor Netty whose thread this is, where methods without a limit are called, too, or else
     * {@link CallThreads}; with the context of the current thread.
     */
    static Scheduler scheduler(@Nullable CallerRequest request) {
        UnaryOperator<Runnable> context = capture(request);
        Scheduler scheduler = CurrentEventLoop.orElse(CallThreads::execute);
        return Schedulers.fromExecutor(task -> scheduler.schedule(context.apply(task)));
    }

    private static void failed(RuntimeException failure) {
        log.error(
                FAILING,
                "The context of a limited call was not passed on, because an accessor of it has thrown.",
                failure);
    }
}
