package io.limiter.internal.live;

import io.limiter.LimiterBackendException;
import io.limiter.LimiterTotals;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.internal.live.store.Fields;
import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.Micros;
import io.limiter.internal.live.store.StoredChange;
import io.limiter.internal.live.store.StoredLimit;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.named.NamedLimit;
import io.limiter.internal.named.NamedLimits;
import io.limiter.live.ChangeNote;
import io.limiter.live.Fleet;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The live limits of a factory: reads its {@link LiveCopy}, and writes to Redis. */
final class StoredLiveLimits implements LiveLimits {

    private static final AsyncLog log = AsyncLog.of(StoredLiveLimits.class);

    private static final int MAX_NAME = 200;
    private static final int MAX_PAGE = 1_000;

    /** How long a copy may be cut off without bringing a removed limit back. */
    private static final long REMOVED_MICROS = TimeUnit.DAYS.toMicros(30);

    /** Shorter, because keys come and go. */
    private static final long REMOVED_KEY_MICROS = TimeUnit.DAYS.toMicros(1);

    private final LiveStore store;
    private final LiveCopy copy;
    private final NamedLimits named;
    private final FleetReports fleet;
    private final ChangeListeners listeners;
    private final LiveKeys liveKeys;
    private volatile boolean closed;

    StoredLiveLimits(
            LiveStore store,
            LiveCopy copy,
            NamedLimits named,
            FleetReports fleet,
            ChangeListeners listeners,
            Supplier<List<LimiterTotals>> totals,
            boolean showKeys) {
        this.store = store;
        this.copy = copy;
        this.named = named;
        this.fleet = fleet;
        this.listeners = listeners;
        this.liveKeys = new LiveKeys(copy, totals, showKeys);
    }

    @Override
    public List<LiveLimit> list() {
        return inEffect(limit -> limit.key().isEmpty());
    }

    @Override
    public List<LiveLimit> keys(String name) {
        String limiter = liveKeys.limiterOf(known(name));
        return inEffect(limit -> limit.key().isPresent() && limit.name().equals(limiter));
    }

    @Override
    public List<LiveLimit> keys() {
        return inEffect(limit -> limit.key().isPresent());
    }

    private List<LiveLimit> inEffect(Predicate<LiveLimit> wanted) {
        long now = copy.serverMicros();
        return copy.limits().values().stream()
                .filter(each -> each.isInEffect(now))
                .map(StoredLimit::limit)
                .filter(wanted)
                .toList();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        return ofField(Fields.of(known(name)));
    }

    @Override
    public Optional<LiveLimit> get(String name, LiveKey key) {
        String limiter = liveKeys.limiterOf(known(name));
        return ofField(Fields.of(limiter, Optional.of(liveKeys.stored(limiter, key, copy.secret()))));
    }

    private Optional<LiveLimit> ofField(String field) {
        return Optional.ofNullable(copy.limits().get(field))
                .filter(found -> found.isInEffect(copy.serverMicros()))
                .map(StoredLimit::limit);
    }

    @Override
    public boolean isSame(LiveKey one, LiveKey other) {
        return liveKeys.isSame(one, other);
    }

    @Override
    public List<Unreadable> unreadable() {
        return copy.limits().values().stream()
                .filter(each -> !each.problem().isEmpty())
                .map(each -> Unreadable.of(
                        each.limit().name(),
                        each.limit().version(),
                        ofKey(each.limit().key()) + each.problem()))
                .toList();
    }

    @Override
    public long version() {
        return copy.version();
    }

    @Override
    public Instant serverTime() {
        return Micros.toInstant(copy.serverMicros());
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        NamedLimit ofName = named.of(known(name));
        return () -> ofName.get() instanceof LiveLimitChange change ? change.settings() : LiveSettings.NONE;
    }

    @Override
    public Fleet fleet() {
        return fleet;
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        return put(name, Optional.empty(), settings, note, expectedVersion, 0)
                .after()
                .orElseThrow();
    }

    @Override
    public LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
        Objects.requireNonNull(key, "key");
        return put(liveKeys.limiterToPut(checked(name)), Optional.of(key), settings, note, expectedVersion, 0)
                .after()
                .orElseThrow();
    }

    static String ofKey(Optional<LiveKey> key) {
        return key.map(each -> "key '" + each + "': ").orElse("");
    }

    /**
     * @param expiresMicros when the limit ends, unless the note says that; 0 for never
     */
    private LiveChange put(
            String name,
            Optional<LiveKey> key,
            LiveSettings settings,
            ChangeNote note,
            long expectedVersion,
            long expiresMicros) {
        checked(name);
        Duration expiresIn = Objects.requireNonNull(note, "note").expiresIn();
        if (Objects.requireNonNull(settings, "settings").isEmpty()) {
            throw new IllegalArgumentException(
                    "the live limit of '" + name + "' sets nothing: set a number, enforce, timeout or onFailure");
        }
        if (key.isPresent()) {
            if (settings.timeout() != null || settings.enforce() != null) {
                throw new IllegalArgumentException("timeout and enforce are of all keys of '" + name
                        + "': leave them out for one key, or exempt it");
            }
        } else if (settings.access() != null) {
            throw new IllegalArgumentException("access " + settings.access() + " is for one key of '" + name
                    + "': name the key, or set enforce to false for all");
        }
        if (!named.of(name).check(new LiveLimitChange(settings), key.isPresent())) {
            new LiveLimitChange(settings).checkWithoutLimiter(name);
        }
        long lastsMicros = expiresIn == null ? 0 : TimeUnit.MILLISECONDS.toMicros(expiresIn.toMillis());
        return write(name, key, note, expectedVersion, lastsMicros, expiresMicros, StoredLimit.encode(settings, note))
                .orElseThrow();
    }

    @Override
    public Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion) {
        return remove(name, Optional.empty(), note, expectedVersion);
    }

    @Override
    public Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion) {
        return remove(
                liveKeys.limiterOf(checked(name)),
                Optional.of(Objects.requireNonNull(key, "key")),
                note,
                expectedVersion);
    }

    private Optional<LiveChange> remove(String name, Optional<LiveKey> key, ChangeNote note, long expectedVersion) {
        long keptMicros = key.isPresent() ? REMOVED_KEY_MICROS : REMOVED_MICROS;
        return write(name, key, Objects.requireNonNull(note, "note"), expectedVersion, keptMicros, 0, "");
    }

    /**
     * @throws IllegalArgumentException if no limit can have this name
     */
    private static String known(@Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("name must have 1 to " + MAX_NAME + " characters, had none");
        }
        return name;
    }

    /**
     * @throws IllegalArgumentException if no live limit can have this name
     */
    private static String checked(@Nullable String name) {
        String known = known(name);
        if (known.length() > MAX_NAME) {
            throw new IllegalArgumentException("name must have 1 to " + MAX_NAME + " characters, had " + known.length()
                    + ": give the limit a shorter name");
        }
        return known;
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
            String name,
            Optional<LiveKey> key,
            ChangeNote note,
            long expectedVersion,
            long lastsMicros,
            long expiresMicros,
            String limit) {
        checked(name);
        checkedVersion("expectedVersion", expectedVersion, 0);
        if (closed) {
            throw BackendFailures.closed(store.limits);
        }
        for (int attempt = 0; ; attempt++) {
            pollBeforeWrite(key);
            // Once, because another poll in between may read another one.
            String secret = copy.secret();
            Optional<LiveKey> stored = key.map(each -> liveKeys.stored(name, each, secret));
            List<String> written = store.write(
                    Fields.of(name, stored),
                    expectedVersion,
                    copy.newestVersion(),
                    lastsMicros,
                    expiresMicros,
                    limit,
                    StoredLimit.note(note.who(), note.why()),
                    secret);
            switch (written.get(0)) {
                case "done" -> {
                    pollAfterWrite();
                    return Optional.of(StoredChange.parse(written.get(1)).change());
                }
                case "conflict" -> {
                    String found = written.get(1);
                    Optional<LiveLimit> current = found.isEmpty()
                            ? Optional.empty()
                            : Optional.of(StoredLimit.parse(name, stored, found).limit());
                    throw new LiveConflictException(
                            name + stored.map(each -> "', key '" + each).orElse(""), expectedVersion, current);
                }
                case "full" ->
                    throw new IllegalArgumentException("there are " + MAX_KEYS
                            + " live limits of keys, and there cannot be more: remove some, or let them expire");
                case "secret" -> {
                    // The next poll reads it, but does not tell which key a hash was of.
                    if (attempt > 0 || key.orElseThrow().hashed()) {
                        throw new IllegalArgumentException((secret.isEmpty()
                                        ? "no key has this hash, because there is no secret for hashing keys yet"
                                        : "the hashes of keys have changed, because Redis has lost their secret")
                                + ": read the hash of the key again, and repeat the change with it");
                    }
                }
                default -> {
                    return Optional.empty();
                }
            }
        }
    }

    /** Polls first, so that a loss is seen: after the write the store is no longer empty. */
    private void pollBeforeWrite(Optional<LiveKey> key) {
        copy.poll();
        if (key.filter(liveKeys::needsSecret).isPresent()) {
            store.makeSecret();
            copy.poll();
        }
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
        return HistoryPage.of(store.history(most, checkedVersion("before", before, 0)), most);
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
                before == null ? 0 : before.expiresAt().map(Micros::of).orElse(0L);
        if (before == null || note.expiresIn() == null && expiresMicros != 0 && expiresMicros <= copy.serverMicros()) {
            return remove(name, undone.key(), note, expectedVersion)
                    .orElseThrow(() -> new IllegalArgumentException("'" + name
                            + "' has no live limit, and version " + version
                            + " replaced none that would last until now:"
                            + " there is nothing to restore"));
        }
        if (before.settings().isEmpty()) {
            throw new IllegalArgumentException("what version " + version + " of '" + name
                    + "' replaced cannot be read: store the limit again instead");
        }
        return put(name, undone.key(), before.settings(), note, expectedVersion, expiresMicros);
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        return listeners.add(listener);
    }

    void close() {
        closed = true;
    }
}
