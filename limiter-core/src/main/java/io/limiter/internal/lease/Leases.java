package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.internal.time.InFlightCalls;
import io.limiter.internal.time.Sleeper;
import io.limiter.step.Request;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * All concurrency leases of a factory, and the callers that wait for one. Safe for use by multiple threads.
 *
 * <p>The id of a lease is chosen here, before the request is sent. So if the reply is lost, permits that may have
 * been granted can be released.
 */
public final class Leases implements AutoCloseable {

    static final long CLOSE_SECONDS = 1;

    static final int LARGE_BATCH = 1000;
    private static final int SMALL_BATCH = 8;

    private final Engine engine;
    private final Sleeper sleeper;
    private final ExpiryClock clock;
    private final LeaseLog log;
    private final LeaseRenewer renewer;
    // Ids must differ between JVMs started from one snapshot, so they come from the operating system.
    private final SecureRandom ids = new SecureRandom();
    // Each key and limit has a queue, because callers that wait under a lower limit must not hold up others.
    private final ConcurrentHashMap<String, ConcurrentHashMap<ConcurrencyLimit, LeaseQueue>> queues =
            new ConcurrentHashMap<>();
    // Requests, and releases of leases that were granted too late.
    private final InFlightCalls underWay = new InFlightCalls();
    private volatile boolean closed;

    /**
     * @param sleeper waits and sets timers; leases expire by its clock or the wall clock, whichever is first
     * @param sharesCalls whether requests share calls to the backend. Otherwise only a few leases are renewed at a time,
     *     because each takes a thread or a lock
     */
    public Leases(Engine engine, Sleeper sleeper, boolean sharesCalls) {
        this(engine, sleeper, new ExpiryClock(sleeper.ticker()), sharesCalls ? LARGE_BATCH : SMALL_BATCH);
    }

    Leases(Engine engine, Sleeper sleeper, ExpiryClock clock, int batchSize) {
        this.engine = engine;
        this.sleeper = sleeper;
        this.clock = clock;
        this.log = new LeaseLog(sleeper.ticker());
        this.renewer = new LeaseRenewer(engine, clock, log, batchSize, sleeper.runsByItself());
    }

    LeaseRenewer renewer() {
        return renewer;
    }

    public Ticker ticker() {
        return sleeper.ticker();
    }

    /** The number of keys with waiting callers. */
    int queues() {
        return queues.size();
    }

    private Map<ConcurrencyLimit, LeaseQueue> queuesOf(String key) {
        ConcurrentHashMap<ConcurrencyLimit, LeaseQueue> found = queues.get(key);
        return found == null ? Map.of() : found;
    }

    /**
     * Acquires a lease for the request, without blocking.
     *
     * @param awaited whether the caller's thread waits for it, so that no caller's code depends on it
     */
    public void acquire(LeaseRequest<?> request, boolean awaited) {
        if (mustQueue(request)) {
            queue(request).run();
        } else {
            hold(request, awaited);
        }
    }

    /**
     * Acquires a lease for a request that has waited under another limit. If it must wait again, it gets its place immediately, so that
     * requests stay in order.
     *
     * @return continues, and may run the code of callers
     */
    Runnable acquireUnderNewLimit(LeaseRequest<?> request) {
        request.takeNewLimit();
        return mustQueue(request) ? queue(request) : () -> hold(request, false);
    }

    private void hold(LeaseRequest<?> request, boolean awaited) {
        CountedLease lease = newLease(request, newId());
        send(lease, Request.hold(lease.id, lease.permits), awaited).whenComplete((decision, error) -> {
            if (error != null) {
                request.fail(error);
            } else {
                lease.end(request, decision);
            }
        });
    }

    /**
     * Requests that may wait must queue, and so must requests with no timeout if others are waiting, so that they do not overtake
     * them.
     */
    private boolean mustQueue(LeaseRequest<?> request) {
        return !request.exceedsLimit()
                && (!request.mustNotWait() || queuesOf(request.key()).containsKey(request.limit()));
    }

    /** Gives a request its place in its queue. Returns what follows, which may run the code of callers. */
    private Runnable queue(LeaseRequest<?> request) {
        LeaseQueue queue = queueOf(request.key(), request.limit());
        Runnable added = queue.add(request);
        while (added == null) {
            // It has ended. Whoever has ended it may not have a processor now, so nothing waits for that.
            remove(request.key(), request.limit(), queue);
            queue = queueOf(request.key(), request.limit());
            added = queue.add(request);
        }
        Runnable follows = added;
        return () -> {
            follows.run();
            if (closed) {
                failWaiting();
            }
        };
    }

    private LeaseQueue queueOf(String key, ConcurrencyLimit limit) {
        LeaseQueue[] found = new LeaseQueue[1];
        queues.compute(key, (same, known) -> {
            ConcurrentHashMap<ConcurrencyLimit, LeaseQueue> byLimit =
                    known == null ? new ConcurrentHashMap<>(2) : known;
            found[0] = byLimit.computeIfAbsent(limit, added -> {
                LeaseQueue[] created = new LeaseQueue[1];
                created[0] = new LeaseQueue(this, sleeper, () -> {
                    remove(key, limit, created[0]);
                    created[0].withdraw();
                });
                return created[0];
            });
            return byLimit;
        });
        return found[0];
    }

    private void remove(String key, ConcurrencyLimit limit, LeaseQueue queue) {
        queues.computeIfPresent(key, (same, byLimit) -> {
            byLimit.remove(limit, queue);
            return byLimit.isEmpty() ? null : byLimit;
        });
    }

    long newId() {
        return 1 + (ids.nextLong() >>> 11) % Request.MAX_ID;
    }

    /** A lease to be granted by {@link #send}. */
    CountedLease newLease(LeaseRequest<?> request, long id) {
        return new CountedLease(request, id, clock, this);
    }

    /** Gives up a place among those that wait in the fleet; otherwise it would end by itself a little later. */
    void withdraw(String key, ConcurrencyLimit limit, long id) {
        underWay.begin(() -> Ask.start(engine, key, limit, Request.release(id)).handle((released, error) -> null));
    }

    /**
     * Sends the request for a lease, and renews it from then on if it is granted. If it is granted too late, it is closed and this fails.
     *
     * @param hold requests it, under its id
     * @param awaited as for {@link #acquire}
     */
    CompletableFuture<Outcome> send(CountedLease lease, Request hold, boolean awaited) {
        return underWay.begin(() -> {
            // What was granted after the engine is closed could not be released.
            if (closed) {
                return CompletableFuture.failedFuture(BackendFailures.closed(lease.key));
            }
            return Ask.start(engine, lease.key, lease.limit, hold, awaited).handle((decision, error) -> {
                if (error != null) {
                    throw failed(lease, AsyncFailures.cause(error));
                }
                if (decision.isGranted()) {
                    keep(lease);
                }
                return decision;
            });
        });
    }

    private void keep(CountedLease lease) {
        boolean isKept = false;
        try {
            renewer.add(lease);
            isKept = !closed;
        } finally {
            // This also happens if no thread can be started for renewals. The lease would otherwise not be released.
            if (!isKept) {
                renewer.remove(lease);
                underWay.begin(() -> startRelease(lease, false));
            }
        }
        if (!isKept) {
            throw BackendFailures.closed(lease.key);
        }
        if (!lease.isHeld()) {
            lease.closeAsync();
            throw BackendFailures.notExecuted(
                    lease.key,
                    "the lease had expired before the reply arrived: the process was paused, or a leaseTime of "
                            + lease.limit.leaseTime() + " is too short");
        }
    }

    private LimiterBackendException failed(CountedLease lease, Throwable error) {
        LimiterBackendException failure = error instanceof LimiterBackendException known
                ? known
                : BackendFailures.ambiguous(lease.key, "the call failed: " + error, error);
        if (failure.isAmbiguous()) {
            underWay.begin(() -> startRelease(lease, false));
        }
        return failure;
    }

    /**
     * Failures are only logged: the lease expires by itself.
     *
     * @param awaited as for {@link #acquire}
     */
    CompletableFuture<Void> release(CountedLease lease, boolean awaited) {
        return !renewer.remove(lease) && closed
                ? CompletableFuture.completedFuture(null)
                // A copy: the caller may complete it, and the next caller must still be woken.
                : underWay.begin(() -> startRelease(lease, awaited)).copy();
    }

    private CompletableFuture<Void> startRelease(CountedLease lease, boolean awaited) {
        return Ask.start(engine, lease.key, lease.limit, Request.release(lease.id), awaited)
                .handle((released, error) -> {
                    if (error == null) {
                        wake(lease.key);
                    } else {
                        log.notReleased(1, lease, AsyncFailures.cause(error));
                    }
                    return null;
                });
    }

    private void wake(String key) {
        queuesOf(key).values().forEach(LeaseQueue::wake);
    }

    /** The number of leases held. */
    public int count() {
        return renewer.size();
    }

    /** The number of permits of a key held by leases of this JVM. */
    public long permits(String key) {
        return renewer.permits(key);
    }

    /** Deletes the state of a key; its leases are lost. */
    public CompletableFuture<Void> reset(String key) {
        renewer.reset(key);
        return engine.reset(key).thenRun(() -> wake(key));
    }

    /** Fails waiting and later requests, and releases all leases, waiting at most one second. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        failWaiting();
        renewer.close();
        // Afterwards the engine is closed, and a lease that is granted too late could not be released.
        underWay.await(deadlineNanos);
    }

    boolean isClosed() {
        return closed;
    }

    private void failWaiting() {
        queues.forEach((key, byLimit) -> byLimit.values().forEach(queue -> queue.fail(BackendFailures.closed(key))));
    }
}
