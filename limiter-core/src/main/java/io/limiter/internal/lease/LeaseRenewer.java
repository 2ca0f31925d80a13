package io.limiter.internal.lease;

import io.limiter.LimiterBackendException;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.time.LeaseClock;
import io.limiter.spi.Answer;
import io.limiter.spi.Engine;
import io.limiter.spi.KeyRequests;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews all leases of a factory while they are held, and notices those that are lost.
 *
 * <p>It looks at them twelve times in a lease, and renews those of which a quarter has passed, a hundred in a call: so each is
 * renewed before a third of it has, and has eight more tries if the backend does not answer. One thread looks and another
 * makes the call, because a backend that hangs must not keep anybody from learning that a lease is lost. There are none
 * while nothing is held.
 */
final class LeaseRenewer {

    private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);

    private static final int LOOKS_PER_LEASE = 12;
    private static final int MAX_PER_CALL = 100;
    private static final int IDLE_SECONDS = 10;
    private static final long NEVER = Long.MAX_VALUE;

    private final Engine engine;
    private final LeaseClock clock;
    private final boolean byItself;
    private final ScheduledThreadPoolExecutor threads;
    private final Set<HeldLease> held = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile long intervalNanos = NEVER;
    // Guarded by this.
    private @Nullable Future<?> nextLook;

    /**
     * @param byItself whether to look in the background
     */
    LeaseRenewer(Engine engine, LeaseClock clock, boolean byItself) {
        this.byItself = byItself;
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
        // Read after the lease is there to be seen: whoever stops looking does it the other way round.
        if (byItself && intervalOf(lease) < intervalNanos) {
            lookAgain();
        }
    }

    void remove(HeldLease lease) {
        held.remove(lease);
    }

    /** How many are held. */
    int size() {
        return held.size();
    }

    /** How many permits of a key. */
    int permits(String key) {
        int permits = 0;
        for (HeldLease lease : held) {
            permits += lease.key().equals(key) && lease.isHeld() ? lease.permits() : 0;
        }
        return permits;
    }

    /** Finds those that are over. */
    void findLost() {
        for (HeldLease lease : held) {
            if (lease.isOver()) {
                held.remove(lease);
                lease.lose("it could not be renewed in time");
            }
        }
    }

    /** Ends the leases of a key. */
    void lose(String key, String why) {
        for (HeldLease lease : held) {
            if (lease.key().equals(key)) {
                held.remove(lease);
                lease.lose(why);
            }
        }
    }

    /** Renews what is due, and waits for it. */
    void renewDue() {
        List<HeldLease> due = new ArrayList<>();
        for (HeldLease lease : held) {
            if (lease.isDue() && !lease.isOver()) {
                due.add(lease);
            }
        }
        for (int first = 0; first < due.size(); first += MAX_PER_CALL) {
            renew(due.subList(first, Math.min(due.size(), first + MAX_PER_CALL)));
        }
    }

    /** Ends all that are held, gives their permits back in few calls, and holds no more. */
    void close() {
        List<HeldLease> all = List.copyOf(held);
        all.forEach(held::remove);
        // First, so that nobody believes to hold what is given back.
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
            log.warn("{} leases could not be released; they will be over by themselves.", all.size(), e);
        } finally {
            threads.shutdown();
        }
    }

    private static long intervalOf(HeldLease lease) {
        return lease.limit().leaseTime().toNanos() / LOOKS_PER_LEASE;
    }

    private void look() {
        try {
            findLost();
            if (renewing.compareAndSet(false, true)) {
                threads.execute(() -> {
                    try {
                        renewDue();
                    } catch (RuntimeException | Error e) {
                        log.error("Prefetch could not be renewed; trying again.", e);
                    } finally {
                        renewing.set(false);
                    }
                });
            }
        } finally {
            lookAgain();
        }
    }

    private synchronized void lookAgain() {
        if (nextLook != null) {
            nextLook.cancel(false);
            nextLook = null;
        }
        intervalNanos = NEVER;
        long shortest = NEVER;
        for (HeldLease lease : held) {
            shortest = Math.min(shortest, intervalOf(lease));
        }
        if (shortest < NEVER && !threads.isShutdown()) {
            try {
                nextLook = threads.schedule(this::look, shortest, TimeUnit.NANOSECONDS);
                // Last, so that if it fails, the next who adds a lease tries again.
                intervalNanos = shortest;
            } catch (RejectedExecutionException e) {
                // Closed just now: whoever added a lease will see that and release it.
                nextLook = null;
            }
        }
    }

    private void renew(List<HeldLease> due) {
        Map<HeldLease, HeldLease.Times> times = new LinkedHashMap<>();
        due.forEach(lease -> times.put(lease, new HeldLease.Times(clock, lease.limit())));
        List<LimiterBackendException> failures = new ArrayList<>();
        for (List<OfKey> call : calls(due)) {
            List<Answer> answers = engine.decide(asked(call, Request::renew));
            for (int i = 0; i < call.size(); i++) {
                try {
                    renewed(call.get(i).leases, answers.get(i).decisions(), times);
                } catch (LimiterBackendException e) {
                    failures.add(e);
                }
            }
        }
        if (!failures.isEmpty()) {
            log.warn(
                    "Prefetch of {} keys could not be renewed; trying again until they are over.",
                    failures.size(),
                    failures.get(0));
        }
    }

    private void renewed(List<HeldLease> leases, List<Decision> decisions, Map<HeldLease, HeldLease.Times> times) {
        for (int i = 0; i < leases.size(); i++) {
            HeldLease lease = leases.get(i);
            HeldLease.Times newTimes = times.get(lease);
            if (decisions.get(i).granted() && newTimes != null) {
                lease.renewed(newTimes);
            } else {
                held.remove(lease);
                lease.lose("the backend does not know it any more");
            }
        }
    }

    private void release(List<HeldLease> leases) {
        for (int first = 0; first < leases.size(); first += MAX_PER_CALL) {
            for (List<OfKey> call : calls(leases.subList(first, Math.min(leases.size(), first + MAX_PER_CALL)))) {
                engine.decide(asked(call, Request::release)).forEach(Answer::decisions);
            }
        }
    }

    private static List<KeyRequests<?>> asked(List<OfKey> call, LongFunction<Request> request) {
        List<KeyRequests<?>> asked = new ArrayList<>(call.size());
        for (OfKey key : call) {
            HeldLease any = key.leases.get(0);
            List<Request> requests =
                    key.leases.stream().map(lease -> request.apply(lease.id())).toList();
            asked.add(new KeyRequests<>(any.key(), any.limit(), requests));
        }
        return asked;
    }

    /** By key. One call can ask a key under one limit only, so those that are held under others go into calls of their own. */
    private static List<List<OfKey>> calls(List<HeldLease> leases) {
        List<Map<String, OfKey>> calls = new ArrayList<>();
        for (HeldLease lease : leases) {
            int call = 0;
            while (call < calls.size() && !fits(calls.get(call).get(lease.key()), lease)) {
                call++;
            }
            if (call == calls.size()) {
                calls.add(new LinkedHashMap<>());
            }
            calls.get(call)
                    .computeIfAbsent(lease.key(), key -> new OfKey(new ArrayList<>()))
                    .leases
                    .add(lease);
        }
        return calls.stream().map(call -> List.copyOf(call.values())).toList();
    }

    private static boolean fits(@Nullable OfKey ofKey, HeldLease lease) {
        return ofKey == null || ofKey.leases.get(0).limit().equals(lease.limit());
    }

    /**
     * @param leases of one key under one limit; at least one
     */
    private record OfKey(List<HeldLease> leases) {}
}
