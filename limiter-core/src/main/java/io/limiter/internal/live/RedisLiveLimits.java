package io.limiter.internal.live;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.live.LiveJson.StoredChange;
import io.limiter.internal.live.LiveJson.StoredLimit;
import io.limiter.internal.live.override.OverridesByName;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.ChangeNote;
import io.limiter.live.Fleet;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The live limits of a factory: the copy of what is in Redis, which each {@link #poll} renews, and its application to the
 * limiters.
 *
 * <p>Only a poll changes the copy; a write to Redis is followed by one. So changes are applied in their order, whoever has made
 * them.
 */
public final class RedisLiveLimits implements LiveLimits {

    private static final AsyncLog log = AsyncLog.of(RedisLiveLimits.class);

    /** Another instance may have removed what expires by then. */
    private static final long EXPIRES_SOON_MICROS = 1_000_000;

    private static final int MAX_NAME = 200;
    private static final int MAX_PAGE = 1_000;
    private static final int MAX_LOGGED = 10;

    /** How long a copy may be cut off without bringing a removed limit back. */
    private static final long REMOVED_MICROS = TimeUnit.DAYS.toMicros(30);

    private final LiveStore store;
    private final OverridesByName overrides;
    private final FleetReports fleet;
    private final Ticker ticker;
    private final LiveOptions options;
    private final List<Consumer<LiveChange>> listeners = new CopyOnWriteArrayList<>();
    // Applied here, in order. Listeners are called without the monitor: one may wait for a thread that changes live
    // limits.
    private final Queue<LiveChange> unpublished = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean publishing = new AtomicBoolean();
    private volatile Copy copy = Copy.EMPTY;
    private volatile boolean closed;
    // Server time less the ticker's, in microseconds.
    private volatile long offsetMicros;
    // Guarded by the monitor of this, as polls are.
    private long newestVersion;
    private final List<String> expiredFields = new ArrayList<>();

    /**
     * @param ticker measures the time between polls
     */
    RedisLiveLimits(
            LiveStore store, OverridesByName overrides, FleetReports fleet, Ticker ticker, LiveOptions options) {
        this.store = store;
        this.overrides = overrides;
        this.fleet = fleet;
        this.ticker = ticker;
        this.options = options;
    }

    /**
     * What this instance has applied.
     *
     * @param limits by field, also removed ones and those that cannot be read
     */
    private record Copy(long version, String stamp, Map<String, StoredLimit> limits) {

        /** No store has this stamp, so the first poll reads all that is there. */
        static final Copy EMPTY = new Copy(0, "none", Map.of());
    }

    @Override
    public List<LiveLimit> list() {
        long now = serverMicros();
        return copy.limits.values().stream()
                .filter(each -> each.isSet() && !each.isExpired(now))
                .map(StoredLimit::limit)
                .toList();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        StoredLimit found = copy.limits.get(checkedField(name));
        return found == null || !found.isSet() || found.isExpired(serverMicros())
                ? Optional.empty()
                : Optional.of(found.limit());
    }

    @Override
    public List<Unreadable> unreadable() {
        return copy.limits.values().stream()
                .filter(each -> !each.problem().isEmpty())
                .map(each -> new Unreadable(each.limit().name(), each.limit().version(), each.problem()))
                .toList();
    }

    @Override
    public long version() {
        return copy.version;
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        checkedField(name);
        return overrides.of(name);
    }

    @Override
    public Fleet fleet() {
        return fleet;
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        Duration expiresIn = Objects.requireNonNull(note, "note").expiresIn();
        long lastsMicros = expiresIn == null ? 0 : TimeUnit.MILLISECONDS.toMicros(expiresIn.toMillis());
        return put(name, settings, note, expectedVersion, lastsMicros, 0)
                .after()
                .orElseThrow();
    }

    private LiveChange put(
            String name,
            LiveSettings settings,
            ChangeNote note,
            long expectedVersion,
            long lastsMicros,
            long expiresMicros) {
        checkedField(name);
        if (Objects.requireNonNull(settings, "settings").isEmpty()) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' sets nothing: set a number, enforce, timeout or failurePolicy");
        }
        overrides.check(name, settings);
        return write(name, note, expectedVersion, lastsMicros, expiresMicros, LiveJson.limit(settings, note))
                .orElseThrow();
    }

    @Override
    public void remove(String name, ChangeNote note, long expectedVersion) {
        write(name, Objects.requireNonNull(note, "note"), expectedVersion, REMOVED_MICROS, 0, "");
    }

    /**
     * @return the field of the name
     * @throws IllegalArgumentException if no live limit can have this name
     */
    private static String checkedField(@Nullable String name) {
        if (name == null || name.isBlank() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException("name must have 1 to " + MAX_NAME + " characters, had "
                    + (name == null || name.isBlank() ? "none" : String.valueOf(name.length())));
        }
        return LiveJson.field(name);
    }

    private static long checkedVersion(String which, long version, long least) {
        if (version < least || version > MAX_VERSION) {
            throw new IllegalArgumentException(
                    which + " must be between " + least + " and " + MAX_VERSION + ", was " + version);
        }
        return version;
    }

    /**
     * @param limit empty to remove it
     * @return empty if there was nothing to remove
     */
    private Optional<LiveChange> write(
            String name, ChangeNote note, long expectedVersion, long lastsMicros, long expiresMicros, String limit) {
        String field = checkedField(name);
        checkedVersion("expectedVersion", expectedVersion, 0);
        if (closed) {
            throw BackendFailures.closed(LiveStore.LIMITS);
        }
        // First, so that a loss is seen: after the write the store is no longer empty.
        poll();
        LiveStore.Written written = store.write(new LiveStore.Write(
                field,
                expectedVersion,
                newestVersion(),
                UUID.randomUUID().toString(),
                lastsMicros,
                expiresMicros,
                limit,
                LiveJson.note(note.who(), note.why()),
                options.history()));
        return switch (written.outcome()) {
            case DONE -> {
                pollAfterWrite();
                yield Optional.of(LiveJson.change(written.text()).change());
            }
            case CONFLICT ->
                throw new LiveConflictException(
                        name,
                        expectedVersion,
                        written.text().isEmpty()
                                ? Optional.empty()
                                : Optional.of(
                                        LiveJson.stored(name, written.text()).limit()));
            case NOTHING -> Optional.empty();
        };
    }

    private synchronized long newestVersion() {
        return newestVersion;
    }

    /** The change is stored. If Redis fails now, the next poll applies it. */
    private void pollAfterWrite() {
        try {
            poll();
        } catch (LimiterBackendException e) {
            log.debug("A live limit was stored, and will be applied here by the next poll.", e);
        }
    }

    @Override
    public LiveHistory history(int most, long before) {
        if (most < 1 || most > MAX_PAGE) {
            throw new IllegalArgumentException("most must be between 1 and " + MAX_PAGE + ", was " + most);
        }
        List<String> page = store.history(most, checkedVersion("before", before, 0));
        List<LiveChange> changes = new ArrayList<>();
        List<Unreadable> unreadable = new ArrayList<>();
        long version = 0;
        for (int i = 0; i + 1 < page.size(); i += 2) {
            // Written by hand, it may be any number.
            version = (long) Math.min(MAX_VERSION, Math.max(0, Double.parseDouble(page.get(i + 1))));
            try {
                StoredChange stored = LiveJson.change(page.get(i));
                if (stored.after().problem().isEmpty()) {
                    changes.add(stored.change());
                } else {
                    unreadable.add(new Unreadable(
                            stored.change().name(), version, stored.after().problem()));
                }
            } catch (IllegalArgumentException e) {
                unreadable.add(
                        new Unreadable("", version, "this change in the history cannot be read: " + e.getMessage()));
            }
        }
        return new LiveHistory(changes, unreadable, page.size() / 2 < most ? 0 : version);
    }

    @Override
    public LiveChange rollBack(long version, ChangeNote note, long expectedVersion) {
        Objects.requireNonNull(note, "note");
        LiveChange undone = change(checkedVersion("version", version, 1))
                .orElseThrow(() -> new IllegalArgumentException("the history has no change of version " + version
                        + " (any more) that can be read: store the limit again instead"));
        String name = undone.name();
        LiveLimit before = undone.before().orElse(null);
        long expiresMicros =
                before == null ? 0 : before.expiresAt().map(LiveJson::micros).orElse(0L);
        if (before == null || note.expiresIn() == null && expiresMicros != 0 && expiresMicros <= serverMicros()) {
            return write(name, note, expectedVersion, REMOVED_MICROS, 0, "")
                    .orElseThrow(() -> new IllegalArgumentException("'" + name
                            + "' has no live limit, and version " + version
                            + " replaced none that would last until now:"
                            + " there is nothing to restore"));
        }
        if (before.settings().isEmpty()) {
            throw new IllegalArgumentException("what version " + version + " of '" + name
                    + "' replaced cannot be read: store the limit again instead");
        }
        Duration expiresIn = note.expiresIn();
        return expiresIn == null
                ? put(name, before.settings(), note, expectedVersion, 0, expiresMicros)
                : put(
                        name,
                        before.settings(),
                        note,
                        expectedVersion,
                        TimeUnit.MILLISECONDS.toMicros(expiresIn.toMillis()),
                        0);
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        Objects.requireNonNull(listener, "listener");
        // One of its own, so that a listener that subscribes twice is called twice and ends once.
        Consumer<LiveChange> own = listener::accept;
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    /** Server time, in microseconds since the epoch. */
    private long serverMicros() {
        return offsetMicros + ticker.read() / 1000;
    }

    /** How long until the next live limit expires, in microseconds; {@link Long#MAX_VALUE} if none does. */
    long untilExpiryMicros() {
        return copy.limits.values().stream()
                .mapToLong(StoredLimit::expiresMicros)
                .filter(expires -> expires != 0)
                .map(expires -> expires - serverMicros())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * Reads what has changed and applies it.
     *
     * @return whether reports are wanted
     * @throws LimiterBackendException if Redis fails; the copy stays
     */
    public boolean poll() {
        try {
            return applyNew();
        } finally {
            publish();
        }
    }

    private synchronized boolean applyNew() {
        LiveStore.Read read = read(copy);
        List<StoredChange> changes = List.of();
        try {
            changes = read.changes().stream().map(LiveJson::change).toList();
        } catch (IllegalArgumentException e) {
            log.warn("The history of live limits has a change that cannot be read: {}", e.getMessage());
            read = read(Copy.EMPTY);
        }
        if (!read.complete()) {
            read = settled(read);
        }
        boolean sameVersion = read.version() == copy.version && read.stamp().equals(copy.stamp);
        if (!sameVersion || !read.complete()) {
            apply(read, changes);
        }
        endExpired();
        keepRates();
        boolean watched = !read.watched().isEmpty();
        if (watched) {
            report(read.nowMicros(), read.watched());
        }
        return watched;
    }

    /** Redis may refuse the report and still have the live limits, for example without memory. */
    private void report(long nowMicros, String secret) {
        try {
            fleet.report(nowMicros, copy.version, secret, this::problem);
        } catch (RuntimeException e) {
            log.debug("What this instance decides could not be reported.", e);
        }
    }

    /** What Redis has, with what it has lost of the copy if that is restored; otherwise with a warning. */
    private LiveStore.Read settled(LiveStore.Read read) {
        if (options.restore()) {
            restore();
            // Another instance may have restored the same meanwhile.
            return read(copy);
        }
        if (read.version() < copy.version) {
            log.warn(
                    "Redis has lost live limits: it has version {} of them, and this instance had {}. It drops what is not"
                            + " there; set LiveOptions.restore to have it written back.",
                    read.version(),
                    copy.version);
        } else if (read.version() == copy.version && read.stamp().equals(copy.stamp)) {
            log.warn(
                    "Redis has lost live limits of version {}, as it does when it evicts them. This instance drops them.",
                    copy.version);
        }
        return read;
    }

    private LiveStore.Read read(Copy known) {
        long before = ticker.read();
        long soon = serverMicros() + EXPIRES_SOON_MICROS;
        boolean hasLimits = copy.limits.values().stream().anyMatch(each -> !each.isExpired(soon));
        LiveStore.Read read = store.read(known.version, known.stamp, hasLimits, expiredFields);
        offsetMicros = read.nowMicros() - (before + (ticker.read() - before) / 2) / 1000;
        expiredFields.clear();
        return read;
    }

    /** Writes back what Redis has lost of the copy. Of each name, the newer change stays, that of Redis or of the copy. */
    private void restore() {
        long soon = serverMicros() + EXPIRES_SOON_MICROS;
        List<String> limits = new ArrayList<>();
        copy.limits.forEach((field, each) -> {
            if (each.problem().isEmpty() && !each.isExpired(soon)) {
                LiveLimit limit = each.limit();
                limits.addAll(List.of(field, each.stored(), LiveJson.note(limit.who(), limit.why())));
            }
        });
        List<String> restored = limits.isEmpty()
                ? List.of()
                : store.restore(copy.version, UUID.randomUUID().toString(), options.history(), limits);
        if (!restored.isEmpty()) {
            log.warn(
                    "Redis had lost changes of live limits; this instance has written {} of them back, of {}.",
                    restored.size(),
                    restored.subList(0, Math.min(MAX_LOGGED, restored.size())));
        }
    }

    private void apply(LiveStore.Read read, List<StoredChange> newestFirst) {
        Map<String, StoredLimit> before = copy.limits;
        Map<String, StoredLimit> limits = new TreeMap<>();
        if (read.complete()) {
            limits.putAll(before);
            for (int i = newestFirst.size() - 1; i >= 0; i--) {
                StoredChange stored = newestFirst.get(i);
                limits.put(LiveJson.field(stored.change().name()), stored.after());
                unpublished.add(stored.change());
            }
        } else {
            read.limits().forEach((field, value) -> {
                StoredLimit known = before.get(field);
                limits.put(
                        field, known != null && known.stored().equals(value) ? known : LiveJson.ofField(field, value));
            });
        }
        long now = serverMicros();
        copy = new Copy(read.version(), read.stamp(), limits);
        newestVersion = Math.max(newestVersion, read.version());
        Set<String> fields = new TreeSet<>(before.keySet());
        fields.addAll(limits.keySet());
        List<LiveChange> differences = new ArrayList<>();
        for (String field : fields) {
            StoredLimit was = before.get(field);
            StoredLimit is = limits.get(field);
            if (was != is) {
                override(
                        field,
                        Objects.requireNonNull(is == null ? was : is).limit().name(),
                        is,
                        now);
                difference(was, is, read).ifPresent(differences::add);
            }
        }
        if (!read.complete()) {
            differences.sort(Comparator.comparingLong(LiveChange::version));
            unpublished.addAll(differences);
        }
    }

    /** Applies the live limit of a name to its limiters. One that has expired follows in endExpired(). */
    private void override(String field, String name, @Nullable StoredLimit limit, long now) {
        if (limit != null && !limit.problem().isEmpty()) {
            log.warn("The limiters '{}' keep their own limit: {}.", name, limit.problem());
        }
        if (LiveJson.field(name).equals(field)) {
            overrides.live(
                    name,
                    limit == null || !limit.isSet() || limit.isExpired(now)
                            ? LiveSettings.NONE
                            : limit.limit().settings());
        }
    }

    private static Optional<LiveChange> difference(
            @Nullable StoredLimit was, @Nullable StoredLimit is, LiveStore.Read read) {
        Optional<LiveLimit> before =
                Optional.ofNullable(was).filter(StoredLimit::isSet).map(StoredLimit::limit);
        Optional<LiveLimit> after =
                Optional.ofNullable(is).filter(StoredLimit::isSet).map(StoredLimit::limit);
        if (is != null && is.problem().isEmpty() && (before.isPresent() || after.isPresent())) {
            LiveLimit by = is.limit();
            return Optional.of(new LiveChange(by.version(), by.name(), before, after, by.since(), by.who(), by.why()));
        }
        String why = is == null ? "Redis does not have it any more" : "what Redis has cannot be read";
        return before.map(limit -> ended(limit, read.version(), LiveJson.instant(read.nowMicros()), "", why));
    }

    private static LiveChange ended(LiveLimit limit, long version, Instant at, String who, String why) {
        return new LiveChange(version, limit.name(), Optional.of(limit), Optional.empty(), at, who, why);
    }

    /** Ends live limits whose time is over, also while Redis is unavailable. */
    void expire() {
        try {
            endExpired();
            keepRates();
        } finally {
            publish();
        }
    }

    private synchronized void keepRates() {
        // Before the first poll, the server time is unknown.
        if (copy != Copy.EMPTY) {
            fleet.keepRates(serverMicros());
        }
    }

    private synchronized void endExpired() {
        long now = serverMicros();
        List<StoredLimit> expired = copy.limits.values().stream()
                .filter(each -> each.isExpired(now))
                .toList();
        if (expired.isEmpty()) {
            return;
        }
        Map<String, StoredLimit> limits = new TreeMap<>(copy.limits);
        limits.values().removeAll(expired);
        copy = new Copy(copy.version, copy.stamp, limits);
        for (StoredLimit each : expired) {
            LiveLimit limit = each.limit();
            expiredFields.add(LiveJson.field(limit.name()));
            if (each.isSet()) {
                overrides.live(limit.name(), LiveSettings.NONE);
                unpublished.add(ended(
                        limit,
                        limit.version(),
                        limit.expiresAt().orElseThrow(),
                        limit.who(),
                        "expired: " + limit.why()));
            }
        }
    }

    /**
     * Calls the listeners for what was applied, in order. Does nothing while another thread does, or a listener of this one:
     * that comes to the newer changes after the older ones.
     */
    private void publish() {
        while (!unpublished.isEmpty() && publishing.compareAndSet(false, true)) {
            try {
                for (LiveChange next = unpublished.poll(); next != null; next = unpublished.poll()) {
                    publish(next);
                }
            } finally {
                publishing.set(false);
            }
        }
    }

    private void publish(LiveChange change) {
        for (Consumer<LiveChange> listener : listeners) {
            try {
                listener.accept(change);
            } catch (RuntimeException | Error e) {
                log.error("A listener of live limits has failed for {}.", change, e);
            }
        }
    }

    /** Why the live limit could not be applied to the limiters of a prefix and name; empty if it was. */
    private String problem(String prefix, String name) {
        StoredLimit stored = copy.limits.get(LiveJson.field(name));
        return stored == null || stored.problem().isEmpty() ? overrides.notApplied(prefix, name) : stored.problem();
    }

    void reconnect() {
        store.reconnect();
    }

    void close() {
        closed = true;
    }
}
