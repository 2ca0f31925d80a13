package io.limiter.live;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an instance takes part in live limits. Immutable.
 */
public final class LiveOptions {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MAX_INSTANCE = 200;
    private static final int MAX_HISTORY = 10_000;

    /** Polls each second, restores nothing, keeps 50 changes of each name and hashes keys. */
    public static final LiveOptions DEFAULT = new LiveOptions(Duration.ofSeconds(1), false, 50, false, "");

    private final Duration pollInterval;
    private final boolean restore;
    private final int history;
    private final boolean showKeys;
    private final String instance;

    private LiveOptions(Duration pollInterval, boolean restore, int history, boolean showKeys, String instance) {
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
        this.pollInterval = pollInterval;
        this.restore = restore;
        this.history = history;
        this.showKeys = showKeys;
        this.instance = instance;
    }

    /**
     * How often it polls Redis for changes, from 100 ms to 1 h. Pub/sub hints make it poll earlier. With Jedis, hints hold one connection of the
     * pool.
     */
    public Duration pollInterval() {
        return pollInterval;
    }

    /** Whether it writes back live limits of its copy that Redis has lost. Otherwise it drops them. */
    public boolean restore() {
        return restore;
    }

    /**
     * How many changes of each name Redis keeps, from 1 to 10,000. The number of the instance that makes a change applies.
     */
    public int history() {
        return history;
    }

    /**
     * Whether its reports contain the hottest keys themselves, and live limits of keys are stored under the key. Otherwise, both contain hashes of
     * the keys.
     */
    public boolean showKeys() {
        return showKeys;
    }

    /** Its name in reports, or an empty text for host, process and a random number. */
    public String instance() {
        return instance;
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

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LiveOptions that
                && pollInterval.equals(that.pollInterval)
                && restore == that.restore
                && history == that.history
                && showKeys == that.showKeys
                && instance.equals(that.instance);
    }

    @Override
    public int hashCode() {
        return Objects.hash(pollInterval, restore, history, showKeys, instance);
    }

    @Override
    public String toString() {
        return "LiveOptions[pollInterval=" + pollInterval + ", restore=" + restore + ", history=" + history
                + ", showKeys=" + showKeys + ", instance=" + instance + "]";
    }
}
