package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.algorithm.Decision;
import io.limiter.internal.batch.Lane;
import io.limiter.internal.time.Sleeper;
import io.limiter.spi.AsyncFailures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait in this JVM for permits of one key, in the order in which they came. One call at a time asks for the
 * first of them, so the number of calls does not depend on how many wait.
 *
 * <p>It asks when the first one comes, when a lease of this JVM was released, when the next lease of anybody is over, and
 * in between after pauses that double, because of releases in other JVMs nobody tells. Whoever changes something signals,
 * and the first who signals does what there is to do, as in {@link Lane}.
 */
final class LeaseQueue {

    private static final long FIRST_PAUSE_MICROS = 16_000;
    private static final long LONGEST_PAUSE_MICROS = 1_000_000;

    private final HeldLeases leases;
    private final Sleeper sleeper;
    private final Ticker ticker;
    private final Runnable whenEmpty;
    private final AtomicInteger signals = new AtomicInteger();
    // All below are guarded by this object's monitor, in which nothing blocks and no code of others runs.
    private final Deque<LeaseRequest<?>> waiting = new ArrayDeque<>();
    private boolean ended;
    private boolean asking;
    private boolean wanted = true;
    private long nextAskNanos;
    private long pauseMicros = FIRST_PAUSE_MICROS;
    private @Nullable Long timerNanos;
    private @Nullable Decision refusal;

    /**
     * @param whenEmpty is run when nobody waits any more, and nobody can wait here from then on
     */
    LeaseQueue(HeldLeases leases, Sleeper sleeper, Runnable whenEmpty) {
        this.leases = leases;
        this.sleeper = sleeper;
        this.ticker = sleeper.ticker();
        this.whenEmpty = whenEmpty;
    }

    /**
     * @return whether this queue is still in use
     */
    boolean add(LeaseRequest<?> request) {
        Decision refused = null;
        boolean first;
        synchronized (this) {
            if (ended) {
                return false;
            }
            dropDone();
            first = waiting.isEmpty();
            if (request.isUrgent() && !first) {
                // It would have to pass those who wait. While the first of them is being asked for, it waits for that.
                refused = refusal;
            }
            if (refused == null) {
                wanted |= first;
                waiting.add(request);
            }
        }
        if (refused == null) {
            if (!first) {
                request.waits();
            }
            signal();
        } else {
            request.refuse(refused);
        }
        return true;
    }

    /** Permits have been given back. */
    void wake() {
        synchronized (this) {
            wanted = true;
            pauseMicros = FIRST_PAUSE_MICROS;
        }
        signal();
    }

    /** Fails all who wait. */
    void fail(Throwable why) {
        List<LeaseRequest<?>> failed;
        synchronized (this) {
            ended = true;
            failed = List.copyOf(waiting);
            waiting.clear();
        }
        whenEmpty.run();
        failed.forEach(request -> request.fail(why));
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
                // Such as no memory for a timer. Nobody else would wake those who wait.
                failed(e);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** What there is to do now; to be done outside of the monitor. */
    private synchronized Runnable next() {
        if (asking || ended) {
            return () -> {};
        }
        dropDone();
        LeaseRequest<?> first = waiting.peekFirst();
        if (first == null) {
            ended = true;
            return whenEmpty;
        }
        long now = ticker.read();
        if (wanted || refusal == null || now - nextAskNanos >= 0 || first.isOverdue(now)) {
            asking = true;
            wanted = false;
            return () -> ask(first);
        }
        Decision refused = refusal;
        List<LeaseRequest<?>> overdue = takeOverdue(now);
        Runnable timer = timer(now);
        return () -> {
            overdue.forEach(request -> request.refuse(refused));
            timer.run();
        };
    }

    private void ask(LeaseRequest<?> first) {
        leases.ask(first).whenComplete((outcome, error) -> {
            if (error != null) {
                failed(error);
            } else if (outcome.lease() != null) {
                granted(first, outcome.lease(), outcome.decision());
            } else {
                refused(outcome.decision());
            }
        });
    }

    private void failed(Throwable error) {
        List<LeaseRequest<?>> failed;
        synchronized (this) {
            asking = false;
            wanted = true;
            failed = List.copyOf(waiting);
            waiting.clear();
        }
        signal();
        failed.forEach(request -> request.fail(AsyncFailures.cause(error)));
    }

    private void granted(LeaseRequest<?> first, HeldLease lease, Decision decision) {
        synchronized (this) {
            asking = false;
            waiting.remove(first);
            dropDone();
            pauseMicros = FIRST_PAUSE_MICROS;
            LeaseRequest<?> next = waiting.peekFirst();
            // If nothing is left, there is no need to ask in order to know.
            wanted |= next != null && decision.remaining() >= next.permits();
            pause(LONGEST_PAUSE_MICROS);
        }
        // The next call first: the backend is at work on it while this caller is woken.
        signal();
        if (!first.grant(lease, decision)) {
            lease.closeAsync();
        }
    }

    private void refused(Decision decision) {
        List<LeaseRequest<?>> overdue;
        List<LeaseRequest<?>> wait;
        synchronized (this) {
            asking = false;
            refusal = decision;
            pause(decision.retryAfterMicros());
            overdue = takeOverdue(ticker.read());
            wait = List.copyOf(waiting);
        }
        signal();
        wait.forEach(LeaseRequest::waits);
        overdue.forEach(request -> request.refuse(decision));
    }

    /** Until the next call; the next pause is longer. */
    private void pause(long mostMicros) {
        nextAskNanos = ticker.read() + Math.min(mostMicros, pauseMicros) * 1000;
        pauseMicros = Math.min(2 * pauseMicros, LONGEST_PAUSE_MICROS);
    }

    private void dropDone() {
        while (!waiting.isEmpty() && waiting.getFirst().isDone()) {
            waiting.removeFirst();
        }
    }

    private List<LeaseRequest<?>> takeOverdue(long nowNanos) {
        List<LeaseRequest<?>> overdue = new ArrayList<>();
        for (Iterator<LeaseRequest<?>> all = waiting.iterator(); all.hasNext(); ) {
            LeaseRequest<?> request = all.next();
            if (request.isDone() || request.isOverdue(nowNanos)) {
                overdue.add(request);
                all.remove();
            }
        }
        return overdue;
    }

    /** What wakes this queue when there is something to do, unless something will. */
    private Runnable timer(long nowNanos) {
        long waitNanos = nextAskNanos - nowNanos;
        for (LeaseRequest<?> request : waiting) {
            waitNanos = Math.min(waitNanos, request.leftNanos(nowNanos));
        }
        if (timerNanos != null && timerNanos - nowNanos <= waitNanos) {
            return () -> {};
        }
        Long atNanos = nowNanos + waitNanos;
        timerNanos = atNanos;
        long micros = (waitNanos + 999) / 1000;
        return () -> setTimer(micros, atNanos);
    }

    private void setTimer(long micros, Long atNanos) {
        boolean set = false;
        try {
            sleeper.later(micros, () -> timeIsUp(atNanos));
            set = true;
        } finally {
            if (!set) {
                // Or those who come later would rely on it.
                forgetTimer(atNanos);
            }
        }
    }

    private void timeIsUp(Long atNanos) {
        forgetTimer(atNanos);
        signal();
    }

    private synchronized void forgetTimer(Long atNanos) {
        if (atNanos.equals(timerNanos)) {
            timerNanos = null;
        }
    }
}
