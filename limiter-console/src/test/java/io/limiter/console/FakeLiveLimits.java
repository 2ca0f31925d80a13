package io.limiter.console;

import io.limiter.live.ChangeNote;
import io.limiter.live.Fleet;
import io.limiter.live.InstanceReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Live limits in a map, and a fleet that reports what the test says. */
final class FakeLiveLimits implements LiveLimits {

    private final Map<List<Object>, LiveLimit> limits = new LinkedHashMap<>();
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
        return limits.values().stream()
                .filter(each -> each.key().isEmpty())
                .sorted(Comparator.comparing(LiveLimit::name))
                .toList();
    }

    @Override
    public synchronized List<LiveLimit> keys(String name) {
        return limits.values().stream()
                .filter(each -> each.key().isPresent() && each.name().equals(name))
                .toList();
    }

    @Override
    public synchronized List<LiveLimit> keys() {
        return limits.values().stream().filter(each -> each.key().isPresent()).toList();
    }

    @Override
    public synchronized Optional<LiveLimit> get(String name) {
        return get(name, Optional.empty());
    }

    @Override
    public synchronized Optional<LiveLimit> get(String name, LiveKey key) {
        return get(name, Optional.of(key));
    }

    private Optional<LiveLimit> get(String name, Optional<LiveKey> key) {
        return Optional.ofNullable(limits.get(List.<Object>of(name, stored(name, key))));
    }

    /** As it has a live limit, by the key or its hash. */
    private Optional<LiveKey> stored(String name, Optional<LiveKey> key) {
        return key.map(wanted -> limits.values().stream()
                .filter(each -> each.name().equals(name))
                .flatMap(each -> each.key().stream())
                .filter(each -> isSame(each, wanted))
                .findFirst()
                .orElse(wanted));
    }

    @Override
    public boolean isSame(LiveKey one, LiveKey other) {
        return hash(one).equals(hash(other));
    }

    /** As that of a key without a secret. */
    static String hash(LiveKey key) {
        return key.hashed() ? key.value() : "%016x".formatted(key.value().hashCode());
    }

    @Override
    public synchronized long version() {
        return version;
    }

    @Override
    public Instant serverTime() {
        return Instant.now();
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
        return change(name, Optional.empty(), Optional.of(settings), note, expectedVersion)
                .after()
                .orElseThrow();
    }

    @Override
    public synchronized LiveLimit put(
            String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
        return change(name, Optional.of(key), Optional.of(settings), note, expectedVersion)
                .after()
                .orElseThrow();
    }

    @Override
    public synchronized Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion) {
        return Optional.of(change(name, Optional.of(key), Optional.empty(), note, expectedVersion));
    }

    @Override
    public synchronized Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion) {
        return Optional.of(change(name, Optional.empty(), Optional.empty(), note, expectedVersion));
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
        return LiveHistory.of(
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
        return change(change.name(), change.key(), change.before().map(LiveLimit::settings), note, expectedVersion);
    }

    private LiveChange change(
            String name,
            Optional<LiveKey> ofKey,
            Optional<LiveSettings> settings,
            ChangeNote note,
            long expectedVersion) {
        Optional<LiveKey> key = stored(name, ofKey);
        List<Object> id = List.of(name, key);
        Optional<LiveLimit> before = get(name, key);
        if (before.map(LiveLimit::version).orElse(0L) != expectedVersion) {
            throw new LiveConflictException(name, expectedVersion, before);
        }
        version++;
        Instant now = Instant.now();
        Optional<LiveLimit> after = settings.map(each -> LiveLimit.of(
                name,
                key,
                each,
                version,
                now,
                Optional.ofNullable(note.expiresIn()).map(now::plus),
                note.who(),
                note.why()));
        after.ifPresentOrElse(limit -> limits.put(id, limit), () -> limits.remove(id));
        LiveChange change = LiveChange.of(version, name, key, before, after, now, note.who(), note.why());
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
            return Fleet.Reports.of(reports.get(), unreadable);
        };
    }
}
