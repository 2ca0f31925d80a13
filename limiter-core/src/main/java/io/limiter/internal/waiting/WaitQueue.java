package io.limiter.internal.waiting;

import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.CallerQueue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of this JVM that wait to be decided again, for the same permits of the same keys.
 *
 * <p>When the retry-after of the last rejection is over, the first request is decided. If it is granted, the requests for which the
 * decision leaves permits follow immediately, and one more, whose rejection says when to continue. A rejection holds for all requests
 * that wait, because they want the same permits. Those whose timeout is over before its retry-after are rejected with it, and the
 * others wait until then. So there are only one or two decisions more than grants, however many requests wait. A request whose
 * timeout ends while others are decided is decided separately, because it must not wait for two decisions.
 *
 * <p>A new request must not overtake those that wait, so it stands behind them. If it cannot wait until the next turn, for example
 * because it has no timeout, that turn is now: it is granted if permits are left for it, and otherwise rejected with the others.
 *
 * @param the decision
 */
final class WaitQueue extends CallerQueue<WaitingRequest> {

    // Requests that are being decided have no deadline here.
    private int deciding;
    // When the next turn is.
    private long turnNanos;
    private boolean turnNow;
    // How many requests are decided at the next turn.
    private long next = 1;
    private boolean rejected;
    // The requests that cannot wait until the next turn, in order. They have no deadline here.
    private final Set<WaitingRequest> impatient = new LinkedHashSet<>();
    private @Nullable Outcome lastRejection;
    private boolean closed;
    private final Waits.Wait closing;

    /** @param whenEmpty run when the last request has left, or this was closed; no further one is accepted then */
    WaitQueue(Waits waits, Consumer<WaitQueue> whenEmpty) {
        this(waits, new AtomicReference<>(), whenEmpty);
    }

    private WaitQueue(Waits waits, AtomicReference<WaitQueue> self, Consumer<WaitQueue> whenEmpty) {
        super(waits.sleeper(), () -> {
            WaitQueue ended = Objects.requireNonNull(self.get());
            whenEmpty.accept(ended);
            ended.closing.end();
        });
        self.set(this);
        this.closing = waits.begin(this::close);
    }

    /** Fails all requests but those that are being decided, which are not decided again. */
    private void close() {
        List<WaitingRequest> ended;
        synchronized (this) {
            closed = true;
            ended = waiting.stream()
                    .filter(each -> byDeadline.contains(each) || impatient.contains(each))
                    .toList();
            ended.forEach(each -> {
                take(each);
                answer(each::closed);
            });
        }
        if (!ended.isEmpty()) {
            signal();
        }
    }

    /**
     * Adds a request that was rejected.
     *
     * @param retryMicros of the rejection
     * @return {@code false} if this queue has ended
     */
    boolean add(WaitingRequest request, Outcome rejection, long retryMicros) {
        synchronized (this) {
            if (isEnded()) {
                return false;
            }
            if (closed) {
                answer(request::closed);
            } else {
                enqueue(request, rejection, retryMicros);
            }
        }
        added(request);
        return true;
    }

    private void enqueue(WaitingRequest request, Outcome rejection, long retryMicros) {
        long dueNanos = ticker.read() + retryMicros * 1000;
        // This is also done while others are decided, because their rejection may set a turn that is too late for this
        // request.
        if (waiting.isEmpty() || dueNanos - turnNanos < 0) {
            turnNanos = dueNanos;
        }
        lastRejection = rejection;
        enqueue(request);
    }

    /**
     * Adds a request that was not decided yet, behind those that wait.
     *
     * @return {@code false} if none waits
     */
    boolean join(WaitingRequest request) {
        Outcome rejection;
        boolean waits;
        synchronized (this) {
            rejection = lastRejection;
            if (isEnded() || closed || waiting.isEmpty() || rejection == null) {
                return false;
            }
            long now = ticker.read();
            waits = turnNanos - now <= request.leftNanos(now) && request.mayWait();
            enqueue(request);
            if (!waits) {
                byDeadline.remove(request);
                impatient.add(request);
            }
        }
        if (waits) {
            request.waits(rejection);
        }
        added(request);
        return true;
    }

    @Override
    protected Runnable next() {
        long now = ticker.read();
        List<WaitingRequest> due = takeDue(now);
        return () -> {
            due.forEach(this::decide);
            nextTimer(now).run();
        };
    }

    private List<WaitingRequest> takeDue(long nowNanos) {
        List<WaitingRequest> due = new ArrayList<>();
        boolean turn = deciding == 0 && (turnNow || !impatient.isEmpty() || turnNanos - nowNanos <= 0);
        if (deciding == 0 && !turn) {
            return due;
        }
        if (turn) {
            rejected = false;
            turnNow = false;
            waiting.stream().limit(next).forEach(due::add);
            due.forEach(byDeadline::remove);
            due.forEach(impatient::remove);
        }
        due.addAll(pollOverdue(nowNanos));
        deciding += due.size();
        return due;
    }

    private void decide(WaitingRequest request) {
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

    private void decided(WaitingRequest request, Outcome decision) {
        synchronized (this) {
            deciding--;
            if (!decision.isGranted()) {
                rejected = true;
                turnNow = false;
                next = 1;
                if (waiting.contains(request)) {
                    impatient.add(request);
                }
                lastRejection = decision;
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
    private void reject(Outcome rejection) {
        for (WaitingRequest each : List.copyOf(impatient)) {
            impatient.remove(each);
            if (closed) {
                take(each);
                answer(each::closed);
            } else if (each.retryMicros(rejection) == WaitingRequest.FINAL) {
                take(each);
                answer(() -> each.answer(rejection));
            } else {
                byDeadline.add(each);
            }
        }
        while (!byDeadline.isEmpty()) {
            WaitingRequest first = byDeadline.first();
            long micros = first.retryMicros(rejection);
            if (micros != WaitingRequest.FINAL) {
                turnNanos = ticker.read() + micros * 1000;
                return;
            }
            take(first);
            answer(() -> first.answer(rejection));
        }
    }

    private void failed(WaitingRequest request, Throwable error) {
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
            List<WaitingRequest> all = new ArrayList<>(takeAll());
            all.addAll(impatient);
            waiting.removeAll(impatient);
            impatient.clear();
            all.forEach(each -> answer(() -> each.fail(error)));
        }
        signal();
    }

    @Override
    protected boolean take(WaitingRequest caller) {
        impatient.remove(caller);
        return super.take(caller);
    }

    /** For the next turn, or, while requests are decided, for the end of the next timeout. */
    private synchronized Runnable nextTimer(long nowNanos) {
        if (waiting.isEmpty() || deciding == 0 && (turnNow || !impatient.isEmpty())) {
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
