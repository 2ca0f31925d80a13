package io.limiter.live;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Limits of a fleet that are changed while it runs. Safe for use by many threads.
 *
 * <p>A live limit has a name and applies to all limiters of that name in all instances, whatever their prefix and hash tag, within about a second.
 * It overrides only the settings that it has, and it has precedence over {@link io.limiter.RateLimiter#setRate}, configuration and annotations.
 * Requests that already wait for permits of a concurrency limit keep the limit with which they started, but notice a ban or an exemption of their key
 * when they are decided next, within a second. Limiters without {@link io.limiter.LimiterOptions#withLiveLimits live limits} ignore it, but not the
 * live limits of their keys.
 *
 * <p>A live limit may be for one {@linkplain LiveKey key} of a name. There are at most {@value #MAX_KEYS} of these. It overrides the limit that its
 * key has without it, and may exempt or ban the key. A key belongs to the limit, whatever its {@linkplain io.limiter.LimiterOptions#withPlan plan}, so
 * in methods that take a key, the name of a plan that this instance has built stands for the name of its limit. A put under the name of another plan
 * is rejected if this instance has built its limit, and otherwise applies to nothing.
 *
 * <p>Live limits are stored in Redis, and each instance has a copy, which it uses while Redis is unavailable. If Redis loses them, the instances drop
 * their copies, unless {@link LiveOptions#restore()} is set. Versions then continue from the newest that the next writer knows, or from 0, so an old
 * version may be used again.
 *
 * <p>Methods throw {@link IllegalArgumentException} unless names have 1 to 200 characters and are not blank, and versions are from 0 to
 * {@value #MAX_VERSION}. A limit with a longer name has no live limit, and only methods that change one throw. Methods that call Redis block, and throw
 * {@link io.limiter.LimiterBackendException} if it fails.
 */
public interface LiveLimits {

    /**
     * No live limits, as in an application whose limits are not in Redis. Methods that read find none, and methods that change one throw
     * {@link UnsupportedOperationException}.
     */
    LiveLimits NONE = new NoLiveLimits();

    /** The highest version. */
    long MAX_VERSION = 999_999_999_999_999L;

    /** The largest number of live limits of keys in effect in one namespace. */
    int MAX_KEYS = 10_000;

    /** This instance's copy, by name, without those of keys, expired ones and those that it cannot read. */
    List<LiveLimit> list();

    /** This instance's copy of the live limits of the keys of a name. For a plan, they are those of its limit. */
    List<LiveLimit> keys(String name);

    /** This instance's copy of the live limits of the keys of all names. */
    List<LiveLimit> keys();

    /** This instance's copy of the live limit of a name. */
    Optional<LiveLimit> get(String name);

    /** This instance's copy of the live limit of one key. */
    Optional<LiveLimit> get(String name, LiveKey key);

    /** The version of the newest change that this instance has applied, or 0 before any. */
    long version();

    /**
     * The server's time, in which live limits are stored and expire. It is counted from the last reply, so it needs no call. Before the first
     * reply, it is this instance's clock.
     */
    Instant serverTime();

    /**
     * The current live settings of a name, or {@link LiveSettings#NONE} while it has no live limit. It is for callers that read them with each
     * call, which takes one volatile read.
     */
    Supplier<LiveSettings> settingsOf(String name);

    /**
     * Stores a live limit and applies it here. Other instances follow.
     *
     * @param settings replace those of the live limit that the name has
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that is replaced, {@link Unreadable#version()} of one
     *     that cannot be read, 0 if there is none
     * @throws IllegalArgumentException if the settings are out of range or do not fit the limiters of the name. Then nothing changes
     * @throws LiveConflictException if the name has a live limit of another version, or none. Then nothing changes
     */
    LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion);

    /**
     * Stores a live limit of one key, in the same way. It overrides the limit that the key has without it, even that of a plan:
     *
     * <pre>{@code
     * live.put("search", LiveKey.of("tenant-42"), LiveSettings.BANNED, note.withExpiry(Duration.ofMinutes(30)), 0);
     * }</pre>
     *
     * @param settings another definition, a failure policy, {@link LiveSettings#EXEMPT} or {@link LiveSettings#BANNED}
     * @throws IllegalArgumentException also if there are {@value #MAX_KEYS} live limits of keys. Then nothing changes
     */
    LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion);

    /**
     * Removes a live limit, so that the limiters have their own limits again. Does nothing if there is none and none is expected.
     *
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that is removed, or {@link Unreadable#version()}
     * @return the change, or empty if there was none
     * @throws LiveConflictException if the name has a live limit of another version, or none. Then nothing changes
     */
    Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion);

    /** Removes the live limit of one key, in the same way. */
    Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion);

    /** Whether both are the same key, each given as itself or as its hash. */
    boolean isSame(LiveKey one, LiveKey other);

    /** The live limits in Redis that this instance cannot read, by name. Its limiters of these names have their own limits. */
    List<Unreadable> unreadable();

    /**
     * A page of the changes of all names, newest first, from Redis, which keeps the last {@link LiveOptions#history()} of each
     * name, and the last 10,000 of all keys together.
     *
     * @param most how many changes the page has at most, from 1 to 1,000. It has more if several have the version of the last one
     * @param before a version below which all changes of the page are, or 0 for the newest page
     */
    LiveHistory history(int most, long before);

    /** The newest 50 changes that can be read. */
    default List<LiveChange> history() {
        return history(50, 0).changes();
    }

    /** The change of a version from 1 to {@value #MAX_VERSION}, if the history has it and it can be read. */
    default Optional<LiveChange> change(long version) {
        return history(1, version == MAX_VERSION ? 0 : version + 1).changes().stream()
                .filter(change -> change.version() == version)
                .findFirst();
    }

    /**
     * Undoes a change. That means it stores the live limit that the name had before, or removes the one that it has. A restored live limit expires
     * when it would have expired, unless the note says otherwise.
     *
     * @param version the version of a change in {@link #history(int, long)}
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that the name has now, or 0 if none
     * @return the change that restored it
     * @throws IllegalArgumentException if the history has no such change, or there is nothing to restore
     * @throws LiveConflictException if the name has a live limit of another version, or none. Then nothing changes
     */
    LiveChange rollBack(long version, ChangeNote note, long expectedVersion);

    /**
     * Calls a listener for each change after it was applied here. Changes arrive in their order and one at a time, on the thread that polls or one
     * that calls this object, so the listener must be fast. It may change live limits, and is called for these changes later. A live limit that
     * expires is a change without {@link LiveChange#after()}, with the version of the live limit.
     *
     * @return closing it ends the subscription
     */
    AutoCloseable subscribe(Consumer<LiveChange> listener);

    /** The reports of the instances. */
    Fleet fleet();
}
