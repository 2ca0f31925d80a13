package io.limiter.spring.actuate;

import io.limiter.LimiterBackendException;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live limits, as this instance knows them.
 *
 * @param version of the newest change that this instance has applied
 * @param limits {@link LiveLimit}s, also those whose name no limiter here has
 * @param keys the newest 100 live limits of keys
 * @param history the last {@link LiveChange}s, newest first; {@code null} while Redis is unavailable
 * @param unreadable what this instance cannot read and skips; {@code null} if there is nothing
 */
public record LiveDescription(
        long version,
        List<Map<String, @Nullable Object>> limits,
        List<Map<String, @Nullable Object>> keys,
        @Nullable List<Map<String, @Nullable Object>> history,
        @Nullable Skipped unreadable) {

    private static final int MOST_CHANGES = 50;
    private static final int MOST_KEYS = 100;

    static LiveDescription of(LiveLimits live) {
        LiveHistory history = history(live);
        List<Unreadable> limits = live.unreadable();
        List<Unreadable> changes = history == null ? List.of() : history.unreadable();
        return new LiveDescription(
                live.version(),
                live.list().stream().map(LimitDefinition::of).toList(),
                newest(live.keys()),
                history == null
                        ? null
                        : history.changes().stream().map(LimitDefinition::of).toList(),
                limits.isEmpty() && changes.isEmpty()
                        ? null
                        : new Skipped(limits.size() + changes.size(), limits, changes));
    }

    static List<Map<String, @Nullable Object>> newest(List<LiveLimit> ofKeys) {
        return ofKeys.stream()
                .sorted(Comparator.comparingLong(LiveLimit::version).reversed())
                .limit(MOST_KEYS)
                .map(LimitDefinition::of)
                .toList();
    }

    private static @Nullable LiveHistory history(LiveLimits live) {
        try {
            return live.history(MOST_CHANGES, 0);
        } catch (LimiterBackendException e) {
            return null;
        }
    }

    /**
     * What cannot be read, with the reason.
     *
     * @param limits with the version to name in a change that replaces them
     * @param changes of the history
     */
    public record Skipped(int count, List<Unreadable> limits, List<Unreadable> changes) {}
}
