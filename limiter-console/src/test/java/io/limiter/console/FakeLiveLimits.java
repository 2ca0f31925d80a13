package io.limiter.console;

import io.limiter.live.ChangeNote;
import io.limiter.live.Fleet;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Live limits in a map, and a fleet that reports what the test says. */
final class FakeLiveLimits implements LiveLimits {

    private final TreeMap<String, LiveLimit> limits = new TreeMap<>();
    private final Deque<LiveChange> history = new ArrayDeque<>();
    private final AtomicInteger watches = new AtomicInteger();
    private volatile Supplier<List<InstanceReport>> reports = List::of;
    private volatile List<Unreadable> unreadable = List.of();
    private long version;

    void reports(Supplier<List<InstanceReport>> newReports) {
        reports = newReports;
    }

    synchronized void clear() {
        limits.clear();
        history.clear();
        reports = List::of;
        unreadable = List.of();
    }

    void unreadable(Unreadable... entries) {
        unreadable = List.of(entries);
    }

    int watches() {
        return watches.get();
    }

    @Override
    public synchronized List<LiveLimit> list() {
        return List.copyOf(limits.values());
    }

    @Override
    public synchronized Optional<LiveLimit> get(String name) {
        return Optional.ofNullable(limits.get(name));
    }

    @Override
    public synchronized long version() {
        return version;
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        return () -> get(name).map(LiveLimit::settings).orElse(LiveSettings.NONE);
    }

    @Override
    public synchronized LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        if (settings.rate() != null && !(settings.rate() > 0)) {
            throw new IllegalArgumentException("rate must be more than 0, was " + settings.rate());
        }
        return change(name, Optional.of(settings), note, expectedVersion)
                .after()
                .orElseThrow();
    }

    @Override
    public synchronized void remove(String name, ChangeNote note, long expectedVersion) {
        change(name, Optional.empty(), note, expectedVersion);
    }

    @Override
    public List<Unreadable> unreadable() {
        return List.of();
    }

    @Override
    public synchronized LiveHistory history(int most, long before) {
        List<LiveChange> page = history.stream()
                .filter(change -> before == 0 || change.version() < before)
                .limit(most)
                .toList();
        return new LiveHistory(
                page,
                List.of(),
                page.size() < most ? 0 : page.get(page.size() - 1).version());
    }

    @Override
    public synchronized LiveChange rollBack(long ofVersion, ChangeNote note, long expectedVersion) {
        LiveChange change = history.stream()
                .filter(each -> each.version() == ofVersion)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the history has no change of version " + ofVersion));
        return change(change.name(), change.before().map(LiveLimit::settings), note, expectedVersion);
    }

    private LiveChange change(String name, Optional<LiveSettings> settings, ChangeNote note, long expectedVersion) {
        Optional<LiveLimit> before = get(name);
        if (before.map(LiveLimit::version).orElse(0L) != expectedVersion) {
            throw new LiveConflictException(name, expectedVersion, before);
        }
        version++;
        Instant now = Instant.now();
        Optional<LiveLimit> after = settings.map(each -> new LiveLimit(
                name,
                each,
                version,
                now,
                Optional.ofNullable(note.expiresIn()).map(now::plus),
                note.who(),
                note.why()));
        after.ifPresentOrElse(limit -> limits.put(name, limit), () -> limits.remove(name));
        LiveChange change = new LiveChange(version, name, before, after, now, note.who(), note.why());
        history.addFirst(change);
        return change;
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        return () -> {};
    }

    @Override
    public Fleet fleet() {
        return () -> {
            watches.incrementAndGet();
            return new Fleet.Reports(reports.get(), unreadable);
        };
    }
}
