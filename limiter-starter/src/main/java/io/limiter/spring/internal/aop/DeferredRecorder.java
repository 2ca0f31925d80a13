package io.limiter.spring.internal.aop;

import io.limiter.Decision;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.LimitDecision;
import io.limiter.spring.internal.check.PermitRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Keeps the decisions of a call until it is known where they are recorded. Safe for use by many threads. */
final class DeferredRecorder implements DecisionRecorder {

    private final List<Consumer<DecisionRecorder>> kept = new ArrayList<>(1);
    private @Nullable DecisionRecorder target;

    /** Records there what was kept, and everything from now on. The first call counts. */
    synchronized void recordIn(DecisionRecorder newTarget) {
        if (target == null) {
            target = newTarget;
            kept.forEach(each -> each.accept(newTarget));
            kept.clear();
        }
    }

    private synchronized void add(Consumer<DecisionRecorder> record) {
        if (target == null) {
            kept.add(record);
        } else {
            record.accept(target);
        }
    }

    @Override
    public @Nullable Decision earlier(PermitRequest request) {
        return null;
    }

    @Override
    public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {
        add(recorder -> recorder.decided(rejection, parts));
    }

    @Override
    public void cancelled(List<LimitDecision> parts) {
        add(recorder -> recorder.cancelled(parts));
    }

    @Override
    public void whenDone(IntConsumer action) {
        add(recorder -> recorder.whenDone(action));
    }
}
