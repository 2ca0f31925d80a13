package io.limiter.spring.aop;

import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.spring.aop.result.CurrentEventLoop;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.springframework.context.i18n.LocaleContextThreadLocalAccessor;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The context of the thread that makes a limited call, for the thread that goes on with it after a decision: the MDC, the locale
 * and what is registered with Micrometer's context propagation, such as the trace and the security context. Without that library
 * there is none.
 */
final class CallContext {

    private static final AsyncLog log = AsyncLog.of(CallContext.class);
    private static final LogThrottle FAILING = new LogThrottle();
    private static final boolean HAS_LIBRARY =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallContext.class.getClassLoader());

    private CallContext() {}

    /** Runs actions in the context of the current thread. Where an accessor of it throws, they run without. */
    static UnaryOperator<Runnable> capture() {
        if (!HAS_LIBRARY) {
            return UnaryOperator.identity();
        }
        try {
            return Snapshots.capture();
        } catch (RuntimeException e) {
            failed(e);
            return UnaryOperator.identity();
        }
    }

    /**
     * The event loop of Reactor Netty whose thread this is, where methods without a limit are called, too, or else threads that may
     * block; with the context of the current thread.
     */
    static Scheduler scheduler() {
        UnaryOperator<Runnable> context = capture();
        Scheduler scheduler = CurrentEventLoop.orElse(Schedulers.boundedElastic());
        return Schedulers.fromExecutor(task -> scheduler.schedule(context.apply(task)));
    }

    private static void failed(RuntimeException failure) {
        log.error(
                FAILING,
                "The context of a limited call was not passed on, because an accessor of it has thrown.",
                failure);
    }

    /** Loaded only with the library. */
    private static final class Snapshots {

        private static final ContextSnapshotFactory REGISTERED =
                ContextSnapshotFactory.builder().build();

        /** The MDC and the locale, which libraries do not register. */
        private static final ContextSnapshotFactory OTHERS = ContextSnapshotFactory.builder()
                .contextRegistry(new ContextRegistry()
                        .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor())
                        .registerThreadLocalAccessor(new LocaleContextThreadLocalAccessor()))
                .build();

        static UnaryOperator<Runnable> capture() {
            ContextSnapshot registered = REGISTERED.captureAll();
            ContextSnapshot others = OTHERS.captureAll();
            return action -> () -> {
                AtomicBoolean begun = new AtomicBoolean();
                Runnable inContext = others.wrap(registered.wrap(() -> {
                    begun.set(true);
                    action.run();
                }));
                try {
                    inContext.run();
                } catch (RuntimeException e) {
                    if (begun.get()) {
                        throw e;
                    }
                    failed(e);
                    action.run();
                }
            };
        }
    }
}
