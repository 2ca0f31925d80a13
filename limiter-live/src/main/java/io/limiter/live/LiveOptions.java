package io.limiter.live;

import java.time.Duration;
import java.util.Objects;

/**
 * How an instance takes part in live limits. Immutable.
 *
 * @param pollInterval how often it polls Redis for changes, from 100 ms to 1 h; hints over pub/sub make it poll earlier.
 *     With Jedis, hints hold one connection of the pool
 * @param restore whether it writes back what Redis has lost of its copy; otherwise it drops that
 * @param history how many changes of each name Redis keeps, from 1 to 10,000; that of the instance that makes a change applies
 * @param showKeys whether its reports have the hottest keys themselves, and it stores live limits of keys by the key; otherwise
 *     both have hashes of them
 * @param instance its name in reports; empty for host, process and a random number
 */
public record LiveOptions(Duration pollInterval, boolean restore, int history, boolean showKeys, String instance) {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MAX_INSTANCE = 200;
    private static final int MAX_HISTORY = 10_000;

    /** Polls each second, restores nothing, keeps 50 changes of each name and hashes keys. */
    public static final LiveOptions DEFAULT = new LiveOptions(Duration.ofSeconds(1), false, 50, false, "");

    public LiveOptions {
        if (Objects.requireNonNull(pollInterval, "pollInterval").compareTo(SHORTEST) < 0
                || pollInterval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "pollInterval must be between " + SHORTEST + " and " + LONGEST + ", was " + pollInterval);
        }
        if (history < 1 || history > MAX_HISTORY) {
            throw new IllegalArgumentException(
                    "history (changes of each name) must be between 1 and " + MAX_HISTORY + ", was " + history);
        }
        if (Objects.requireNonNull(instance, "instance").length() > MAX_INSTANCE) {
            throw new IllegalArgumentException(
                    "instance must have at most " + MAX_INSTANCE + " characters, had " + instance.length());
        }
    }

    public LiveOptions withPollInterval(Duration newPollInterval) {
        return new LiveOptions(newPollInterval, restore, history, showKeys, instance);
    }

    public LiveOptions withRestore(boolean newRestore) {
        return new LiveOptions(pollInterval, newRestore, history, showKeys, instance);
    }

    public LiveOptions withHistory(int newHistory) {
        return new LiveOptions(pollInterval, restore, newHistory, showKeys, instance);
    }

    public LiveOptions withShowKeys(boolean newShowKeys) {
        return new LiveOptions(pollInterval, restore, history, newShowKeys, instance);
    }

    public LiveOptions withInstance(String newInstance) {
        return new LiveOptions(pollInterval, restore, history, showKeys, newInstance);
    }
}
