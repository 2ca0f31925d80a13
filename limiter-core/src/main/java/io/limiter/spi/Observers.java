package io.limiter.spi;

import io.limiter.LimiterTotals;
import java.util.List;

/** Calls several observers in order. */
final class Observers implements EngineObserver {

    private final List<EngineObserver> all;

    Observers(List<? extends EngineObserver> all) {
        this.all = List.copyOf(all);
    }

    @Override
    public void limiterAdded(LimiterTotals totals) {
        all.forEach(each -> each.limiterAdded(totals));
    }

    @Override
    public void called(long nanos, boolean failed) {
        all.forEach(each -> each.called(nanos, failed));
    }

    @Override
    public void failed(String problem) {
        all.forEach(each -> each.failed(problem));
    }

    @Override
    public void sent(int keys, int requests) {
        all.forEach(each -> each.sent(keys, requests));
    }

    @Override
    public MayWait mayWait() {
        List<MayWait> mayWait = all.stream()
                .map(EngineObserver::mayWait)
                .filter(each -> each != MayWait.NONE)
                .toList();
        if (mayWait.size() < 2) {
            return mayWait.isEmpty() ? MayWait.NONE : mayWait.get(0);
        }
        return limiter -> {
            List<Runnable> ends =
                    mayWait.stream().map(each -> each.begins(limiter)).toList();
            return () -> ends.forEach(Runnable::run);
        };
    }
}
