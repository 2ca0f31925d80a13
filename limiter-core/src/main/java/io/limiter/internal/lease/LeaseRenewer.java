package io.limiter.internal.lease;

import com.google.common.collect.Lists;
import io.limiter.LimiterBackendException;
import io.limiter.internal.engine.Ask;
import io.limiter.internal.engine.Engine;
import io.limiter.internal.lease.LeaseLog.Loss;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.internal.thread.TimerThread;
import io.limiter.internal.time.BlockingCalls;
import io.limiter.internal.time.ExpiryClock;
import io.limiter.step.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of a factory, and detects lost ones.
 *
 * <p>Leases are checked twelve times per lease time. A lease is renewed when a quarter of its time has passed, in a batch
 * with others, so it is renewed before a third has passed, and there are eight more attempts if the backend is unavailable. One
 * thread checks and another one calls the backend, so that a hanging backend does not delay the detection of lost
 * leases. Without leases there are no threads.
 */
final class LeaseRenewer {

    private static final int CHECKS_PER_LEASE = 12;
    private static final long NEVER = Long.MAX_VALUE;

    private final Engine engine;
    private final ExpiryClock clock;
    private final LeaseLog log;
    private final int batchSize;
    private final boolean inBackground;
    private final TimerThread checks;
    private final BlockingCalls calls;
    private final Set<CountedLease> held = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile long intervalNanos = NEVER;
    // Guarded by this.
    private @Nullable Future<?> nextCheck;

    /**
     * @param batchSize how many requests are sent before the first reply is awaited
     * @param inBackground whether to check in the background
     */
    LeaseRenewer(Engine engine, ExpiryClock clock, LeaseLog log, int batchSize, boolean inBackground) {
        this(engine, clock, log, batchSize, inBackground, LimiterThread.named("limiter-leases"));
    }

    LeaseRenewer(
            Engine engine,
            ExpiryClock clock,
            LeaseLog log,
            int batchSize,
            boolean inBackground,
            ThreadFactory threads) {
        this.engine = engine;
        this.clock = clock;
        this.log = log;
        this.batchSize = batchSize;
        this.inBackground = inBackground;
        this.checks = new TimerThread(threads);
        checks.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.calls = new BlockingCalls(threads);
    }

    void add(CountedLease lease) {
        held.add(lease);
        // Read after the lease was added, while scheduleCheck() writes the interval before it reads the leases: so
        // none is missed.
        if (inBackground && intervalOf(lease) < intervalNanos) {
            scheduleCheck();
        }
    }

    /** @return whether it was held; if two threads remove it, only one of them releases it */
    boolean remove(CountedLease lease) {
        return held.remove(lease);
    }

    /** The number of leases held. */
    int size() {
        return held.size();
    }

    /** The number of permits of a key held. */
    long permits(String key) {
        long permits = 0;
        for (CountedLease lease : held) {
            permits += lease.key.equals(key) && lease.isHeld() ? lease.permits : 0;
        }
        return permits;
    }

    /** Marks expired leases as lost. */
    void findLost() {
        lose(held.stream().filter(CountedLease::isOver).toList(), Loss.EXPIRED);
    }

    /** Marks all leases of a key as lost. */
    void reset(String key) {
        lose(held.stream().filter(lease -> lease.key.equals(key)).toList(), Loss.RESET);
    }

    private void lose(List<CountedLease> leases, Loss loss) {
        leases.forEach(held::remove);
        List<CountedLease> lost = leases.stream().filter(CountedLease::markLost).toList();
        if (!lost.isEmpty()) {
            log.lost(lost.size(), lost.get(0).key, loss);
            lost.forEach(lease -> lease.runOnLost(log));
        }
    }

    /** Renews all leases that are due. Blocks until the backend has answered. */
    void renewDue() {
        List<CountedLease> due =
                held.stream().filter(lease -> lease.isDue() && !lease.isOver()).toList();
        List<LimiterBackendException> failures = new ArrayList<>();
        for (List<CountedLease> batch : Lists.partition(due, batchSize)) {
            List<CountedLease> deleted = new ArrayList<>();
            // Measured from before the requests are sent.
            List<CountedLease.Times> times = batch.stream()
                    .map(lease -> new CountedLease.Times(clock, lease.limit))
                    .toList();
            List<Ask> renewals = start(batch, Request::renew);
            for (int i = 0; i < batch.size(); i++) {
                try {
                    if (renewals.get(i).await().isGranted()) {
                        batch.get(i).renewed(times.get(i));
                    } else {
                        deleted.add(batch.get(i));
                    }
                } catch (LimiterBackendException e) {
                    failures.add(e);
                }
            }
            lose(deleted, Loss.DELETED);
        }
        if (!failures.isEmpty()) {
            log.notRenewed(failures);
        }
    }

    private List<Ask> start(List<CountedLease> batch, LongFunction<Request> request) {
        return batch.stream()
                .map(lease -> Ask.start(engine, lease.key, lease.limit, request.apply(lease.id)))
                .toList();
    }

    /** Marks all leases as lost and releases their permits, waiting at most one second. */
    void close() {
        List<CountedLease> all = held.stream().filter(held::remove).toList();
        // First, so that no lease counts as held after its release.
        lose(all, Loss.CLOSED);
        checks.shutdown();
        try {
            if (!all.isEmpty()) {
                calls.submit(() -> release(all)).get(Leases.CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException | OutOfMemoryError e) {
            log.notReleased(all.size(), all.get(0), e);
        } finally {
            calls.shutdown();
        }
    }

    private static long intervalOf(CountedLease lease) {
        return lease.limit.leaseTime().toNanos() / CHECKS_PER_LEASE;
    }

    private void check() {
        try {
            findLost();
            if (renewing.compareAndSet(false, true)) {
                startRenewal();
            }
        } finally {
            scheduleCheck();
        }
    }

    private void startRenewal() {
        boolean started = false;
        try {
            calls.execute(() -> {
                try {
                    renewDue();
                } catch (RuntimeException | Error e) {
                    log.renewalThrew(e);
                } finally {
                    renewing.set(false);
                }
            });
            started = true;
        } catch (RejectedExecutionException e) {
            // Closed in between: all leases are lost and released.
            return;
        } catch (OutOfMemoryError e) {
            // The next check tries again.
            log.renewalThrew(e);
        } finally {
            if (!started) {
                renewing.set(false);
            }
        }
    }

    private synchronized void scheduleCheck() {
        if (nextCheck != null) {
            nextCheck.cancel(false);
            nextCheck = null;
        }
        intervalNanos = NEVER;
        long shortest = NEVER;
        for (CountedLease lease : held) {
            shortest = Math.min(shortest, intervalOf(lease));
        }
        if (shortest < NEVER && !checks.isShutdown()) {
            try {
                nextCheck = checks.schedule(this::check, shortest, TimeUnit.NANOSECONDS);
                // Last: if scheduling fails, the next added lease tries again.
                intervalNanos = shortest;
            } catch (RejectedExecutionException e) {
                // Closed concurrently: the thread that added a lease will see that and release it.
                nextCheck = null;
            }
        }
    }

    /** Releases all of them, even if some fail. */
    private void release(List<CountedLease> leases) {
        List<LimiterBackendException> failures = new ArrayList<>();
        for (List<CountedLease> batch : Lists.partition(leases, batchSize)) {
            for (Ask release : start(batch, Request::release)) {
                try {
                    release.await();
                } catch (LimiterBackendException e) {
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            CountedLease lease = leases.get(0);
            log.notReleased(failures.size(), lease, failures.get(0).forKey(lease.key));
        }
    }
}
