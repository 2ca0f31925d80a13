package io.limiter.live;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Limits of a fleet that are changed while it runs. Safe for use by many threads.
 *
 * <p>A live limit has a name and applies to all limiters of that name in all instances, whatever their prefix and hash tag,
 * within about a second. Requests that already wait for permits of a concurrency limit keep the limit that they started
 * with, but see a ban or an exemption of their key when they are decided next, within a second. It overrides only the settings that it has, and it outranks {@link io.limiter.RateLimiter#setRate},
 * configuration and annotations. Limiters without {@link io.limiter.LimiterOptions#withLiveLimits live limits} ignore it, but for those of keys.
 *
 * <p>A live limit may be for one {@linkplain LiveKey key} of a name, {@value #MAX_KEYS} of them at most. It overrides what its key has
 * without it, and may exempt or ban the key. Whatever its {@linkplain io.limiter.LimiterOptions#withPlan plan}, a key is that of the
 * limit: where methods take a key, the name of a plan that this instance has built stands for that of its limit. A put under the name of
 * another plan is rejected if this instance has built its limit; otherwise it applies to nothing.
 *
 * <p>Live limits are stored in Redis; each instance has a copy, which it uses while Redis is unavailable. If Redis loses
 * them, the instances drop theirs, unless {@link LiveOptions#restore()} is set; versions then go on from the newest that the
 * next writer knows, or from 0, so an old version may be used again.
 *
 * <p>Names have 1 to 200 characters and are not blank, and versions are from 0 to {@value #MAX_VERSION}; methods throw
 * {@link IllegalArgumentException} otherwise. A limit with a longer name has no live limit, and only methods that change one throw. Those that call Redis block, and throw {@link io.limiter.LimiterBackendException}
 * if it fails.
 */
public interface LiveLimits {

    /**
     * No live limits, as in an application whose limits are not in Redis: what reads finds none, and what changes one throws
     * {@link UnsupportedOperationException}.
     */
    LiveLimits NONE = new NoLiveLimits();

    /** The highest version. */
    long MAX_VERSION = 999_999_999_999_999L;

    /** Most live limits of keys that are in effect in one namespace. */
    int MAX_KEYS = 10_000;

    /** This instance's copy, by name, without those of keys, expired ones and those that it cannot read. */
    List<LiveLimit> list();

    /** This instance's copy of the live limits of the keys of a name; of a plan, those of its limit. */
    List<LiveLimit> keys(String name);

    /** This instance's copy of the live limits of the keys of all names. */
    List<LiveLimit> keys();

    /** This instance's copy of the live limit of a name. */
    Optional<LiveLimit> get(String name);

    /** This instance's copy of the live limit of one key. */
    Optional<LiveLimit> get(String name, LiveKey key);

    /** The version of the newest change that this instance has applied; 0 before any. */
    long version();

    /**
     * The server's time, by which live limits are stored and expire. Counted from the last reply, so it needs no call; before the
     * first one, by this instance's clock.
     */
    Instant serverTime();

    /**
     * The current live settings of a name, for callers that read them with each call, which takes one volatile read;
     * {@link LiveSettings#NONE} while it has no live limit.
     */
    Supplier<LiveSettings> settingsOf(String name);

    /**
     * Stores a live limit and applies it here; other instances follow.
     *
     * @param settings replace those of the live limit that the name has
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that is replaced, {@link Unreadable#version()} of one
     *     that cannot be read, 0 if there is none
     * @throws IllegalArgumentException if the settings are out of range or do not fit the limiters of the name; nothing changes
     * @throws LiveConflictException if the name has a live limit of another version, or none; nothing changes
     */
    LiveLimit put(String name, LiveSettings settings, ChangeNote note, long expectedVersion);

    /**
     * Stores a live limit of one key, in the same way. It overrides the limit that the key has without it, that of a plan too:
     *
     * <pre>{@code
     * live.put("search", LiveKey.of("tenant-42"), LiveSettings.BANNED, note.withExpiry(Duration.ofMinutes(30)), 0);
     * }</pre>
     *
     * @param settings another definition, a failure policy, {@link LiveSettings#EXEMPT} or {@link LiveSettings#BANNED}
     * @throws IllegalArgumentException also if there are {@value #MAX_KEYS} live limits of keys; nothing changes
     */
    LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion);

    /**
     * Removes a live limit, so that the limiters have their own limits again. Does nothing if there is none and none is expected.
     *
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that is removed, or {@link Unreadable#version()}
     * @return the change; empty if there was none
     * @throws LiveConflictException if the name has a live limit of another version, or none; nothing changes
     */
    Optional<LiveChange> remove(String name, ChangeNote note, long expectedVersion);

    /** Removes the live limit of one key, in the same way. */
    Optional<LiveChange> remove(String name, LiveKey key, ChangeNote note, long expectedVersion);

    /** Whether both are the same key, each by itself or by its hash. */
    boolean isSame(LiveKey one, LiveKey other);

    /** The live limits in Redis that this instance cannot read, by name. Its limiters of these names have their own limits. */
    List<Unreadable> unreadable();

    /**
     * A page of the changes of all names, newest first, from Redis, which keeps the last {@link LiveOptions#history()} of each
     * name, and the last 10,000 of all keys together.
     *
     * @param most changes in the page, from 1 to 1,000; more if several have the version of the last one
     * @param before the version that all in the page are below; 0 for the newest page
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
     * Restores what a change replaced: stores the live limit that the name had before, or removes the one it has. A restored
     * live limit expires when it would have, unless the note says otherwise.
     *
     * @param version of a change in {@link #history(int, long)}
     * @param expectedVersion {@link LiveLimit#version()} of the live limit that the name has now; 0 if none
     * @return the change that restored it
     * @throws IllegalArgumentException if the history has no such change, or there is nothing to restore
     * @throws LiveConflictException if the name has a live limit of another version, or none; nothing changes
     */
    LiveChange rollBack(long version, ChangeNote note, long expectedVersion);

    /**
     * Calls a listener for each change after it was applied here, in their order and one at a time, on the thread that polls or
     * one that calls this object, so it must be fast. It may change live limits; it is called for these changes later. A live limit
     * that expires is a change without {@link LiveChange#after()}, whose version is the live limit's.
     *
     * @return ends it
     */
    AutoCloseable subscribe(Consumer<LiveChange> listener);

    /** What the instances report. */
    Fleet fleet();
}
