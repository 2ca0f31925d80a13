package io.limiter.internal.lease;

import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.CallerQueue;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The callers in this JVM that wait for permits of one key under one limit. One request at a time is sent, for the first of them, so
 * the number of calls does not depend on how many wait.
 *
 * <p>A request is sent when the first caller arrives, when a lease of this JVM is released, when the next lease of
 * any JVM expires, and in between after pauses that double, because releases in other JVMs are not notified. Until it is granted, it
 * keeps its place before the JVMs that came later, under one id. If a live limit exempts or bans the key while they wait, none is sent,
 * and the callers are decided one after the other. If it changes the limit of callers, they go on to the queue of their new limit.
 */
final class LeaseQueue extends CallerQueue<LeaseRequest<?>> {

    private static final long FIRST_PAUSE_MICROS = 16_000;
    /** A permit that is kept for this JVM is unused until it asks again. */
    private static final long LONGEST_PAUSE_MICROS = 250_000;

    private final Leases leases;
    private boolean requesting;
    private boolean requestNow = true;
    private long nextRequestNanos;
    private long pauseMicros = FIRST_PAUSE_MICROS;
    private @Nullable Outcome lastRejection;
    // The id of the next request, under which this has a ticket or not.
    private long id;
    private @Nullable LeaseRequest<?> ticket;

    LeaseQueue(Leases leases, Sleeper sleeper, Runnable whenEmpty) {
        super(sleeper, whenEmpty);
        this.leases = leases;
        this.id = leases.newId();
    }

    /**
     * Adds a request, without running the code of any caller.
     *
     * @return what follows, which may run the code of callers; {@code null} if this queue has ended
     */
    @Nullable
    Runnable add(LeaseRequest<?> request) {
        Outcome rejected = null;
        boolean first;
        synchronized (this) {
            if (isEnded()) {
                return null;
            }
            first = waiting.isEmpty();
            if (request.mustNotWait() && !first) {
                // It must not overtake waiting callers. While there is no rejection yet, it waits for the first one's
                // reply.
                rejected = lastRejection;
            }
            if (rejected == null) {
                requestNow |= first;
                enqueue(request);
            }
        }
        Outcome rejection = rejected;
        return rejection != null
                ? () -> request.reject(rejection)
                : () -> {
                    if (!first) {
                        request.waits();
                    }
                    added(request);
                };
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
        Runnable end;
        synchronized (this) {
            failAll(why);
            end = end();
        }
        end.run();
        signal();
    }

    private void failAll(Throwable why) {
        takeAll().forEach(request -> answer(() -> request.fail(why)));
    }

    @Override
    protected Runnable next() {
        if (requesting) {
            return NOTHING;
        }
        LeaseRequest<?> first = waiting.iterator().next();
        long now = ticker.read();
        Outcome rejected = lastRejection;
        if (requestNow || rejected == null || now - nextRequestNanos >= 0 || first.leftNanos(now) <= 0) {
            requesting = true;
            requestNow = false;
            return () -> sendRequest(first);
        }
        rejectOverdue(now, rejected);
        return timer(now, Math.min(nextRequestNanos - now, byDeadline.first().leftNanos(now)));
    }

    private void sendRequest(LeaseRequest<?> first) {
        Outcome known = first.exemptOrBanned();
        if (known != null) {
            synchronized (this) {
                requesting = false;
                requestNow = true;
                take(first);
            }
            answer(() -> first.end(known));
            signal();
            return;
        }
        if (first.hasNewLimit()) {
            passOn();
            return;
        }
        CountedLease lease = leases.newLease(first, id);
        Request hold = first.mustNotWait()
                ? Request.hold(lease.id, lease.permits)
                : Request.holdOrWait(lease.id, lease.permits);
        leases.send(lease, hold, false).whenComplete((decision, error) -> {
            if (error != null && lease.isClosed()) {
                grantedTooLate(error);
            } else if (error != null) {
                failed(error);
            } else if (decision.isGranted()) {
                granted(first, lease, decision);
            } else {
                rejected(first, decision);
            }
        });
    }

    /** Passes the callers whose limit has changed to the queue of their new limit, in order. */
    private void passOn() {
        List<LeaseRequest<?>> changed;
        synchronized (this) {
            changed = new ArrayList<>(waiting);
        }
        // Limits are read outside of the monitor. Meanwhile callers may leave.
        changed.removeIf(request -> !request.hasNewLimit());
        synchronized (this) {
            requesting = false;
            requestNow = true;
            changed.removeIf(request -> !take(request));
        }
        changed.forEach(request -> answer(leases.acquireUnderNewLimit(request)));
        signal();
    }

    @Override
    protected void failed(Throwable error) {
        synchronized (this) {
            requesting = false;
            requestNow = true;
            failAll(error);
        }
        // First, because its request may have been executed, and is released.
        renounce();
        signal();
    }

    /** Gives up the place among those that wait in the fleet, unless a request is under way, which may still be granted it. */
    void withdraw() {
        boolean isUnderWay;
        synchronized (this) {
            isUnderWay = requesting;
        }
        if (!isUnderWay) {
            renounce();
        }
    }

    private void renounce() {
        LeaseRequest<?> waiting;
        long ofTicket;
        synchronized (this) {
            waiting = ticket;
            ofTicket = id;
            ticket = null;
            id = leases.newId();
        }
        if (waiting != null) {
            leases.withdraw(waiting.key(), waiting.limit(), ofTicket);
        }
    }

    private void granted(LeaseRequest<?> first, CountedLease lease, Outcome decision) {
        synchronized (this) {
            requesting = false;
            ticket = null;
            id = leases.newId();
            take(first);
            pauseMicros = FIRST_PAUSE_MICROS;
            // Without remaining permits, the next request would be rejected.
            requestNow |= !waiting.isEmpty()
                    && decision.remaining() >= waiting.iterator().next().permits();
            pause(LONGEST_PAUSE_MICROS);
        }
        answer(() -> lease.end(first, decision));
        signal();
    }

    /**
     * The lease had expired before the reply arrived, and is released. This says nothing about the backend, so only the callers whose
     * timeout is over fail.
     */
    private void grantedTooLate(Throwable error) {
        synchronized (this) {
            requesting = false;
            requestNow = true;
            ticket = null;
            id = leases.newId();
            for (LeaseRequest<?> request : pollOverdue(ticker.read())) {
                waiting.remove(request);
                answer(() -> request.fail(error));
            }
        }
        signal();
    }

    private void rejected(LeaseRequest<?> first, Outcome decision) {
        boolean firstWaits;
        boolean ended;
        synchronized (this) {
            requesting = false;
            ticket = first.mustNotWait() ? ticket : first;
            lastRejection = decision;
            pause(decision.retryAfterMicros());
            rejectOverdue(ticker.read(), decision);
            firstWaits = waiting.contains(first);
            ended = isEnded();
        }
        if (ended) {
            renounce();
        }
        // First, because a signal runs the code of callers.
        if (firstWaits) {
            first.waits();
        }
        signal();
    }

    private void rejectOverdue(long nowNanos, Outcome rejection) {
        for (LeaseRequest<?> request : pollOverdue(nowNanos)) {
            waiting.remove(request);
            answer(() -> request.reject(rejection));
        }
    }

    /** Sets the time of the next request and doubles the pause after it. */
    private void pause(long mostMicros) {
        nextRequestNanos = ticker.read() + Math.min(mostMicros, pauseMicros) * 1000;
        pauseMicros = Math.min(2 * pauseMicros, LONGEST_PAUSE_MICROS);
    }
}
