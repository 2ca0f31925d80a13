package io.limiter.console;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.console.internal.wire.Wire;
import io.limiter.console.internal.wire.WireMapper;
import io.limiter.internal.thread.LimiterThread;
import io.limiter.live.BannedKey;
import io.limiter.live.Fleet;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveLimits;
import io.limiter.spring.internal.actuate.LimitNames;
import io.limiter.spring.internal.actuate.LimitersDescription;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    private static final int MAX_PAGES_OF_USER = 10;
    private static final int MAX_UNREADABLE = 100;
    private static final int MAX_BANS = 1000;

    /** A page. */
    interface Subscriber {

        /**
         * Gets an event on the feed's thread, so it must be fast.
         *
         * @param event its text
         * @param withSeries whether it has the lines of the last ten minutes
         */
        void accept(String event, boolean withSeries);

        /** No event follows. */
        void end();
    }

    private final LiveLimits limits;
    private final @Nullable LimiterFactory factory;
    private final Duration interval;
    private final Duration linger;
    private final Map<Subscriber, Viewer> subscribers = new LinkedHashMap<>();
    private final Set<Subscriber> fresh = new LinkedHashSet<>();
    private FleetRates rates = new FleetRates();
    private @Nullable ScheduledExecutorService thread;
    private long idleSinceNanos;
    private boolean running;
    // Used by the thread only.
    private boolean failed;
    private @Nullable Long sentNanos;
    private List<Wire.Unreadable> unreadable = List.of();
    private volatile List<InstanceReport> reports = List.of();

    /**
     * @param factory of this instance; {@code null} if there is none
     * @param interval between two events
     * @param linger how long the fleet is watched after the last page was closed, so that one that is loaded again has its lines
     */
    FleetFeed(LiveLimits limits, @Nullable LimiterFactory factory, Duration interval, Duration linger) {
        this.limits = limits;
        this.factory = factory;
        this.interval = interval;
        this.linger = linger;
    }

    /** @param user {@code null} without a login */
    private record Viewer(@Nullable String user, boolean mayWrite) {}

    /**
     * Adds a page. One of a user who may write takes the place of one of a user who may not, so that viewers cannot lock
     * operators out.
     *
     * @return why not; {@code null} if it was added
     */
    @Nullable
    String add(Subscriber subscriber, @Nullable String user, boolean mayWrite) {
        Subscriber ended = null;
        synchronized (this) {
            String problem = problem(user, mayWrite);
            if (problem != null) {
                return problem;
            }
            if (subscribers.size() >= MAX_PAGES) {
                ended = Objects.requireNonNull(oldestReader());
                remove(ended);
            }
            addTo(subscriber, new Viewer(user, mayWrite));
        }
        if (ended != null) {
            ended.end();
        }
        return null;
    }

    /** Why a page of a user cannot be added now; {@code null} if it can. */
    synchronized @Nullable String problem(@Nullable String user, boolean mayWrite) {
        if (!running) {
            return "this instance is stopping";
        }
        if (user != null
                && subscribers.values().stream()
                                .filter(each -> user.equals(each.user()))
                                .count()
                        >= MAX_PAGES_OF_USER) {
            return "you have " + MAX_PAGES_OF_USER + " pages open on this instance; close one";
        }
        return subscribers.size() < MAX_PAGES || mayWrite && oldestReader() != null
                ? null
                : MAX_PAGES + " pages are open on this instance; wait until one is closed";
    }

    private @Nullable Subscriber oldestReader() {
        return subscribers.entrySet().stream()
                .filter(each -> !each.getValue().mayWrite())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private void addTo(Subscriber subscriber, Viewer viewer) {
        subscribers.put(subscriber, viewer);
        fresh.add(subscriber);
        if (thread == null) {
            ScheduledExecutorService newThread =
                    Executors.newSingleThreadScheduledExecutor(LimiterThread.named("limiter-console"));
            // At a fixed rate, because the lines have a point for each interval.
            newThread.scheduleAtFixedRate(this::second, 0, interval.toNanos(), TimeUnit.NANOSECONDS);
            thread = newThread;
        }
    }

    synchronized void remove(Subscriber subscriber) {
        fresh.remove(subscriber);
        if (subscribers.remove(subscriber) != null && subscribers.isEmpty()) {
            idleSinceNanos = System.nanoTime();
        }
    }

    /** The next event to a page has the lines again, because it has not sent the one that had them. */
    synchronized void repeatSeries(Subscriber subscriber) {
        if (subscribers.containsKey(subscriber)) {
            fresh.add(subscriber);
        }
    }

    synchronized boolean isWatching() {
        return thread != null;
    }

    /** What the instances have reported last. A page may have its stream from another instance. */
    List<InstanceReport> reports() {
        return isWatching() ? reports : limits.fleet().watch().instances();
    }

    /** The names of limits that this instance or another has, and of those with live limits. It may call Redis and block. */
    Set<String> names() {
        Set<String> names = LimitNames.known(factory, limits);
        reports()
                .forEach(instance -> instance.limits().forEach(limit -> {
                    names.add(limit.name());
                    names.add(limit.limiter());
                }));
        return names;
    }

    private void second() {
        long now = System.nanoTime();
        if (sentNanos != null && now - sentNanos < interval.toNanos() / 4) {
            // One of those that were missed while Redis or the machine was slow: a single one is enough.
            return;
        }
        sentNanos = now;
        try {
            if (!endedIdle()) {
                send();
            }
        } catch (RuntimeException | Error e) {
            // Errors too, for example of a thread that cannot be started: nothing would be shown again.
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
        boolean morePast = false;
        try {
            Fleet.Reports found = limits.fleet().watch();
            reports = found.instances();
            unreadable = Stream.concat(limits.unreadable().stream(), found.unreadable().stream())
                    .limit(MAX_UNREADABLE)
                    .map(Wire.Unreadable::of)
                    .toList();
            morePast = rates.add(reports);
            failed = false;
        } catch (LimiterBackendException e) {
            problem = e.getMessage();
        } catch (RuntimeException e) {
            problem = String.valueOf(e.getMessage());
            if (!failed) {
                log.warn("The console cannot show the fleet. This is logged once until it can again.", e);
            }
            failed = true;
        }
        Map<Subscriber, Viewer> all;
        Set<Subscriber> first;
        synchronized (this) {
            all = new LinkedHashMap<>(subscribers);
            first = Set.copyOf(morePast ? subscribers.keySet() : fresh);
            fresh.clear();
        }
        String ofProblem = problem;
        Map<Content, String> texts = new HashMap<>();
        all.forEach((subscriber, viewer) -> {
            Content content = new Content(first.contains(subscriber), viewer.mayWrite());
            subscriber.accept(
                    texts.computeIfAbsent(content, each -> WireMapper.text(state(ofProblem, each))),
                    content.withSeries());
        });
    }

    /**
     * The content of the messages to a page.
     *
     * @param withHashedBans whether it contains bans of hashed keys. Users who may not change keys must not get these, because they
     *     could find the key of a ban by trying keys until one has the same end
     */
    private record Content(boolean withSeries, boolean withHashedBans) {}

    private Wire.FleetState state(@Nullable String problem, Content content) {
        Instant at = rates.instances().isEmpty() ? Instant.now() : rates.at();
        return new Wire.FleetState(
                Wire.PROTOCOL,
                at.toEpochMilli(),
                limits.version(),
                problem,
                unreadable,
                LimitersDescription.Fallback.of(factory),
                rates.instances(),
                rates.limits(),
                BannedKey.all(reports).stream()
                        .filter(each -> content.withHashedBans() || !each.key().hashed())
                        .limit(MAX_BANS)
                        .map(Wire.Ban::of)
                        .toList(),
                limits.list().stream().map(Wire.Live::of).toList(),
                content.withSeries() ? rates.series() : null);
    }

    private void endThread() {
        if (thread != null) {
            thread.shutdown();
            thread = null;
            rates = new FleetRates();
            reports = List.of();
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
            open = List.copyOf(subscribers.keySet());
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
