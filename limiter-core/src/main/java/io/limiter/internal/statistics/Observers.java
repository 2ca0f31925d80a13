package io.limiter.internal.statistics;

import io.limiter.LimiterListener;
import io.limiter.LimiterTotals;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Calls the observers of a factory in order, on the deciding threads. What one throws must lose neither a decision nor
 * permits, which are taken already; it is logged, once a minute at most.
 */
public final class Observers implements EngineObserver {

    private static final AsyncLog log = AsyncLog.of(Observers.class);

    private final List<EngineObserver> all;
    private final LogThrottle failing = new LogThrottle();

    private Observers(List<EngineObserver> all) {
        this.all = all;
    }

    /** Those among listeners; {@link EngineObserver#NONE} if there are none, so that calls have nothing to do for them. */
    public static EngineObserver of(List<? extends LimiterListener> listeners) {
        List<EngineObserver> all = listeners.stream()
                .filter(EngineObserver.class::isInstance)
                .map(EngineObserver.class::cast)
                .toList();
        return all.isEmpty() ? NONE : new Observers(all);
    }

    @Override
    public void limiterAdded(LimiterTotals totals) {
        each(all, observer -> observer.limiterAdded(totals));
    }

    @Override
    public void called(long nanos, boolean failed) {
        each(all, observer -> observer.called(nanos, failed));
    }

    @Override
    public void failed(String problem) {
        each(all, observer -> observer.failed(problem));
    }

    @Override
    public void sent(int keys, int requests) {
        each(all, observer -> observer.sent(keys, requests));
    }

    @Override
    public MayWait mayWait() {
        List<MayWait> mayWait = new ArrayList<>(all.size());
        each(all, observer -> mayWait.add(observer.mayWait()));
        mayWait.removeIf(each -> each == MayWait.NONE);
        return mayWait.isEmpty() ? MayWait.NONE : limiter -> begin(mayWait, limiter);
    }

    private Runnable begin(List<MayWait> mayWait, LimiterTotals limiter) {
        List<Runnable> ends = new ArrayList<>(mayWait.size());
        each(mayWait, each -> ends.add(each.begins(limiter)));
        return () -> each(ends, Runnable::run);
    }

    /** Throwables, because code in other languages throws checked exceptions without declaring them. */
    private <T> void each(List<T> observed, Consumer<T> event) {
        for (T each : observed) {
            try {
                event.accept(each);
            } catch (Throwable e) {
                log.warn(failing, "An observer has thrown, and does not get the event again. Observer: {}", each, e);
            }
        }
    }
}
