package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Request;
import io.limiter.internal.prefetch.Prefetch;
import io.limiter.internal.time.LeaseClock;
import io.limiter.internal.time.Sleeper;
import io.limiter.internal.time.Timers;
import io.limiter.spi.AsyncFailures;
import io.limiter.spi.Engine;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All leases that a factory has handed out, and those who wait for one. Safe for use by many threads.
 *
 * <p>These are places of a {@link ConcurrencyLimit}, <em>held</em> by one caller each until they are given back; what
 * {@link Prefetch} takes are blocks of a rate limit's permits, which its instance <em>spends</em>.
 *
 * <p>Every lease has an id that is chosen here and known before the backend is asked. So if there is no answer, what may
 * have been granted is released all the same.
 */
public final class HeldLeases implements AutoCloseable {

    static final long CLOSE_SECONDS = 1;

    private static final Logger log = LoggerFactory.getLogger(HeldLeases.class);

    private final Engine engine;
    private final Sleeper sleeper;
    private final LeaseClock clock;
    private final LeaseRenewer renewer;
    // Ids must differ between JVMs that were started from one image, so they come from the operating system.
    private final SecureRandom ids = new SecureRandom();
    private final ConcurrentHashMap<String, LeaseQueue> queues = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param sleeper how those who wait do so; by its clock, and the wall clock, leases are known to be over
     */
    public HeldLeases(Engine engine, Sleeper sleeper) {
        this(engine, sleeper, new LeaseClock(sleeper.ticker()));
    }

    HeldLeases(Engine engine, Sleeper sleeper, LeaseClock clock) {
        this.engine = engine;
        this.sleeper = sleeper;
        this.clock = clock;
        this.renewer = new LeaseRenewer(engine, clock, sleeper.runsByItself());
    }

    LeaseRenewer renewer() {
        return renewer;
    }

    public Ticker ticker() {
        return sleeper.ticker();
    }

    /** How many keys are waited for. */
    int queues() {
        return queues.size();
    }

    /** Sees to it that the request is answered, and waits for it where no other thread need be involved. */
    public void answer(LeaseRequest<?> request) {
        if (mustQueue(request)) {
            return;
        }
        try {
            HeldLease.Times times = new HeldLease.Times(clock, request.limit());
            long id = newId();
            Decision decision;
            try {
                decision = engine.decide(request.key(), request.limit(), Request.hold(id, request.permits()));
            } catch (RuntimeException e) {
                throw failed(request, id, e);
            }
            answer(request, outcome(request, id, times, decision));
        } catch (LimiterBackendException e) {
            request.fail(e);
        }
    }

    /** Sees to it that the request is answered. */
    public void answerAsync(LeaseRequest<?> request) {
        if (mustQueue(request)) {
            return;
        }
        ask(request).whenComplete((outcome, error) -> {
            if (error != null) {
                request.fail(AsyncFailures.cause(error));
            } else {
                answer(request, outcome);
            }
        });
    }

    /** Queues all who would wait, and those who do not want to if they had to pass others. */
    private boolean mustQueue(LeaseRequest<?> request) {
        if (request.isInVain() || request.isUrgent() && !queues.containsKey(request.key())) {
            return false;
        }
        while (!queueOf(request.key()).add(request)) {
            Thread.onSpinWait();
        }
        if (closed) {
            failWaiting();
        }
        return true;
    }

    private LeaseQueue queueOf(String key) {
        return queues.computeIfAbsent(key, k -> {
            LeaseQueue[] created = new LeaseQueue[1];
            created[0] = new LeaseQueue(this, sleeper, () -> queues.remove(k, created[0]));
            return created[0];
        });
    }

    private static void answer(LeaseRequest<?> request, Outcome outcome) {
        if (outcome.lease() == null) {
            request.refuse(outcome.decision());
        } else if (!request.grant(outcome.lease(), outcome.decision())) {
            outcome.lease().closeAsync();
        }
    }

    /** Asks for permits once. */
    CompletableFuture<Outcome> ask(LeaseRequest<?> request) {
        HeldLease.Times times = new HeldLease.Times(clock, request.limit());
        long id = newId();
        return engine.decideAsync(request.key(), request.limit(), Request.hold(id, request.permits()))
                .handle((decision, error) -> {
                    if (error != null) {
                        throw failed(request, id, AsyncFailures.cause(error));
                    }
                    return outcome(request, id, times, decision);
                });
    }

    private Outcome outcome(LeaseRequest<?> request, long id, HeldLease.Times times, Decision decision) {
        if (!decision.granted()) {
            return new Outcome(null, decision);
        }
        HeldLease lease = new HeldLease(request.key(), request.limit(), id, request.permits(), times, this);
        renewer.add(lease);
        if (closed) {
            renewer.remove(lease);
            releaseAsync(request.key(), request.limit(), id);
            throw LimiterBackendException.closed(request.key());
        }
        if (!lease.isHeld()) {
            lease.closeAsync();
            throw new LimiterBackendException(
                    request.key(),
                    "the answer came when the lease was over already: the process stood still, or a leaseTime of "
                            + request.limit().leaseTime() + " is too short");
        }
        return new Outcome(lease, decision);
    }

    private LimiterBackendException failed(LeaseRequest<?> request, long id, Throwable error) {
        LimiterBackendException failure = error instanceof LimiterBackendException known
                ? known
                : new LimiterBackendException(request.key(), "the call failed: " + error, error, true);
        if (failure.isAmbiguous()) {
            releaseAsync(request.key(), request.limit(), id);
        }
        return failure;
    }

    /** Without passing on what goes wrong: the permits come back by themselves. */
    void release(HeldLease lease) {
        renewer.remove(lease);
        if (closed) {
            return;
        }
        try {
            engine.decide(lease.key(), lease.limit(), Request.release(lease.id()));
            wake(lease.key());
        } catch (RuntimeException e) {
            notReleased(lease.key(), lease.limit(), e);
        }
    }

    CompletableFuture<Void> releaseAsync(HeldLease lease) {
        renewer.remove(lease);
        return closed ? CompletableFuture.completedFuture(null) : releaseAsync(lease.key(), lease.limit(), lease.id());
    }

    private CompletableFuture<Void> releaseAsync(String key, ConcurrencyLimit limit, long id) {
        return engine.decideAsync(key, limit, Request.release(id)).handle((released, error) -> {
            if (error == null) {
                wake(key);
            } else {
                notReleased(key, limit, error);
            }
            return null;
        });
    }

    private static void notReleased(String key, ConcurrencyLimit limit, Throwable error) {
        // Not here: this may be the thread on which the answers come.
        Timers.run(() -> log.warn(
                "A lease of '{}' could not be released; it will be over within {}.", key, limit.leaseTime(), error));
    }

    private void wake(String key) {
        LeaseQueue queue = queues.get(key);
        if (queue != null) {
            queue.wake();
        }
    }

    /** How many leases are held. */
    public int count() {
        return renewer.size();
    }

    /** How many permits of a key are held under leases. */
    public int permits(String key) {
        return renewer.permits(key);
    }

    /** Forgets who holds permits of a key. Prefetch of it are lost. */
    public void reset(String key) {
        renewer.lose(key, "it was reset");
        engine.reset(key);
        wake(key);
    }

    /** Fails those who wait, and gives everything back, waiting a second for it at most. What comes later fails. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        failWaiting();
        renewer.close();
    }

    private void failWaiting() {
        queues.forEach((key, queue) -> queue.fail(LimiterBackendException.closed(key)));
    }

    private long newId() {
        return 1 + (ids.nextLong() >>> 11) % Request.MAX_ID;
    }

    /**
     * What came of asking.
     *
     * @param lease {@code null} if refused
     */
    record Outcome(@Nullable HeldLease lease, Decision decision) {}
}
