package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.algorithm.Decision;
import io.limiter.internal.batch.Lane;
import io.limiter.internal.time.Sleeper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The callers in this JVM that wait for permits of one key under one limit, first come, first served. One request at a time is sent,
 * for the first of them, so the number of calls does not depend on how many wait.
 *
 * <p>A request is sent when the first caller arrives, when a lease of this JVM is released, when the next lease of
 * any JVM expires, and in between after pauses that double, because releases in other JVMs are not notified. As in
 * {@link Lane}, every change signals, and the first thread to signal does the work.
 *
 * <p>To add, remove or time out a caller takes time logarithmic in the number of those who wait.
 */
final class LeaseQueue {

    private static final long FIRST_PAUSE_MICROS = 16_000;
    private static final long LONGEST_PAUSE_MICROS = 1_000_000;

    private final Leases leases;
    private final Sleeper sleeper;
    private final Ticker ticker;
    private final Runnable whenEmpty;
    private final AtomicInteger signals = new AtomicInteger();
    // All below are guarded by this object's monitor, in which nothing blocks and no foreign code runs.
    private final Set<LeaseRequest<?>> waiting = new LinkedHashSet<>();
    private final TreeSet<LeaseRequest<?>> byDeadline = new TreeSet<>(LeaseRequest::compareDeadline);
    private long added;
    private boolean ended;
    private boolean requesting;
    private boolean requestNow = true;
    private long nextRequestNanos;
    private long pauseMicros = FIRST_PAUSE_MICROS;
    private @Nullable Long timerNanos;
    private @Nullable Decision lastRejection;

    /**
     * @param whenEmpty run when the last caller has left; no further request is accepted then
     */
    LeaseQueue(Leases leases, Sleeper sleeper, Runnable whenEmpty) {
        this.leases = leases;
        this.sleeper = sleeper;
        this.ticker = sleeper.ticker();
        this.whenEmpty = whenEmpty;
    }

    /**
     * @return {@code false} if this queue has ended
     */
    boolean add(LeaseRequest<?> request) {
        Decision rejected = null;
        boolean first;
        synchronized (this) {
            if (ended) {
                return false;
            }
            first = waiting.isEmpty();
            if (request.mustNotWait() && !first) {
                // It must not overtake waiting callers. While there is no rejection yet, it waits for the first one's
                // reply.
                rejected = lastRejection;
            }
            if (rejected == null) {
                requestNow |= first;
                request.number(added++);
                waiting.add(request);
                byDeadline.add(request);
            }
        }
        if (rejected == null) {
            if (!first) {
                request.waits();
            }
            request.whenComplete((result, error) -> remove(request));
            signal();
        } else {
            request.reject(rejected);
        }
        return true;
    }

    /** Called when permits were released. */
    void wake() {
        synchronized (this) {
            requestNow = true;
            pauseMicros = FIRST_PAUSE_MICROS;
        }
        signal();
    }

    /** Fails all waiting requests. */
    void fail(Throwable why) {
        List<LeaseRequest<?>> failed;
        synchronized (this) {
            ended = true;
            failed = takeAll();
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
                // For example OutOfMemoryError for a timer. Nothing else would wake the waiting callers.
                failed(e);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** The next action, to be run outside the monitor. */
    private synchronized Runnable next() {
        if (requesting || ended) {
            return () -> {};
        }
        LeaseRequest<?> first = first();
        if (first == null) {
            ended = true;
            return whenEmpty;
        }
        long now = ticker.read();
        if (requestNow || lastRejection == null || now - nextRequestNanos >= 0 || first.isOverdue(now)) {
            requesting = true;
            requestNow = false;
            return () -> sendRequest(first);
        }
        Decision rejected = lastRejection;
        List<LeaseRequest<?>> overdue = takeOverdue(now);
        Runnable timer = timer(now);
        return () -> {
            overdue.forEach(request -> request.reject(rejected));
            timer.run();
        };
    }

    private void sendRequest(LeaseRequest<?> first) {
        CountedLease lease = leases.newLease(first);
        leases.send(lease, false).whenComplete((decision, error) -> {
            if (error != null) {
                failed(error);
            } else if (decision.granted()) {
                granted(first, lease, decision);
            } else {
                rejected(first, decision);
            }
        });
    }

    private void failed(Throwable error) {
        List<LeaseRequest<?>> failed;
        synchronized (this) {
            requesting = false;
            requestNow = true;
            failed = takeAll();
        }
        signal();
        failed.forEach(request -> request.fail(error));
    }

    private void granted(LeaseRequest<?> first, CountedLease lease, Decision decision) {
        synchronized (this) {
            requesting = false;
            remove(first);
            pauseMicros = FIRST_PAUSE_MICROS;
            LeaseRequest<?> next = first();
            // Without remaining permits, the next request would be rejected.
            requestNow |= next != null && decision.remaining() >= next.permits();
            pause(LONGEST_PAUSE_MICROS);
        }
        // The next call first, so that the backend works while this caller is woken.
        signal();
        lease.end(first, decision);
    }

    private void rejected(LeaseRequest<?> first, Decision decision) {
        List<LeaseRequest<?>> overdue;
        boolean firstWaits;
        synchronized (this) {
            requesting = false;
            lastRejection = decision;
            pause(decision.retryAfterMicros());
            overdue = takeOverdue(ticker.read());
            firstWaits = waiting.contains(first);
        }
        signal();
        if (firstWaits) {
            first.waits();
        }
        overdue.forEach(request -> request.reject(decision));
    }

    /** Sets the time of the next request and doubles the pause after it. */
    private void pause(long mostMicros) {
        nextRequestNanos = ticker.read() + Math.min(mostMicros, pauseMicros) * 1000;
        pauseMicros = Math.min(2 * pauseMicros, LONGEST_PAUSE_MICROS);
    }

    private @Nullable LeaseRequest<?> first() {
        return waiting.isEmpty() ? null : waiting.iterator().next();
    }

    /** Also those that were cancelled, at once, so that none of them is kept or requested for. */
    private synchronized void remove(LeaseRequest<?> request) {
        if (waiting.remove(request)) {
            byDeadline.remove(request);
        }
    }

    private List<LeaseRequest<?>> takeAll() {
        List<LeaseRequest<?>> all = List.copyOf(waiting);
        waiting.clear();
        byDeadline.clear();
        return all;
    }

    private List<LeaseRequest<?>> takeOverdue(long nowNanos) {
        List<LeaseRequest<?>> overdue = new ArrayList<>();
        while (!byDeadline.isEmpty() && byDeadline.first().isOverdue(nowNanos)) {
            LeaseRequest<?> request = byDeadline.first();
            remove(request);
            overdue.add(request);
        }
        return overdue;
    }

    /** Sets a timer for the next action, unless there is an earlier one. */
    private Runnable timer(long nowNanos) {
        long waitNanos = nextRequestNanos - nowNanos;
        if (!byDeadline.isEmpty()) {
            waitNanos = Math.min(waitNanos, byDeadline.first().leftNanos(nowNanos));
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
            sleeper.later(micros, () -> timerFired(atNanos));
            set = true;
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
        }
    }
}
