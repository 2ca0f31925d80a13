package io.limiter.live;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** {@link LiveLimits#NONE}. */
final class NoLiveLimits implements LiveLimits {

    @Override
    public List<LiveLimit> list() {
        return List.of();
    }

    @Override
    public List<LiveLimit> keys(String name) {
        return List.of();
    }

    @Override
    public List<LiveLimit> keys() {
        return List.of();
    }

    @Override
    public Optional<LiveLimit> get(String name) {
        return Optional.empty();
    }

    @Override
    public Optional<LiveLimit> get(String name, LiveKey key) {
        return Optional.empty();
    }

    @Override
    public long version() {
        return 0;
    }

    @Override
    public Instant serverTime() {
        return Instant.now();
    }

    @Override
    public Supplier<LiveSettings> settingsOf(String name) {
        return () -> LiveSettings.NONE;
    }

    @Override
    public LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion) {
        throw unsupported();
    }

    @Override
    public LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
        throw unsupported();
    }

    @Override
    public Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion) {
        throw unsupported();
    }

    @Override
    public Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion) {
        throw unsupported();
    }

    @Override
    public boolean isSame(LiveKey one, LiveKey other) {
        return one.equals(other);
    }

    @Override
    public List<Unreadable> unreadable() {
        return List.of();
    }

    @Override
    public LiveHistory history(int most, long before) {
        return LiveHistory.of(List.of(), List.of(), 0);
    }

    @Override
    public LiveChange rollBack(long version, ChangeNote note, long expectedVersion) {
        throw unsupported();
    }

    @Override
    public AutoCloseable subscribe(Consumer<LiveChange> listener) {
        return () -> {};
    }

    @Override
    public Fleet fleet() {
        return () -> Fleet.Reports.of(List.of(), List.of());
    }

    private UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException(toString());
    }

    /** Says how to have some. */
    @Override
    public String toString() {
        return "There are no live limits here. They are stored in Redis: with Spring Boot, leave limiter.enabled and"
                + " limiter.live.enabled at true and limiter.type at redis, and declare a factory of your own as a"
                + " RedisRateLimiterFactory; otherwise start them with RedisLiveLimits.";
    }
}
