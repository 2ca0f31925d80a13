package io.limiter.internal.key;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What messages and log lines show of a key: <code>prefix{name:[hash]}</code>, in a Cluster
 * <code>prefix{#7}{name:[hash]}</code>, because the key of a caller can be personal data. The key of a limiter's own permits is shown as it is. The logger {@value #LOGGER} at level DEBUG shows all keys.
 */
public final class ShownKey {

    /** Switches keys in messages and log lines on. */
    public static final String LOGGER = "io.limiter.keys";

    private static final Logger keys = LoggerFactory.getLogger(LOGGER);

    private ShownKey() {}

    /** The key, or what stands for it. */
    public static String of(String redisKey) {
        return keys.isDebugEnabled() ? redisKey : hidden(redisKey);
    }

    private static String hidden(String redisKey) {
        int first = redisKey.indexOf('{');
        int name = redisKey.lastIndexOf('{') + 1;
        int end = redisKey.indexOf('}', name);
        if (first < 0 || end < 0) {
            // Not made by a KeySpace.
            return redisKey;
        }
        int colon = redisKey.indexOf(':', name);
        boolean keyed = colon >= 0 && colon < end;
        boolean spread = HashTags.isSpread(redisKey);
        boolean tagged = name != first + 1 && !spread;
        if (!keyed && !tagged) {
            return redisKey;
        }
        String caller = tagged ? redisKey.substring(first, end) : redisKey.substring(colon + 1, end);
        int shown = spread ? name : first + 1;
        return redisKey.substring(0, shown) + redisKey.substring(name, keyed ? colon : end) + ":["
                + KeyHash.OF_THIS_PROCESS.of(KeySpace.decode(caller)) + "]" + redisKey.substring(end);
    }
}
