package io.limiter.internal.waiting;

import io.limiter.internal.time.CallerQueue;
import io.limiter.internal.time.Sleeper;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests of this JVM that wait to be decided again, for the same permits of the same keys.
 *
 * <p>When the retry-after of the last rejection is over, the first request is decided. If it is granted, as many more follow
 * at once as the decision leaves permits for, and one more, whose rejection says when to go on. A rejection holds for all that
 * wait, because they want the same: those whose timeout is over before its retry-after are rejected with it, and the others wait
 * until then. So the number of decisions is that of the grants and one or two more, however many wait. A request whose
 * timeout ends while others are decided is decided beside them, because it must not wait for two decisions.
 *
 * @param <D> the decision
 */
final class WaitQueue<D> extends CallerQueue<WaitingRequest<D>> {

    // Those that are being decided have no deadline here.
    private int deciding;
    // When the next turn is.
    private long turnNanos;
    private boolean turnNow;
    // How many requests are decided at the next turn.
    private long next = 1;
    private boolean rejected;

    WaitQueue(Sleeper sleeper, Runnable whenEmpty) {
        super(sleeper, whenEmpty);
    }

    /**
     * @param retryMicros of the last rejection
     * @return {@code false} if this queue has ended
     */
    boolean add(WaitingRequest<D> request, long retryMicros) {
        synchronized (this) {
            if (isEnded()) {
                return false;
            }
            long dueNanos = ticker.read() + retryMicros * 1000;
            // Also while others are decided: their rejection may have a later turn than this one can wait for.
            if (waiting.isEmpty() || dueNanos - turnNanos < 0) {
                turnNanos = dueNanos;
            }
            enqueue(request);
        }
        added(request);
        return true;
    }

    @Override
    protected Runnable next() {
        long now = ticker.read();
        List<WaitingRequest<D>> due = takeDue(now);
        return () -> {
            due.forEach(this::decide);
            nextTimer(now).run();
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
        due.addAll(pollOverdue(nowNanos));
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
        synchronized (this) {
            deciding--;
            if (!request.isGranted(decision)) {
                rejected = true;
                turnNow = false;
                next = 1;
                if (waiting.contains(request)) {
                    byDeadline.add(request);
                }
                reject(decision);
            } else {
                waiting.remove(request);
                answer(() -> request.answer(decision));
                if (!rejected) {
                    turnNow = true;
                    next = 1 + Math.min(waiting.size(), request.moreAfter(decision));
                }
            }
        }
        signal();
    }

    /** Answers those for whom the rejection is final; the others wait until its retry-after. */
    private void reject(D rejection) {
        while (!byDeadline.isEmpty()) {
            WaitingRequest<D> first = byDeadline.first();
            long micros = first.retryMicros(rejection);
            if (micros != WaitingRequest.FINAL) {
                turnNanos = ticker.read() + micros * 1000;
                return;
            }
            take(first);
            answer(() -> first.answer(rejection));
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
            answer(() -> request.fail(error));
            // Each of the others would wait for the same failure.
            failed(error);
        }
    }

    /** Fails those that are not being decided. */
    @Override
    protected void failed(Throwable error) {
        synchronized (this) {
            takeAll().forEach(each -> answer(() -> each.fail(error)));
        }
        signal();
    }

    /** For the next turn, or, while requests are decided, for the end of the next timeout. */
    private synchronized Runnable nextTimer(long nowNanos) {
        if (waiting.isEmpty() || deciding == 0 && turnNow) {
            return NOTHING;
        }
        return timer(
                nowNanos,
                deciding == 0
                        ? turnNanos - nowNanos
                        : byDeadline.isEmpty()
                                ? Long.MAX_VALUE
                                : byDeadline.first().leftNanos(nowNanos));
    }
}
