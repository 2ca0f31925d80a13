package io.limiter.internal.key;

import com.google.common.hash.Hashing;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.RedisPermits;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Builds the Redis keys of one limiter. The first key is the hash tag: <code>prefix{user}{name}</code>, and with further keys,
 * separated by {@code #}, <code>prefix{tenant}{name:user#device}</code>. If the whole path is the hash tag, it follows the name:
 * <code>prefix{name:tenant#user}</code>. Where keys are spread over hash tags, see {@link HashTags}, that of what would be the hash
 * tag otherwise comes first: <code>prefix{#7}{user}{name}</code>. A namespace stands in front of the prefix:
 * <code>shop:prefix{user}{name}</code>.
 *
 * <p>The limiter's own permits have its name as their hash tag, <code>prefix{name}</code>; of a name with a slash, what is before
 * that, so that limits which belong together can be in one slot: <code>prefix{api}{api/day:}</code>, where the colon tells it from
 * permits of the key {@code api}.
 *
 * <p>Names come from developers, keys from callers, and no caller may be able to forge another key. So every
 * character with a meaning here is percent-encoded: braces (they delimit the hash tag of a Redis Cluster, and
 * suffixes such as that of the lock follow them), the colon within a name (the first one separates name and key),
 * {@code #} (it separates keys, and at the beginning marks a hash) and {@code %} itself; and so is everything outside
 * printable ASCII. A key longer than {@value #MAX_KEY_LENGTH} bytes is replaced by its SHA-256, so callers cannot
 * make keys grow.
 */
public final class KeySpace {

    /** Longest encoded key, in bytes, that is not replaced by its hash. */
    public static final int MAX_KEY_LENGTH = 128;

    /** Longest namespace, in characters. */
    public static final int MAX_NAMESPACE = 100;

    /** Length of a hash: {@code #} and 64 digits. */
    static final int HASH_LENGTH = 65;

    /** Suffix of the key of a ban, which has the key of its limit otherwise. */
    private static final String BAN = ":ban";

    /** What follows the hash tag in the key of a call; limiters have a brace there, or one of the suffixes. */
    private static final String CALL = ":call:";

    /** Suffix of the key of a lock. */
    public static final String LOCK = ":lock";

    /** Prefix of keys that no limiter uses, for probes of the backend. */
    public static final String PROBE = "limiter:probe:";

    private static final Pattern SUFFIX = Pattern.compile("[A-Za-z0-9:._-]{0,32}");

    private static final Pattern ENCODED = Pattern.compile("%(?:u(\\p{XDigit}{4})|(\\p{XDigit}{2}))");

    /** Of 10,000 keys in use, one request in forty has its key built again. */
    private static final int CACHE_SIZE = 1 << 15;

    private static final int PLACE_SHIFT = Integer.SIZE - 14;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final String start;
    private final String prefix;
    private final String name;
    private final boolean firstIsHashTag;
    private final Supplier<HashTags> hashTags;
    private final @Nullable BuiltKey[] recent;
    // Kept, because each request of a key needs it.
    private final int hash = System.identityHashCode(this);
    private final String own;
    private final String named;
    private final String end;

    /** The first key is the hash tag. */
    public KeySpace(String prefix, String name, String suffix) {
        this("", prefix, name, suffix, true, () -> HashTags.NONE);
    }

    /** Keys that were built a short while ago, of all limiters of a factory, with which they are forgotten. */
    public static final class Recent {

        // Each key has two places next to each other; the first is for the latest one built. Threads need not
        // synchronize, because records are published safely.
        private final @Nullable BuiltKey[] table = new BuiltKey[CACHE_SIZE];
    }

    /** With recent keys of its own. */
    public KeySpace(
            String namespace,
            String prefix,
            String name,
            String suffix,
            boolean firstIsHashTag,
            Supplier<HashTags> hashTags) {
        this(namespace, prefix, name, suffix, firstIsHashTag, hashTags, new Recent());
    }

    /**
     * @param namespace in front of the prefix, with a colon; empty for none
     * @param suffix appended after the hash tag, so it does not affect the slot, and no caller can forge it
     * @param firstIsHashTag whether the first key is the hash tag, and not all of them
     * @param hashTags over which keys are spread; first used when a key is built
     * @param recent those of the factory
     * @throws IllegalArgumentException if the name is blank, the namespace is too long, the prefix contains braces, or the suffix
     *     could change the hash tag or collide with that of a lock
     */
    public KeySpace(
            String namespace,
            String prefix,
            String name,
            String suffix,
            boolean firstIsHashTag,
            Supplier<HashTags> hashTags,
            Recent recent) {
        checkNamespace(namespace);
        checkPrefix(prefix);
        requireNotBlank("name", name);
        checkSuffix(suffix);
        this.start = namespace.isEmpty() ? prefix : encodeName(namespace) + ":" + prefix;
        this.prefix = prefix;
        this.name = name;
        this.firstIsHashTag = firstIsHashTag;
        this.hashTags = hashTags;
        this.recent = recent.table;
        String encodedName = encodeName(name);
        this.end = "}" + suffix;
        this.named = "{" + encodedName;
        int slash = encodedName.indexOf('/');
        this.own = slash > 0
                ? start + "{" + encodedName.substring(0, slash) + "}" + named + ":" + end
                : start + named + end;
    }

    /** The prefix of a limit for which none is chosen, in code and everywhere else: that of its kind, which is its state. */
    public static String defaultPrefix(AnyLimit limit) {
        if (limit.asStep().stateType() == RedisPermits.class) {
            return "rateLimit:";
        }
        return limit instanceof ConcurrencyLimit ? "concurrentLimit:" : "countLimit:";
    }

    /**
     * @throws IllegalArgumentException if the namespace is too long, or is not empty but blank
     */
    public static void checkNamespace(String namespace) {
        if (namespace.length() > MAX_NAMESPACE || !namespace.isEmpty() && namespace.isBlank()) {
            throw new IllegalArgumentException("namespace must have at most " + MAX_NAMESPACE
                    + " characters and not only spaces, was '" + namespace + "': choose the name of the application, or"
                    + " \"\" for none");
        }
    }

    /**
     * @throws IllegalArgumentException if the prefix contains braces
     */
    public static void checkPrefix(String prefix) {
        if (prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException("prefix must not contain braces, was '" + prefix
                    + "': they would decide the key's slot in a Redis Cluster");
        }
    }

    /** Custom limits bring their own suffix, so it is checked. */
    private static void checkSuffix(String suffix) {
        if (suffix == null || !SUFFIX.matcher(suffix).matches() || suffix.endsWith(LOCK) || suffix.equals(BAN)) {
            throw new IllegalArgumentException("keySuffix of a limit must be at most 32 of A-Z, a-z, 0-9, ':', '.', '_'"
                    + " and '-', must not end with '" + LOCK + "', and must not be '" + BAN + "', was "
                    + (suffix == null ? "null" : "'" + suffix + "'")
                    + ": return one such as ':log', or '' for none");
        }
    }

    public String prefix() {
        return prefix;
    }

    public String name() {
        return name;
    }

    /** The key of the limiter's own permits. */
    public String own() {
        return own;
    }

    /**
     * The key of a caller's permits.
     *
     * @throws IllegalArgumentException if the key is blank: all callers without a key would share one bucket
     */
    public String of(String key) {
        return built(key).storedKey();
    }

    /**
     * As {@link #of(String)}, with the text of the key, so that a request looks both up in one place.
     *
     * @throws IllegalArgumentException if the key is blank
     */
    public BuiltKey built(String key) {
        // Null can come from callers that are not null-checked.
        if (key != null) {
            int place = place(key);
            BuiltKey built = recent[place];
            if (built != null && built.isOf(this, key)) {
                return built;
            }
            BuiltKey older = recent[place + 1];
            if (older != null && older.isOf(this, key)) {
                return older;
            }
        }
        return build(key);
    }

    private BuiltKey build(String key) {
        requireNotBlank("key", key);
        BuiltKey built = new BuiltKey(this, key, KeyText.of(key), make(List.of(key)));
        // Callers decide its length.
        if (key.length() <= MAX_KEY_LENGTH && hashTags.get() != HashTags.UNKNOWN) {
            int place = place(key);
            recent[place + 1] = recent[place];
            recent[place] = built;
        }
        return built;
    }

    /** The first of the two places of a key in the cache. */
    int place(String key) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4), because the hashes of
        // numbered keys are close together; a sum leaves them so, which an exclusive or does not.
        return (key.hashCode() + hash) * 0x9E3779B9 >>> PLACE_SHIFT << 1;
    }

    /**
     * The key of nested keys, such as a tenant and its user.
     *
     * @throws IllegalArgumentException if one is blank
     */
    public String of(List<String> keys) {
        keys.forEach(key -> requireNotBlank("key", key));
        return keys.size() == 1 ? of(keys.get(0)) : make(keys);
    }

    private String make(List<String> keys) {
        if (!firstIsHashTag) {
            String all = encode(keys);
            return start + hashTags.get().of(all) + named + ":" + all + end;
        }
        String first = shorten(encode(keys.get(0), ""));
        // Redis uses the first pair of braces, and encoded keys contain none.
        String tagged = start + hashTags.get().of(first) + "{" + first + "}" + named;
        return keys.size() == 1 ? tagged + end : tagged + ":" + encode(keys.subList(1, keys.size())) + end;
    }

    private static String encode(List<String> keys) {
        // An encoded key contains no '#'.
        return shorten(keys.stream().map(key -> encode(key, "")).collect(Collectors.joining("#")));
    }

    /** Prefix and name of the limiter that a key belongs to. */
    public static String limiterOf(String key) {
        int name = key.lastIndexOf('{') + 1;
        if (name == 0) {
            return key;
        }
        int end = name;
        while (end < key.length() && key.charAt(end) != ':' && key.charAt(end) != '}') {
            end++;
        }
        return key.substring(0, key.indexOf('{')) + decode(key.substring(name, end));
    }

    /** A new key for a call, with the prefix and the slot of one of its keys. */
    public static String ofCall(String key) {
        int brace = key.indexOf('}');
        String tagged = brace < 0 ? "{" + key + "}" : key.substring(0, brace + 1);
        return tagged + CALL + HEX.toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    /** The encoded keys of several; a hash is one, which begins with the separator. */
    static List<String> split(String encodedKeys) {
        return encodedKeys.startsWith("#") ? List.of(encodedKeys) : List.of(encodedKeys.split("#"));
    }

    static String decode(String encoded) {
        return ENCODED.matcher(encoded)
                .replaceAll(match -> Matcher.quoteReplacement(String.valueOf(
                        (char) Integer.parseInt(match.group(1) == null ? match.group(2) : match.group(1), 16))));
    }

    private static String shorten(String encoded) {
        return encoded.length() <= MAX_KEY_LENGTH ? encoded : hash(encoded);
    }

    private static void requireNotBlank(String what, String value) {
        // Null can come from callers that are not null-checked.
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(
                    what + " must not be null or blank, was " + (value == null ? "null" : "'" + value + "'"));
        }
    }

    /** A name as it is in keys: printable ASCII without braces and colons. */
    public static String encodeName(String name) {
        return encode(name, ":");
    }

    private static String encode(String text, String alsoReserved) {
        for (int i = 0; i < text.length(); i++) {
            if (mustEncode(text.charAt(i), alsoReserved)) {
                return encodeFrom(i, text, alsoReserved);
            }
        }
        return text;
    }

    private static String encodeFrom(int start, String text, String alsoReserved) {
        StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, start);
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!mustEncode(c, alsoReserved)) {
                encoded.append(c);
            } else if (c < 0x80) {
                encoded.append('%').append(HEX.toHexDigits((byte) c));
            } else {
                // Each UTF-16 unit is hashed, because UTF-8 cannot encode an unpaired surrogate, so all such keys would
                // collide.
                encoded.append("%u").append(HEX.toHexDigits(c));
            }
        }
        return encoded.toString();
    }

    private static boolean mustEncode(char c, String alsoReserved) {
        return c <= ' ' || c >= 0x7F || c == '{' || c == '}' || c == '%' || c == '#' || alsoReserved.indexOf(c) >= 0;
    }

    private static String hash(String encoded) {
        return "#" + Hashing.sha256().hashString(encoded, StandardCharsets.US_ASCII);
    }

    /**
     * A key of a caller, and what is known of it.
     *
     * @param by the limiter's keys, of which it is one
     * @param key as the caller gave it
     * @param text as {@link KeyText}
     * @param storedKey the key of its permits
     */
    public record BuiltKey(KeySpace by, String key, String text, String storedKey) {

        boolean isOf(KeySpace other, String otherKey) {
            return by == other && key.equals(otherKey);
        }
    }
}
