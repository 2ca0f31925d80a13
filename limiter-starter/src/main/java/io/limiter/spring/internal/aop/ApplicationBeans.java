package io.limiter.spring.internal.aop;

import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.internal.aop.result.CallThreads;
import io.limiter.spring.internal.aop.result.CallerRequest;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.metrics.CallCounts;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.context.ApplicationListener;
import org.springframework.context.MessageSource;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The beans that limits use, looked up when they are first needed, and the counts of calls. */
final class ApplicationBeans {

    private volatile CallCounts calls = new CallCounts();
    private volatile @Nullable BeanFactory factory;
    private volatile Executor threads = CallThreads::execute;

    /** Without a lock, as in {@link LazyLookup}. */
    private final Map<Class<?>, Optional<?>> found = new ConcurrentHashMap<>();

    private volatile @Nullable Environment environment;

    CallCounts calls() {
        return calls;
    }

    /** To be called before any limit is parsed. */
    void setCalls(CallCounts newCalls) {
        calls = newCalls;
    }

    void setFactory(BeanFactory newFactory) {
        factory = newFactory;
    }

    /** Calls a listener for the events of the application context, and those of its children. */
    void listen(ApplicationListener<?> listener) {
        BeanFactory known = factory;
        String events = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        if (known != null && known.containsBean(events)) {
            known.getBean(events, ApplicationEventMulticaster.class).addApplicationListener(listener);
        }
    }

    void setEnvironment(Environment newEnvironment) {
        environment = newEnvironment;
    }

    /**
     * A text with the values of its <code>${...}</code>; without an environment the text itself.
     *
     * @throws IllegalArgumentException if one has no value
     */
    String resolved(String text) {
        Environment values = environment;
        return values == null ? text : values.resolveRequiredPlaceholders(text);
    }

    /** Whether Spring creates the proxy of a bean of this class as a subclass of it. */
    boolean needsSubclass(Class<?> beanClass) {
        if (Proxy.isProxyClass(beanClass) || ClassUtils.isLambdaClass(beanClass)) {
            return false;
        }
        return proxiesClasses() || ProxyInterfaces.hasNone(beanClass);
    }

    /** The creator exists, because it calls this. Its bean definition differs between the versions of Spring. */
    private boolean proxiesClasses() {
        return factory instanceof SingletonBeanRegistry beans
                && beans.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig creator
                && creator.isProxyTargetClass();
    }

    /** Spring's own rule. */
    private static final class ProxyInterfaces extends ProxyProcessorSupport {

        private static final long serialVersionUID = 1L;

        static boolean hasNone(Class<?> beanClass) {
            ProxyFactory proxies = new ProxyFactory();
            new ProxyInterfaces().evaluateProxyInterfaces(beanClass, proxies);
            return proxies.isProxyTargetClass();
        }
    }

    /** The recorder of the call that the current thread is about to make; {@code null} if it has none. */
    @Nullable
    DecisionRecorder recorder() {
        DecisionRecorder.Finder finder = find(DecisionRecorder.Finder.class);
        return finder == null ? null : finder.current();
    }

    /** The current live settings of a limit's name, read with each call. */
    Supplier<LiveSettings> liveSettings(String name) {
        LiveLimits live = find(LiveLimits.class);
        return live == null ? () -> LiveSettings.NONE : live.settingsOf(name);
    }

    /** {@code null} if the application has none. */
    @Nullable
    MessageSource messages() {
        BeanFactory beans = factory;
        String name = AbstractApplicationContext.MESSAGE_SOURCE_BEAN_NAME;
        return beans != null && beans.containsBean(name) ? beans.getBean(name, MessageSource.class) : null;
    }

    /** The bean of a type, looked up once; {@code null} if the application has none. */
    <T> @Nullable T find(Class<T> type) {
        Optional<?> known = found.get(type);
        if (known == null) {
            BeanFactory beans = factory;
            known = Optional.ofNullable(
                    beans == null ? null : beans.getBeanProvider(type).getIfAvailable());
            found.put(type, known);
        }
        return type.cast(known.orElse(null));
    }

    /** Goes on with a call that had to wait for a decision. */
    void execute(Runnable action) {
        threads.execute(action);
    }

    /** For tests. */
    void setThreads(Executor newThreads) {
        threads = newThreads;
    }

    /** The context of the current thread, for the one that goes on with its call. */
    UnaryOperator<Runnable> callContext() {
        return CallContext.capture(find(CallerRequest.class));
    }
}
