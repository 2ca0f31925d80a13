package io.limiter.spring.event;

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
 * Whether a context, or one above it, has a listener for {@link LimitExceededEvent}. Asked with each refusal, so it looks at the
 * listeners only when their number has changed.
 */
final class RefusalHearers {

    private static final ResolvableType EVENT =
            ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, LimitExceededEvent.class);

    private final List<AbstractApplicationContext> contexts;
    private volatile Seen seen = new Seen(-1, true);

    private RefusalHearers(List<AbstractApplicationContext> contexts) {
        this.contexts = contexts;
    }

    /** @param any whether one of them hears of refusals */
    private record Seen(int listeners, boolean any) {}

    /** {@code null} if nobody can know who listens. */
    static @Nullable RefusalHearers of(ApplicationEventPublisher publisher) {
        List<AbstractApplicationContext> contexts = new ArrayList<>();
        Object next = publisher;
        while (next instanceof AbstractApplicationContext context) {
            contexts.add(context);
            next = context.getParent();
        }
        return contexts.isEmpty() || next != null ? null : new RefusalHearers(contexts);
    }

    /** Allocates nothing as long as no listener comes. */
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
            boolean any = contexts.stream().anyMatch(RefusalHearers::hears);
            seen = new Seen(listeners, any);
            return any;
        } catch (ConcurrentModificationException | IllegalStateException e) {
            // More are being added, or the context is not up yet or closed: the next refusal looks again.
            return true;
        }
    }

    private static boolean hears(AbstractApplicationContext context) {
        return List.copyOf(context.getApplicationListeners()).stream()
                        .anyMatch(each -> new GenericApplicationListenerAdapter(each).supportsEventType(EVENT))
                || hearsWhenMade(context);
    }

    /** Beans that are made when there is the first event for them. */
    private static boolean hearsWhenMade(AbstractApplicationContext context) {
        for (String name : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
            boolean isMade = context.getBeanFactory().containsSingleton(BeanFactoryUtils.transformedBeanName(name));
            Class<?> type = isMade ? null : context.getType(name, false);
            if (type != null) {
                ResolvableType heard = ResolvableType.forClass(type)
                        .as(ApplicationListener.class)
                        .getGeneric();
                if (heard.resolve() == null || heard.isAssignableFrom(EVENT)) {
                    return true;
                }
            }
        }
        return false;
    }
}
