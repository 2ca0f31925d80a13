package io.limiter.internal.time;

import com.google.common.base.Ticker;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Callers of this JVM that wait for the same, first come, first served.
 *
 * <p>As in {@link io.limiter.internal.batch.Lane}, every change signals, and the first thread to signal does the work. It answers
 * callers after that: their code may block until this queue goes on. To add, remove or time out a caller takes time logarithmic in the
 * number of those that wait.
 *
 * @param <C> a caller
 */
public abstract class CallerQueue<C extends WaitingCaller<?>> {

    protected static final Runnable NOTHING = () -> {};

    protected final Ticker ticker;
    private final Sleeper sleeper;
    private final Runnable whenEmpty;
    private final AtomicInteger signals = new AtomicInteger();
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    // All below, and what subclasses add, are guarded by this object's monitor, in which nothing blocks and no foreign
    // code runs.
    protected final Set<C> waiting = new LinkedHashSet<>();
    /** Those whose timeout ends in this queue. */
    protected final TreeSet<C> byDeadline = new TreeSet<>(WaitingCaller::compareDeadline);

    private long added;
    private boolean ended;
    private @Nullable Long timerNanos;
    private Runnable cancelTimer = NOTHING;

    /** @param whenEmpty run when the last caller has left; no further one is accepted then */
    protected CallerQueue(Sleeper sleeper, Runnable whenEmpty) {
        this.sleeper = sleeper;
        this.ticker = sleeper.ticker();
        this.whenEmpty = whenEmpty;
    }

    /** The next action, to be run outside the monitor; called with callers, and in the monitor. */
    protected abstract Runnable next();

    /** The next action has failed, for example with an OutOfMemoryError for a timer. Nothing else would wake the callers. */
    protected abstract void failed(Throwable error);

    /** Adds a caller, in the monitor; {@link #added} follows. */
    protected final void enqueue(C caller) {
        caller.place(added++);
        waiting.add(caller);
        byDeadline.add(caller);
    }

    /** Follows {@link #enqueue}, outside the monitor. */
    protected final void added(C caller) {
        caller.whenComplete((result, error) -> remove(caller));
        signal();
    }

    /** Whether the last caller has left. In the monitor. */
    protected final boolean isEnded() {
        return ended;
    }

    /** Callers that were cancelled are also removed immediately, so that none of them is kept or decided. */
    private void remove(C caller) {
        boolean removed;
        synchronized (this) {
            removed = take(caller);
        }
        if (removed) {
            signal();
        }
    }

    /** Takes a caller out, in the monitor. */
    protected boolean take(C caller) {
        boolean removed = waiting.remove(caller);
        if (removed) {
            // Only then: a caller that has gone on to another queue has its place there, which may be another caller's
            // place here.
            byDeadline.remove(caller);
        }
        return removed;
    }

    /** Takes out those whose timeout ends in this queue, in the monitor. */
    protected final List<C> takeAll() {
        List<C> all = List.copyOf(byDeadline);
        all.forEach(waiting::remove);
        byDeadline.clear();
        return all;
    }

    /** Those whose timeout is over, the earliest first; no longer by deadline. In the monitor. */
    protected final List<C> pollOverdue(long nowNanos) {
        List<C> overdue = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().leftNanos(nowNanos) <= 0) {
            overdue.add(Objects.requireNonNull(byDeadline.pollFirst()));
        }
        return overdue;
    }

    /** Has a caller answered. A {@link #signal} follows. */
    protected final void answer(Runnable answer) {
        answers.add(answer);
    }

    protected final void signal() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int seen = signals.get();
        do {
            try {
                nextOrEnd().run();
            } catch (RuntimeException | Error e) {
                failed(e);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
        answerCallers();
    }

    private void answerCallers() {
        Runnable cancel = NOTHING;
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            if (cancel == NOTHING && !answers.isEmpty()) {
                cancel = answerOthersMeanwhile();
            }
            answer.run();
        }
        cancel.run();
    }

    /** The code of a caller may fail, or wait for the answer of another. */
    private Runnable answerOthersMeanwhile() {
        try {
            return sleeper.later(1, this::answerCallers);
        } catch (RuntimeException | Error e) {
            // Without a timer, this thread answers all.
            return NOTHING;
        }
    }

    private synchronized Runnable nextOrEnd() {
        if (ended || !waiting.isEmpty()) {
            return ended ? NOTHING : next();
        }
        return end();
    }

    /** Accepts no further callers. In the monitor. */
    protected final Runnable end() {
        ended = true;
        Runnable cancel = cancelTimer;
        return () -> {
            // First, because a caller that finds this one would have to try again.
            whenEmpty.run();
            cancel.run();
        };
    }

    /**
     * Signals after a time, unless there is a timer that does earlier. In the monitor.
     *
     * @param waitNanos more than 0; {@link Long#MAX_VALUE} for never
     * @return sets it, outside the monitor
     */
    protected final Runnable timer(long nowNanos, long waitNanos) {
        if (waitNanos == Long.MAX_VALUE || timerNanos != null && timerNanos - nowNanos <= waitNanos) {
            return NOTHING;
        }
        Long atNanos = nowNanos + waitNanos;
        Runnable cancelEarlier = cancelTimer;
        timerNanos = atNanos;
        cancelTimer = NOTHING;
        long micros = 1 + (waitNanos - 1) / 1000;
        return () -> {
            cancelEarlier.run();
            setTimer(micros, atNanos);
        };
    }

    private void setTimer(long micros, Long atNanos) {
        boolean set = false;
        try {
            Runnable cancel = sleeper.later(micros, () -> timerFired(atNanos));
            set = true;
            synchronized (this) {
                if (atNanos.equals(timerNanos)) {
                    cancelTimer = cancel;
                }
            }
        } finally {
            if (!set) {
                // Otherwise later callers would rely on this timer.
                forgetTimer(atNanos);
            }
        }
    }

    private void timerFired(Long atNanos) {
        forgetTimer(atNanos);
        signal();
    }

    private synchronized void forgetTimer(Long atNanos) {
        if (atNanos.equals(timerNanos)) {
            timerNanos = null;
            cancelTimer = NOTHING;
        }
    }
}
