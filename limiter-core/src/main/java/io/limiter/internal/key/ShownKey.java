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
    public static String of(String storedKey) {
        return keys.isDebugEnabled() ? storedKey : hidden(storedKey);
    }

    private static String hidden(String storedKey) {
        int first = storedKey.indexOf('{');
        int name = storedKey.lastIndexOf('{') + 1;
        int end = storedKey.indexOf('}', name);
        if (first < 0 || end < 0) {
            // Not made by a KeySpace.
            return storedKey;
        }
        int colon = storedKey.indexOf(':', name);
        int nameEnd = colon >= 0 && colon < end ? colon : end;
        if (nameEnd == end - 1) {
            // The permits of a limiter itself whose name has a slash.
            return storedKey;
        }
        int tag = HashTags.isSpread(storedKey) ? storedKey.indexOf('{', first + 1) : first;
        List<String> keys = new ArrayList<>();
        if (tag + 1 < name) {
            keys.add(storedKey.substring(tag + 1, storedKey.indexOf('}', tag)));
        }
        if (nameEnd < end) {
            keys.addAll(KeySpace.split(storedKey.substring(nameEnd + 1, end)));
        }
        if (keys.isEmpty()) {
            return storedKey;
        }
        String text = KeyText.of(keys.stream().map(KeySpace::decode).toList());
        return storedKey.substring(0, tag + 1) + storedKey.substring(name, nameEnd) + ":["
                + KeyHash.OF_THIS_PROCESS.of(text) + "]" + storedKey.substring(end);
    }
}
