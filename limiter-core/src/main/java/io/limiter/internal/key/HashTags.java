package io.limiter.internal.key;

import java.util.function.ToIntFunction;

/**
 * The hash tags over which the keys of a Redis Cluster are spread. A call can have keys of one slot only, so keys that share a
 * hash tag can share calls, and with a hash tag of its own, hardly any key does.
 *
 * <p>The slots are divided into equal parts, and each part has one hash tag: <code>{#n}</code>, with the lowest {@code n}
 * whose slot is in it, so that nodes with equally many slots have equally many hash tags. A key has the hash tag of the part
 * that its own slot is in, which leaves the name of the limiter out: all limits of a key are in one slot. No key that is a hash
 * tag itself can look like this, because {@code #} is encoded in keys, and followed by 64 digits in hashes.
 *
 * <p>Immutable.
 */
public final class HashTags {

    /** Each key has its own. */
    public static final HashTags NONE = new HashTags(0, key -> 0);

    /** In place of those that are not known yet: as {@link #NONE}, but what is built with it must not be kept. */
    public static final HashTags UNKNOWN = new HashTags(0, key -> 0);

    /** More would hardly share calls. */
    public static final int MOST = 1024;

    private static final int SLOTS = 16_384;

    private final String[] tags;
    private final ToIntFunction<String> slotOf;

    /**
     * @param slotOf the slot of a key in a Redis Cluster
     * @throws IllegalArgumentException if it is less than 0 or more than {@value #MOST}
     */
    public HashTags(int count, ToIntFunction<String> slotOf) {
        this.tags = new String[checked(count)];
        this.slotOf = slotOf;
        int missing = count;
        for (int n = 0; missing > 0; n++) {
            String tag = "#" + n;
            int part = part(tag);
            if (tags[part] == null) {
                tags[part] = "{" + tag + "}";
                missing--;
            }
        }
    }

    public static int checked(int count) {
        if (count < 0 || count > MOST) {
            throw new IllegalArgumentException(
                    "hashTags must be between 0 and " + MOST + ", was " + count
                            + ": about two for each master that the Cluster will ever have, or 0 for one of its own for each key");
        }
        return count;
    }

    /**
     * What a stored key has in front of the braces of its name; empty if there are none.
     *
     * @param encodedKey without braces
     */
    String of(String encodedKey) {
        return tags.length == 0 ? "" : tags[part(encodedKey)];
    }

    private int part(String text) {
        return slotOf.applyAsInt(text) * tags.length / SLOTS;
    }

    /** Whether the first braces of a stored key have such a hash tag. */
    static boolean isSpread(String storedKey) {
        int first = storedKey.indexOf('{') + 1;
        // A hash is longer.
        return storedKey.startsWith("#", first) && storedKey.indexOf('}', first) - first < KeySpace.HASH_LENGTH;
    }
}
