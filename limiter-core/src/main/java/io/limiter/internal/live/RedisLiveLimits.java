package io.limiter.internal.live;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.internal.failure.BackendFailures;
import io.limiter.internal.limiter.OverridesByName;
import io.limiter.internal.live.LiveJson.StoredChange;
import io.limiter.internal.live.LiveJson.StoredLimit;
import io.limiter.internal.log.AsyncLog;
import io.limiter.live.ChangeNote;
import io.limiter.live.Fleet;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

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

    private final LiveStore store;
    private final OverridesByName overrides;
    private final FleetReports fleet;
    private final Ticker ticker;
    private final boolean restores;
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
     * @param restores whether the copy is written back if Redis has lost the live limits
     */
    RedisLiveLimits(LiveStore store, OverridesByName overrides, FleetReports fleet, Ticker ticker, boolean restores) {
        this.store = store;
        this.overrides = overrides;
        this.fleet = fleet;
        this.ticker = ticker;
        this.restores = restores;
    }

    /**
     * What this instance has applied.
     *
     * @param limits by name
     */
    private record Copy(long version, String stamp, Map<String, StoredLimit> limits) {
        static final Copy EMPTY = new Copy(0, "", Map.of());
    }

    @Override
    public List<LiveLimit> list() {
        long now = serverMicros();
        return copy.limits.values().stream()
                .filter(each -> !each.isExpired(now))
                .map(StoredLimit::limit)
                .toList();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        StoredLimit found = copy.limits.get(name);
        return found == null || found.isExpired(serverMicros()) ? Optional.empty() : Optional.of(found.limit());
    }

    @Override
    public long version() {
        return copy.version;
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        return overrides.of(name);
    }

    @Override
    public Fleet fleet() {
        return fleet;
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        Duration expiresIn = note.expiresIn();
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
        checkName(name);
        if (settings.isEmpty()) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' sets nothing: set a number, enforce, timeout or failurePolicy");
        }
        overrides.check(name, settings);
        return write(name, note, expectedVersion, lastsMicros, expiresMicros, LiveJson.limit(settings, note))
                .orElseThrow();
    }

    @Override
    public void remove(String name, ChangeNote note, long expectedVersion) {
        write(name, note, expectedVersion, 0, 0, "");
    }

    private static void checkName(String name) {
        if (name.isBlank() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException("name must have 1 to " + MAX_NAME + " characters, had "
                    + (name.isBlank() ? "none" : String.valueOf(name.length())));
        }
    }

    /**
     * @param limit empty to remove it
     * @return empty if there was nothing to remove
     */
    private Optional<LiveChange> write(
            String name, ChangeNote note, long expectedVersion, long lastsMicros, long expiresMicros, String limit) {
        if (closed) {
            throw BackendFailures.closed(LiveStore.LIMITS);
        }
        if (expectedVersion < 0) {
            throw new IllegalArgumentException("expectedVersion must be at least 0, was " + expectedVersion);
        }
        // First, so that a loss is seen: after the write the store is no longer empty.
        poll();
        LiveStore.Written written = store.write(new LiveStore.Write(
                LiveJson.field(name),
                expectedVersion,
                newestVersion(),
                UUID.randomUUID().toString(),
                lastsMicros,
                expiresMicros,
                limit,
                LiveJson.note(note)));
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
    public List<LiveChange> history() {
        return store.history().stream()
                .map(LiveJson::change)
                .map(StoredChange::change)
                .toList();
    }

    @Override
    public LiveChange rollBack(long version, ChangeNote note, long expectedVersion) {
        LiveChange undone = history().stream()
                .filter(change -> change.version() == version)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the history has no change of version " + version
                        + " (any more): it has the last 50 changes; store the limit again instead"));
        String name = undone.name();
        LiveLimit before = undone.before().orElse(null);
        long expiresMicros =
                before == null ? 0 : before.expiresAt().map(LiveJson::micros).orElse(0L);
        if (before == null || note.expiresIn() == null && expiresMicros != 0 && expiresMicros <= serverMicros()) {
            return write(name, note, expectedVersion, 0, 0, "")
                    .orElseThrow(() -> new IllegalArgumentException("'" + name
                            + "' has no live limit, and version " + version
                            + " replaced none that would last until now:"
                            + " there is nothing to restore"));
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
        LiveStore.Read read = read();
        if (restores && read.version() < copy.version) {
            restore();
            read = read();
        }
        if (read.version() < copy.version) {
            log.warn(
                    "Redis has lost live limits: it has version {} of them, and this instance had {}. It drops what is not"
                            + " there; {}.",
                    read.version(),
                    copy.version,
                    restores
                            ? "it was not written back, because live limits have been changed since"
                            : "set LiveOptions.restore to have it written back");
        }
        boolean sameVersion = read.version() == copy.version && read.stamp().equals(copy.stamp);
        if (sameVersion && !read.complete()) {
            log.warn(
                    "Redis has lost live limits of version {}, as it does when it evicts them. This instance drops them.",
                    copy.version);
        }
        if (!sameVersion || !read.complete()) {
            apply(read);
        }
        endExpired();
        boolean watched = !read.watched().isEmpty();
        if (watched) {
            report(read.watched());
        }
        return watched;
    }

    /** Redis may refuse the report and still have the live limits, for example without memory. */
    private void report(String secret) {
        try {
            fleet.report(copy.version, secret, this::problem);
        } catch (RuntimeException e) {
            log.debug("What this instance decides could not be reported.", e);
        }
    }

    private LiveStore.Read read() {
        long before = ticker.read();
        long soon = serverMicros() + EXPIRES_SOON_MICROS;
        boolean hasLimits = copy.limits.values().stream().anyMatch(each -> !each.isExpired(soon));
        LiveStore.Read read = store.read(copy.version, copy.stamp, hasLimits, expiredFields);
        offsetMicros = read.nowMicros() - (before + (ticker.read() - before) / 2) / 1000;
        expiredFields.clear();
        return read;
    }

    /** Writes the copy back. If another instance has a newer one, or live limits were changed since, that stays. */
    private void restore() {
        Map<String, String> limits = new TreeMap<>();
        long now = serverMicros();
        copy.limits.forEach((name, limit) -> {
            if (!limit.isExpired(now)) {
                limits.put(LiveJson.field(name), limit.stored());
            }
        });
        if (store.restore(copy.version, copy.stamp, limits)) {
            log.warn(
                    "Redis had lost the live limits; this instance has written version {} of them back.", copy.version);
        }
    }

    private void apply(LiveStore.Read read) {
        Copy before = copy;
        Map<String, StoredLimit> limits = new TreeMap<>(before.limits);
        List<LiveChange> changes = read.complete() ? changed(read.changes(), limits) : replaced(read, limits);
        long now = serverMicros();
        copy = new Copy(read.version(), read.stamp(), limits);
        newestVersion = Math.max(newestVersion, read.version());
        for (LiveChange change : changes) {
            StoredLimit after = limits.get(change.name());
            // Expired ones follow in endExpired().
            overrides.live(
                    change.name(),
                    after == null || after.isExpired(now)
                            ? LiveSettings.NONE
                            : after.limit().settings());
            if (after != null && !after.problem().isEmpty()) {
                log.warn("The limiters '{}' keep their own limit: {}", change.name(), after.problem());
            }
        }
        unpublished.addAll(changes);
    }

    /** Applies the entries of the history to the limits. */
    private static List<LiveChange> changed(List<String> newestFirst, Map<String, StoredLimit> limits) {
        List<LiveChange> changes = new ArrayList<>();
        for (int i = newestFirst.size() - 1; i >= 0; i--) {
            StoredChange stored = LiveJson.change(newestFirst.get(i));
            if (stored.after() == null) {
                limits.remove(stored.change().name());
            } else {
                limits.put(stored.change().name(), stored.after());
            }
            changes.add(stored.change());
        }
        return changes;
    }

    /** Replaces the limits by all that are stored. */
    private static List<LiveChange> replaced(LiveStore.Read read, Map<String, StoredLimit> limits) {
        Map<String, LiveChange> latest = new HashMap<>();
        for (int i = read.changes().size() - 1; i >= 0; i--) {
            LiveChange change = LiveJson.change(read.changes().get(i)).change();
            latest.put(change.name(), change);
        }
        Map<String, StoredLimit> before = new TreeMap<>(limits);
        limits.clear();
        List<LiveChange> changes = new ArrayList<>();
        read.limits().forEach((field, value) -> {
            String name = LiveJson.name(field);
            StoredLimit known = before.remove(name);
            StoredLimit stored = known != null && known.stored().equals(value) ? known : LiveJson.stored(name, value);
            limits.put(name, stored);
            if (stored != known) {
                LiveLimit limit = stored.limit();
                changes.add(new LiveChange(
                        limit.version(),
                        name,
                        Optional.ofNullable(known).map(StoredLimit::limit),
                        Optional.of(limit),
                        limit.since(),
                        limit.who(),
                        limit.why()));
            }
        });
        before.forEach((name, removed) -> {
            LiveChange removal = latest.get(name);
            changes.add(
                    removal != null && removal.after().isEmpty()
                            ? ended(removed, removal.version(), removal.at(), removal.who(), removal.why())
                            : ended(
                                    removed,
                                    read.version(),
                                    LiveJson.instant(read.nowMicros()),
                                    "",
                                    "Redis does not have it any more"));
        });
        changes.sort(Comparator.comparingLong(LiveChange::version));
        return changes;
    }

    private static LiveChange ended(StoredLimit removed, long version, Instant at, String who, String why) {
        LiveLimit limit = removed.limit();
        return new LiveChange(version, limit.name(), Optional.of(limit), Optional.empty(), at, who, why);
    }

    /** Ends live limits whose time is over, also while Redis is unavailable. */
    void expire() {
        try {
            endExpired();
        } finally {
            publish();
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
        for (StoredLimit each : expired) {
            limits.remove(each.limit().name());
        }
        copy = new Copy(copy.version, copy.stamp, limits);
        for (StoredLimit each : expired) {
            LiveLimit limit = each.limit();
            expiredFields.add(LiveJson.field(limit.name()));
            overrides.live(limit.name(), LiveSettings.NONE);
            unpublished.add(ended(
                    each, limit.version(), limit.expiresAt().orElseThrow(), limit.who(), "expired: " + limit.why()));
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
        StoredLimit stored = copy.limits.get(name);
        return stored == null || stored.problem().isEmpty() ? overrides.notApplied(prefix, name) : stored.problem();
    }

    void reconnect() {
        store.reconnect();
    }

    void close() {
        closed = true;
    }
}
