package io.limiter.console;

import io.limiter.LimiterBackendException;
import io.limiter.live.LiveLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Watches the fleet while a page is open, once for all open pages. It ends before the web server, which would wait for the
 * streams.
 */
final class FleetFeed implements SmartLifecycle {

    /** After this time a page connects again, so that who has lost his rights does not watch for ever. */
    static final Duration LONGEST = Duration.ofMinutes(5);

    private static final Logger log = LoggerFactory.getLogger(FleetFeed.class);
    private static final int MAX_PAGES = 100;

    /** A page: gets the text of each event, on the feed's thread, so it must be fast. */
    interface Subscriber extends Consumer<String> {

        /** No event follows. */
        void end();
    }

    private final LiveLimits limits;
    private final Duration interval;
    private final Duration linger;
    private final Set<Subscriber> subscribers = new LinkedHashSet<>();
    private final Set<Subscriber> fresh = new LinkedHashSet<>();
    private FleetRates rates = new FleetRates();
    private @Nullable ScheduledExecutorService thread;
    private long idleSinceNanos;
    private boolean running;

    /**
     * @param interval between two events
     * @param linger how long the fleet is watched after the last page was closed, so that one that is loaded again has its lines
     */
    FleetFeed(LiveLimits limits, Duration interval, Duration linger) {
        this.limits = limits;
        this.interval = interval;
        this.linger = linger;
    }

    /**
     * Adds a page.
     *
     * @return false if there are too many, or the application is stopping
     */
    synchronized boolean add(Subscriber subscriber) {
        if (!running || subscribers.size() >= MAX_PAGES) {
            return false;
        }
        subscribers.add(subscriber);
        fresh.add(subscriber);
        if (thread == null) {
            ScheduledExecutorService newThread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread created = new Thread(task, "limiter-console");
                created.setDaemon(true);
                return created;
            });
            newThread.scheduleWithFixedDelay(this::second, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
            thread = newThread;
        }
        return true;
    }

    synchronized void remove(Subscriber subscriber) {
        fresh.remove(subscriber);
        if (subscribers.remove(subscriber) && subscribers.isEmpty()) {
            idleSinceNanos = System.nanoTime();
        }
    }

    synchronized boolean isWatching() {
        return thread != null;
    }

    private void second() {
        try {
            if (!endedIdle()) {
                send();
            }
        } catch (RuntimeException e) {
            log.warn("The console could not show the fleet", e);
        }
    }

    private synchronized boolean endedIdle() {
        if (!subscribers.isEmpty() || System.nanoTime() - idleSinceNanos < linger.toNanos()) {
            return false;
        }
        endThread();
        return true;
    }

    private void send() {
        String problem = null;
        try {
            rates.add(limits.fleet().watch().instances());
        } catch (LimiterBackendException e) {
            problem = e.getMessage();
        }
        List<Subscriber> all;
        Set<Subscriber> first;
        synchronized (this) {
            all = List.copyOf(subscribers);
            first = Set.copyOf(fresh);
            fresh.clear();
        }
        String whole = first.isEmpty() ? "" : Wire.text(state(problem, rates.series()));
        String usual = first.size() == all.size() ? "" : Wire.text(state(problem, null));
        for (Subscriber subscriber : all) {
            subscriber.accept(first.contains(subscriber) ? whole : usual);
        }
    }

    private Wire.FleetState state(@Nullable String problem, @Nullable List<Wire.Series> series) {
        Instant at = rates.instances().isEmpty() ? Instant.now() : rates.at();
        return new Wire.FleetState(
                at.toEpochMilli(),
                limits.version(),
                problem,
                rates.instances(),
                rates.limits(),
                limits.list().stream().map(Wire.Live::of).toList(),
                series);
    }

    private void endThread() {
        if (thread != null) {
            thread.shutdown();
            thread = null;
            rates = new FleetRates();
        }
    }

    @Override
    public synchronized void start() {
        running = true;
    }

    @Override
    public void stop() {
        List<Subscriber> open;
        synchronized (this) {
            running = false;
            open = List.copyOf(subscribers);
            subscribers.clear();
            fresh.clear();
            endThread();
        }
        open.forEach(Subscriber::end);
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }
}
