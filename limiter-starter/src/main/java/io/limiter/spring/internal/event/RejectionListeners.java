package io.limiter.spring.internal.event;

import io.limiter.LimitExceededEvent;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Finds out whether a context or one of its parents has a listener for {@link LimitExceededEvent}. Each rejection calls it, so
 * it looks at the listeners only when their number has changed.
 */
final class RejectionListeners {

    private static final ResolvableType EVENT =
            ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, LimitExceededEvent.class);

    private final List<AbstractApplicationContext> contexts;
    private volatile Seen seen = new Seen(-1, true);

    private RejectionListeners(List<AbstractApplicationContext> contexts) {
        this.contexts = contexts;
    }

    /** @param any whether one of the listeners is for rejections */
    private record Seen(int listeners, boolean any) {}

    /** {@code null} if the listeners of the publisher are unknown. */
    static @Nullable RejectionListeners of(ApplicationEventPublisher publisher) {
        List<AbstractApplicationContext> contexts = new ArrayList<>();
        Object next = publisher;
        while (next instanceof AbstractApplicationContext context) {
            contexts.add(context);
            next = context.getParent();
        }
        return contexts.isEmpty() || next != null ? null : new RejectionListeners(contexts);
    }

    /** Allocates nothing unless a listener was added. */
    boolean any() {
        Seen last = seen;
        int listeners = listeners();
        return last.listeners == listeners ? last.any : look(listeners);
    }

    private int listeners() {
        int listeners = 0;
        for (int i = 0; i < contexts.size(); i++) {
            listeners += contexts.get(i).getApplicationListeners().size();
        }
        return listeners;
    }

    private boolean look(int listeners) {
        try {
            boolean any = contexts.stream().anyMatch(RejectionListeners::has);
            seen = new Seen(listeners, any);
            return any;
        } catch (ConcurrentModificationException | IllegalStateException e) {
            // Listeners are being added, or the context is starting or closed. The next rejection looks again.
            return true;
        }
    }

    private static boolean has(AbstractApplicationContext context) {
        return List.copyOf(context.getApplicationListeners()).stream()
                        .anyMatch(each -> new GenericApplicationListenerAdapter(each).supportsEventType(EVENT))
                || hasLazy(context);
    }

    /** Looks at listener beans that the first event will create. */
    private static boolean hasLazy(AbstractApplicationContext context) {
        for (String name : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
            boolean exists = context.getBeanFactory().containsSingleton(BeanFactoryUtils.transformedBeanName(name));
            Class<?> type = exists ? null : context.getType(name, false);
            if (type != null) {
                ResolvableType event = ResolvableType.forClass(type)
                        .as(ApplicationListener.class)
                        .getGeneric();
                if (event.resolve() == null || event.isAssignableFrom(EVENT)) {
                    return true;
                }
            }
        }
        return false;
    }
}
