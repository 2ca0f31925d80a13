package io.limiter.live;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Forwards to other live limits. Subclasses override what they change. */
public abstract class ForwardingLiveLimits implements LiveLimits {

    private final LiveLimits delegate;

    protected ForwardingLiveLimits(LiveLimits delegate) {
        this.delegate = Objects.requireNonNull(delegate, "delegate");
    }

    @Override
    public List<LiveLimit> list() {
        return delegate.list();
    }

    @Override
    public List<LiveLimit> keys(String name) {
        return delegate.keys(name);
    }

    @Override
    public List<LiveLimit> keys() {
        return delegate.keys();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        return delegate.get(name);
    }

    @Override
    public Optional<LiveLimit> get(String name, LiveKey key) {
        return delegate.get(name, key);
    }

    @Override
    public boolean isSame(LiveKey one, LiveKey other) {
        return delegate.isSame(one, other);
    }

    @Override
    public long version() {
        return delegate.version();
    }

    @Override
    public Instant serverTime() {
        return delegate.serverTime();
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        return delegate.settingsOf(name);
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        return delegate.put(name, settings, note, expectedVersion);
    }

    @Override
    public LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
        return delegate.put(name, key, settings, note, expectedVersion);
    }

    @Override
    public Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion) {
        return delegate.remove(name, note, expectedVersion);
    }

    @Override
    public Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion) {
        return delegate.remove(name, key, note, expectedVersion);
    }

    @Override
    public List<Unreadable> unreadable() {
        return delegate.unreadable();
    }

    @Override
    public LiveHistory history(int most, long before) {
        return delegate.history(most, before);
    }

    @Override
    public LiveChange rollBack(long version, ChangeNote note, long expectedVersion) {
        return delegate.rollBack(version, note, expectedVersion);
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        return delegate.subscribe(listener);
    }

    @Override
    public Fleet fleet() {
        return delegate.fleet();
    }
}
