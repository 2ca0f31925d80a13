package io.limiter.internal.limiter;

import com.google.common.base.Ticker;
import io.limiter.internal.time.Sleeper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The requests of this JVM that wait to be decided again, for the same permits of the same keys: first come, first served.
 *
 * <p>When the retry-after of the last rejection is over, the first request is decided. If it is granted, as many more follow
 * at once as the decision leaves permits for, and one more, whose rejection says when to go on. A rejection holds for all that
 * wait, because they want the same: those whose timeout is over before its retry-after are rejected with it, and the others wait
 * until then. So the number of decisions is that of the grants and one or two more, however many wait. A request whose
 * timeout ends while others are decided is decided beside them, because it must not wait for two decisions.
 *
 * <p>To add, remove or time out a request takes time logarithmic in the number of those that wait.
 *
 * <p>As in {@link io.limiter.internal.batch.Lane}, every change signals, and the first thread to signal does the work.
 *
 * @param <D> the decision
 */
final class WaitQueue<D> {

    private static final Runnable NOTHING = () -> {};

    private final Sleeper sleeper;
    private final Ticker ticker;
    private final Runnable whenEmpty;
    private final AtomicInteger signals = new AtomicInteger();
    // All below are guarded by this object's monitor, in which nothing blocks and no foreign code runs.
    private final Set<WaitingRequest<D>> waiting = new LinkedHashSet<>();
    // Those that are not being decided.
    private final TreeSet<WaitingRequest<D>> byDeadline = new TreeSet<>(WaitingRequest::compareDeadline);
    private long added;
    private boolean ended;
    private int deciding;
    // When the next turn is.
    private long turnNanos;
    private boolean turnNow;
    // How many requests are decided at the next turn.
    private long next = 1;
    private boolean rejected;
    private @Nullable Long timerNanos;
    private Runnable cancelTimer = NOTHING;

    /**
     * @param whenEmpty run when the last request has left; no further one is accepted then
     */
    WaitQueue(Sleeper sleeper, Runnable whenEmpty) {
        this.sleeper = sleeper;
        this.ticker = sleeper.ticker();
        this.whenEmpty = whenEmpty;
    }

    /**
     * @param retryMicros of the last rejection
     * @return {@code false} if this queue has ended
     */
    boolean add(WaitingRequest<D> request, long retryMicros) {
        synchronized (this) {
            if (ended) {
                return false;
            }
            long dueNanos = ticker.read() + retryMicros * 1000;
            if (waiting.isEmpty() || deciding == 0 && dueNanos - turnNanos < 0) {
                turnNanos = dueNanos;
            }
            request.number(added++);
            waiting.add(request);
            byDeadline.add(request);
        }
        request.whenComplete((decision, error) -> remove(request));
        signal();
        return true;
    }

    private void remove(WaitingRequest<D> request) {
        boolean removed;
        synchronized (this) {
            removed = waiting.remove(request);
            byDeadline.remove(request);
        }
        if (removed) {
            signal();
        }
    }

    private void signal() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int seen = signals.get();
        do {
            try {
                next().run();
            } catch (RuntimeException | Error e) {
                // For example OutOfMemoryError for a timer. Nothing else would wake the waiting callers.
                failAll(e);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** The next action, to be run outside the monitor. */
    private synchronized Runnable next() {
        if (ended) {
            return NOTHING;
        }
        if (waiting.isEmpty()) {
            ended = true;
            Runnable cancel = cancelTimer;
            return () -> {
                cancel.run();
                whenEmpty.run();
            };
        }
        long now = ticker.read();
        List<WaitingRequest<D>> due = takeDue(now);
        return () -> {
            due.forEach(this::decide);
            timer(now).run();
        };
    }

    private List<WaitingRequest<D>> takeDue(long nowNanos) {
        List<WaitingRequest<D>> due = new ArrayList<>();
        boolean turn = deciding == 0 && (turnNow || turnNanos - nowNanos <= 0);
        if (deciding == 0 && !turn) {
            return due;
        }
        if (turn) {
            rejected = false;
            turnNow = false;
            waiting.stream().limit(next).forEach(due::add);
            due.forEach(byDeadline::remove);
        }
        while (!byDeadline.isEmpty() && byDeadline.first().leftNanos(nowNanos) <= 0) {
            due.add(Objects.requireNonNull(byDeadline.pollFirst()));
        }
        deciding += due.size();
        return due;
    }

    private void decide(WaitingRequest<D> request) {
        try {
            request.decide().whenComplete((decision, error) -> {
                if (error == null) {
                    decided(request, decision);
                } else {
                    failed(request, error);
                }
            });
        } catch (RuntimeException | Error e) {
            failed(request, e);
        }
    }

    private void decided(WaitingRequest<D> request, D decision) {
        List<WaitingRequest<D>> answered = new ArrayList<>();
        synchronized (this) {
            deciding--;
            if (!request.isGranted(decision)) {
                rejected = true;
                turnNow = false;
                next = 1;
                if (waiting.contains(request)) {
                    byDeadline.add(request);
                }
                takeRejected(decision, answered);
            } else {
                waiting.remove(request);
                answered.add(request);
                if (!rejected) {
                    turnNow = true;
                    next = 1 + Math.min(waiting.size(), request.moreAfter(decision));
                }
            }
        }
        // The next call first, so that the backend works while these callers are woken.
        signal();
        answered.forEach(each -> each.answer(decision));
    }

    /** Takes those for whom the rejection is final; the others wait until its retry-after. */
    private void takeRejected(D rejection, List<WaitingRequest<D>> answered) {
        while (!byDeadline.isEmpty()) {
            WaitingRequest<D> first = byDeadline.first();
            long micros = first.retryMicros(rejection);
            if (micros != WaitingRequest.FINAL) {
                turnNanos = ticker.read() + micros * 1000;
                return;
            }
            byDeadline.remove(first);
            waiting.remove(first);
            answered.add(first);
        }
    }

    private void failed(WaitingRequest<D> request, Throwable error) {
        boolean isGivenUp = request.isDone();
        synchronized (this) {
            deciding--;
            waiting.remove(request);
            turnNow |= isGivenUp && !rejected;
        }
        if (isGivenUp) {
            signal();
        } else {
            // Each of the others would wait for the same failure.
            failAll(error);
            request.fail(error);
        }
    }

    /** Fails those that are not being decided. */
    private void failAll(Throwable error) {
        List<WaitingRequest<D>> failed;
        synchronized (this) {
            failed = List.copyOf(byDeadline);
            failed.forEach(waiting::remove);
            byDeadline.clear();
        }
        signal();
        failed.forEach(each -> each.fail(error));
    }

    /** Sets a timer for the next turn, or, while requests are decided, for the end of the next timeout; unless there is one. */
    private synchronized Runnable timer(long nowNanos) {
        long waitNanos = Long.MAX_VALUE;
        if (waiting.isEmpty() || deciding == 0 && turnNow) {
            return NOTHING;
        }
        if (deciding == 0) {
            waitNanos = turnNanos - nowNanos;
        } else if (!byDeadline.isEmpty()) {
            waitNanos = byDeadline.first().leftNanos(nowNanos);
        }
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
