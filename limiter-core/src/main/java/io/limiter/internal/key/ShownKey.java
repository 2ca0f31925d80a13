package io.limiter.internal.key;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What messages and log lines show of a key: <code>prefix{name:[hash]}</code>, in a Cluster
 * <code>prefix{#7}{name:[hash]}</code>, because the key of a caller can be personal data. The hash is that of the {@link KeyText}.
 * The key of a limiter's own permits is shown as it is. The logger {@value #LOGGER} at level DEBUG shows all keys.
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
        int nameEnd = colon >= 0 && colon < end ? colon : end;
        if (nameEnd == end - 1) {
            // The permits of a limiter itself whose name has a slash.
            return redisKey;
        }
        int tag = HashTags.isSpread(redisKey) ? redisKey.indexOf('{', first + 1) : first;
        List<String> keys = new ArrayList<>();
        if (tag + 1 < name) {
            keys.add(redisKey.substring(tag + 1, redisKey.indexOf('}', tag)));
        }
        if (nameEnd < end) {
            keys.addAll(KeySpace.split(redisKey.substring(nameEnd + 1, end)));
        }
        if (keys.isEmpty()) {
            return redisKey;
        }
        String text = KeyText.of(keys.stream().map(KeySpace::decode).toList());
        return redisKey.substring(0, tag + 1) + redisKey.substring(name, nameEnd) + ":["
                + KeyHash.OF_THIS_PROCESS.of(text) + "]" + redisKey.substring(end);
    }
}
