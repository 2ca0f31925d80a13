package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.RedisHints;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.redis.FactoryAccess;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Polls the live limits of a factory on one daemon thread. A hint over pub/sub, which may be lost or forbidden, only makes it
 * poll earlier.
 */
public final class LivePoller implements FactoryAccess.Extension {

    private static final AsyncLog log = AsyncLog.of(LivePoller.class);

    private static final long WATCHED_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** By how much of the interval a poll may come earlier, so that instances do not poll at the same moments. */
    private static final double JITTER = 0.2;

    /**
     * In a larger fleet no instance subscribes: each would hold a connection more, and all would poll at the moment of a change.
     */
    static final int MOST_HINTED = 1000;

    /** Below which share of that they subscribe again. */
    private static final double FEWER = 0.9;

    private static final int CLOSE_MILLIS = 1000;
    private static final LogThrottle UNEXPECTED = new LogThrottle();

    private final LiveStore store;
    private final LiveCopy copy;
    private final InstanceCount instances;
    private final StoredLiveLimits limits;
    private final @Nullable RedisHints hints;
    private final Duration interval;
    private final Semaphore early = new Semaphore(0);
    // Changed under the monitor of early. The thread that it is polls; one that it no longer is ends.
    private volatile @Nullable Thread thread;
    private volatile boolean closed;
    private final AtomicBoolean readable = new AtomicBoolean(true);
    // Guarded by the monitor of early.
    private boolean hinted = true;

    private LivePoller(FactoryAccess factory, LiveOptions options, boolean withHints) {
        this.store = new LiveStore(
                factory.redis(), factory.clock(), factory.decisionTimeout(), factory.namespace(), options.history());
        FleetReports fleet = new FleetReports(store, options, factory);
        ChangeListeners listeners = new ChangeListeners();
        this.instances = new InstanceCount(store, factory.instances(), options.pollInterval());
        this.copy =
                new LiveCopy(store, factory.named(), fleet, instances, listeners, factory.ticker(), options.restore());
        this.limits = new StoredLiveLimits(
                store,
                copy,
                factory.named(),
                fleet,
                listeners,
                () -> factory.statistics().totals(),
                options.showKeys());
        this.hints = withHints ? new RedisHints(factory.redis()) : null;
        this.interval = options.pollInterval();
    }

    /**
     * Starts in the background, and connects there. Ends with the factory.
     *
     * @param withHints whether changes are also seen over pub/sub
     * @throws IllegalStateException if the factory has live limits already, or was closed
     */
    public static LivePoller start(FactoryAccess factory, LiveOptions options, boolean withHints) {
        LivePoller poller = new LivePoller(factory, options, withHints);
        if (!factory.add(poller)) {
            throw new IllegalStateException(
                    "live limits of this factory cannot be started: they were started before, or it"
                            + " was closed; start them once for each factory");
        }
        poller.resume();
        return poller;
    }

    /** Polls, in the background, unless it does already or is closed. */
    public void resume() {
        synchronized (early) {
            if (closed || thread != null) {
                return;
            }
            if (hints != null) {
                hints.resume();
            }
            instances.join();
            Thread started = LimiterThread.of("limiter-live", this::run);
            boolean isRunning = false;
            // Before it starts, because it ends if it is another one.
            thread = started;
            try {
                started.start();
                isRunning = true;
            } finally {
                if (!isRunning) {
                    // So that the next call tries again.
                    thread = null;
                }
            }
        }
    }

    /** Polls, unless it is paused, so that the first decisions are under the limits of now. */
    @Override
    public void recovered(Duration most) {
        if (thread != null) {
            Thread poll = LimiterThread.of("limiter-live-recovered", this::poll);
            poll.start();
            join(poll, Math.max(1, most.toMillis()));
        }
    }

    private static void join(Thread ended, long millis) {
        try {
            ended.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the thread and the subscription, until {@link #resume}. */
    public void pause() {
        Thread ended;
        synchronized (early) {
            ended = thread;
            if (ended == null) {
                return;
            }
            thread = null;
            if (hints != null) {
                hints.close();
            }
        }
        early.release();
        join(ended, CLOSE_MILLIS);
        copy.pause();
        instances.leave(readable.get());
    }

    public LiveLimits limits() {
        return limits;
    }

    private void run() {
        while (thread == Thread.currentThread()) {
            long nanos = interval.toNanos();
            try {
                nanos = nanosUntilNext(poll());
            } catch (RuntimeException | Error e) {
                log.error(UNEXPECTED, "Live limits could not be polled. The next poll follows.", e);
            }
            await(nanos);
        }
    }

    /**
     * Polls now, on this thread. Failures are logged.
     *
     * @return whether reports are wanted
     */
    public boolean poll() {
        try {
            boolean watched = copy.poll();
            succeeded();
            return watched;
        } catch (RuntimeException e) {
            failed(e);
            return false;
        }
    }

    private void succeeded() {
        if (!readable.getAndSet(true)) {
            log.info("Live limits can be read again.");
        }
        if (hints != null && areHinted(hints)) {
            hints.ensureSubscribed(store.channel, early::release);
        }
    }

    private boolean areHinted(RedisHints ended) {
        synchronized (early) {
            boolean small = instances.alive() <= MOST_HINTED * (hinted ? 1 : FEWER);
            if (thread != null && small != hinted) {
                hinted = small;
                if (small) {
                    ended.resume();
                } else {
                    ended.close();
                }
            }
            return hinted;
        }
    }

    /** Redis being unavailable is reported elsewhere in detail. */
    private void failed(RuntimeException failure) {
        if (thread == null) {
            return;
        }
        if (readable.getAndSet(false)) {
            Throwable cause = failure.getCause();
            log.warn(
                    "Live limits cannot be read. Those known here stay in effect until they expire.",
                    cause == null ? failure : cause);
        }
        try {
            copy.expire();
            store.reconnect();
        } catch (RuntimeException e) {
            log.debug("No new connection for live limits.", e);
        }
    }

    private long nanosUntilNext(boolean watched) {
        long nanos = watched ? Math.min(WATCHED_NANOS, interval.toNanos()) : interval.toNanos();
        long untilExpiry = TimeUnit.MICROSECONDS.toNanos(Math.max(1, copy.untilExpiryMicros()));
        return Math.min(jittered(nanos, ThreadLocalRandom.current().nextDouble()), untilExpiry);
    }

    /**
     * @param random at least 0 and less than 1
     * @return at most the nanos: changes without a hint arrive within the interval
     */
    static long jittered(long nanos, double random) {
        return (long) (nanos * (1 - JITTER * random));
    }

    private void await(long nanos) {
        try {
            early.tryAcquire(nanos, TimeUnit.NANOSECONDS);
            early.drainPermits();
        } catch (InterruptedException e) {
            // A listener may interrupt this thread; only pause() ends it.
            log.debug("The thread that polls live limits was interrupted, and continues.");
        }
    }

    /** Ends the thread and the subscription. */
    @Override
    public void close() {
        closed = true;
        limits.close();
        pause();
        copy.close();
    }
}
