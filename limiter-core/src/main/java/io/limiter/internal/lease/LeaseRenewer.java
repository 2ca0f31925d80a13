package io.limiter.internal.lease;

import com.google.common.collect.Lists;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.spi.Engine;
import io.limiter.spi.PendingRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of a factory, and detects lost ones.
 *
 * <p>Leases are checked twelve times per lease time. Those of which a quarter has passed are renewed, in batches: so
 * each is renewed before a third has passed, and there are eight more attempts if the backend is unavailable. One
 * thread checks and another one calls the backend, so that a hanging backend does not delay the detection of lost
 * leases. Without leases there are no threads.
 */
final class LeaseRenewer {

    private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);

    private static final int CHECKS_PER_LEASE = 12;
    private static final int IDLE_SECONDS = 10;
    private static final long NEVER = Long.MAX_VALUE;

    private final int atOnce;
    private final Engine engine;
    private final ExpiryClock clock;
    private final boolean inBackground;
    private final ScheduledThreadPoolExecutor threads;
    private final Set<HeldLease> held = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile long intervalNanos = NEVER;
    // Guarded by this.
    private @Nullable Future<?> nextCheck;

    /**
     * @param inBackground whether to check in the background
     */
    /**
     * @param atOnce how many requests are sent before the first answer is awaited
     */
    LeaseRenewer(Engine engine, ExpiryClock clock, int atOnce, boolean inBackground) {
        this.atOnce = atOnce;
        this.inBackground = inBackground;
        this.engine = engine;
        this.clock = clock;
        this.threads = new ScheduledThreadPoolExecutor(2, task -> {
            Thread thread = new Thread(task, "limiter-leases");
            thread.setDaemon(true);
            return thread;
        });
        threads.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    void add(HeldLease lease) {
        held.add(lease);
        // Read after the lease was added, while scheduleCheck() writes the interval before it reads the leases: so
        // none is missed.
        if (inBackground && intervalOf(lease) < intervalNanos) {
            scheduleCheck();
        }
    }

    /** Returns whether it was held: of two that remove it, one has to release it. */
    boolean remove(HeldLease lease) {
        return held.remove(lease);
    }

    /** The number of leases held. */
    int size() {
        return held.size();
    }

    /** The number of permits of a key held. */
    int permits(String key) {
        int permits = 0;
        for (HeldLease lease : held) {
            permits += lease.key().equals(key) && lease.isHeld() ? lease.permits() : 0;
        }
        return permits;
    }

    /** Marks expired leases as lost. */
    void findLost() {
        for (HeldLease lease : held) {
            if (lease.isOver()) {
                held.remove(lease);
                lease.lose("it could not be renewed in time");
            }
        }
    }

    /** Marks all leases of a key as lost. */
    void lose(String key, String why) {
        for (HeldLease lease : held) {
            if (lease.key().equals(key)) {
                held.remove(lease);
                lease.lose(why);
            }
        }
    }

    /** Renews all leases that are due. Blocks until the backend has answered. */
    void renewDue() {
        List<HeldLease> due = new ArrayList<>();
        for (HeldLease lease : held) {
            if (lease.isDue() && !lease.isOver()) {
                due.add(lease);
            }
        }
        renew(due);
    }

    /** Marks all leases as lost and releases their permits, waiting at most one second. */
    void close() {
        List<HeldLease> all = held.stream().filter(held::remove).toList();
        // First, so that no lease counts as held after its release.
        all.forEach(lease -> lease.lose("the limiters were closed"));
        if (all.isEmpty()) {
            threads.shutdown();
            return;
        }
        try {
            Future<?> released = threads.submit(() -> release(all));
            released.get(HeldLeases.CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            log.warn(
                    "{} leases could not be released while closing. Their permits stay taken until they expire.",
                    all.size(),
                    e);
        } finally {
            threads.shutdown();
        }
    }

    private static long intervalOf(HeldLease lease) {
        return lease.limit().leaseTime().toNanos() / CHECKS_PER_LEASE;
    }

    private void check() {
        try {
            findLost();
            if (renewing.compareAndSet(false, true)) {
                threads.execute(() -> {
                    try {
                        renewDue();
                    } catch (RuntimeException | Error e) {
                        log.error("Renewing leases has failed; retrying until they expire.", e);
                    } finally {
                        renewing.set(false);
                    }
                });
            }
        } finally {
            scheduleCheck();
        }
    }

    private synchronized void scheduleCheck() {
        if (nextCheck != null) {
            nextCheck.cancel(false);
            nextCheck = null;
        }
        intervalNanos = NEVER;
        long shortest = NEVER;
        for (HeldLease lease : held) {
            shortest = Math.min(shortest, intervalOf(lease));
        }
        if (shortest < NEVER && !threads.isShutdown()) {
            try {
                nextCheck = threads.schedule(this::check, shortest, TimeUnit.NANOSECONDS);
                // Last: if scheduling fails, the next added lease tries again.
                intervalNanos = shortest;
            } catch (RejectedExecutionException e) {
                // Closed concurrently: the thread that added a lease will see that and release it.
                nextCheck = null;
            }
        }
    }

    private void renew(List<HeldLease> due) {
        List<LimiterBackendException> failures = new ArrayList<>();
        for (List<HeldLease> some : Lists.partition(due, atOnce)) {
            List<HeldLease.Times> times = new ArrayList<>(some.size());
            List<PendingRequest> renewals = new ArrayList<>(some.size());
            for (HeldLease lease : some) {
                times.add(new HeldLease.Times(clock, lease.limit()));
                renewals.add(PendingRequest.start(engine, lease.key(), lease.limit(), Request.renew(lease.id())));
            }
            for (int i = 0; i < some.size(); i++) {
                try {
                    renewed(some.get(i), renewals.get(i).await(), times.get(i));
                } catch (LimiterBackendException e) {
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            log.warn(
                    "{} leases could not be renewed; retrying until they expire. If Redis stays unavailable, they are lost.",
                    failures.size(),
                    failures.get(0));
        }
    }

    private void renewed(HeldLease lease, Decision decision, HeldLease.Times times) {
        if (decision.granted()) {
            lease.renewed(times);
        } else {
            held.remove(lease);
            lease.lose("Redis no longer has it: it expired, or its key was deleted");
        }
    }

    /** All of them, before the first failure is thrown. */
    private void release(List<HeldLease> leases) {
        List<LimiterBackendException> failures = new ArrayList<>();
        for (List<HeldLease> some : Lists.partition(leases, atOnce)) {
            List<PendingRequest> releases = new ArrayList<>(some.size());
            for (HeldLease lease : some) {
                releases.add(PendingRequest.start(engine, lease.key(), lease.limit(), Request.release(lease.id())));
            }
            for (PendingRequest release : releases) {
                try {
                    release.await();
                } catch (LimiterBackendException e) {
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }
}
