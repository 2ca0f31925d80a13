package io.limiter.internal.live;

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
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The live limits of a factory: reads its {@link LiveCopy}, and writes to Redis. */
final class RedisLiveLimits implements LiveLimits {

    private static final AsyncLog log = AsyncLog.of(RedisLiveLimits.class);

    private static final int MAX_NAME = 200;
    private static final int MAX_PAGE = 1_000;

    /** How long a copy may be cut off without bringing a removed limit back. */
    private static final long REMOVED_MICROS = TimeUnit.DAYS.toMicros(30);

    private final LiveStore store;
    private final LiveCopy copy;
    private final OverridesByName overrides;
    private final FleetReports fleet;
    private final ChangeListeners listeners;
    private volatile boolean closed;

    RedisLiveLimits(
            LiveStore store, LiveCopy copy, OverridesByName overrides, FleetReports fleet, ChangeListeners listeners) {
        this.store = store;
        this.copy = copy;
        this.overrides = overrides;
        this.fleet = fleet;
        this.listeners = listeners;
    }

    @Override
    public List<LiveLimit> list() {
        long now = copy.serverMicros();
        return copy.limits().values().stream()
                .filter(each -> each.isInEffect(now))
                .map(StoredLimit::limit)
                .toList();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        return Optional.ofNullable(copy.limits().get(checkedField(name)))
                .filter(found -> found.isInEffect(copy.serverMicros()))
                .map(StoredLimit::limit);
    }

    @Override
    public List<Unreadable> unreadable() {
        return copy.limits().values().stream()
                .filter(each -> !each.problem().isEmpty())
                .map(each -> new Unreadable(each.limit().name(), each.limit().version(), each.problem()))
                .toList();
    }

    @Override
    public long version() {
        return copy.version();
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
        return put(name, settings, note, expectedVersion, 0).after().orElseThrow();
    }

    /**
     * @param expiresMicros when the limit ends, unless the note says that; 0 for never
     */
    private LiveChange put(
            String name, LiveSettings settings, ChangeNote note, long expectedVersion, long expiresMicros) {
        checkedField(name);
        Duration expiresIn = Objects.requireNonNull(note, "note").expiresIn();
        if (Objects.requireNonNull(settings, "settings").isEmpty()) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' sets nothing: set a number, enforce, timeout or failurePolicy");
        }
        overrides.of(name).check(settings);
        long lastsMicros = expiresIn == null ? 0 : TimeUnit.MILLISECONDS.toMicros(expiresIn.toMillis());
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
            throw BackendFailures.closed(store.limits);
        }
        // First, so that a loss is seen: after the write the store is no longer empty.
        copy.poll();
        List<String> written = store.write(
                field,
                expectedVersion,
                copy.newestVersion(),
                lastsMicros,
                expiresMicros,
                limit,
                LiveJson.note(note.who(), note.why()));
        return switch (written.get(0)) {
            case "done" -> {
                pollAfterWrite();
                yield Optional.of(LiveJson.change(written.get(1)).change());
            }
            case "conflict" -> {
                String found = written.get(1);
                Optional<LiveLimit> current = found.isEmpty()
                        ? Optional.empty()
                        : Optional.of(LiveJson.stored(name, found).limit());
                throw new LiveConflictException(name, expectedVersion, current);
            }
            default -> Optional.empty();
        };
    }

    /** The change is stored. If Redis fails now, the next poll applies it. */
    private void pollAfterWrite() {
        try {
            copy.poll();
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
        if (before == null || note.expiresIn() == null && expiresMicros != 0 && expiresMicros <= copy.serverMicros()) {
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
        return put(name, before.settings(), note, expectedVersion, expiresMicros);
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        return listeners.add(listener);
    }

    void close() {
        closed = true;
    }
}
