package io.limiter.spring.internal.live;

import io.limiter.LimiterBackendException;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import io.limiter.spring.internal.actuate.LiveDefinition;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The live limits, as this instance knows them: all, or those of one name.
 *
 * @param version of the newest change that this instance has applied
 * @param limits {@link LiveLimit}s, also those whose name no limiter here has
 * @param keys the newest 100 live limits of keys
 * @param history the last 50 {@link LiveChange}s, newest first, of a name those among the last 1,000 of all; {@code null} while Redis
 *     is unavailable
 * @param unreadable what this instance cannot read and skips; {@code null} if there is nothing
 */
public record LiveDescription(
        long version,
        List<Map<String, @Nullable Object>> limits,
        List<Map<String, @Nullable Object>> keys,
        @Nullable List<Map<String, @Nullable Object>> history,
        @Nullable Skipped unreadable) {

    private static final int MOST_CHANGES = 50;
    private static final int MOST_READ = 1000;
    private static final int MOST_KEYS = 100;

    static LiveDescription of(LiveLimits live) {
        return of(live, live.list(), live.keys(), MOST_CHANGES, name -> true, change -> true);
    }

    /** @param limiter the limit of the name, which has its keys; the name itself unless that is of a plan */
    static LiveDescription of(LiveLimits live, String name, String limiter) {
        return of(
                live,
                live.get(name).stream().toList(),
                live.keys(name),
                MOST_READ,
                name::equals,
                change -> change.name().equals(change.key().isEmpty() ? name : limiter));
    }

    private static LiveDescription of(
            LiveLimits live,
            List<LiveLimit> limits,
            List<LiveLimit> keys,
            int read,
            Predicate<String> named,
            Predicate<LiveChange> shown) {
        LiveHistory history = history(live, read);
        List<Unreadable> skipped = live.unreadable().stream()
                .filter(each -> named.test(each.name()))
                .toList();
        List<Unreadable> changes = history == null
                ? List.of()
                : history.unreadable().stream()
                        .filter(each -> named.test(each.name()))
                        .toList();
        return new LiveDescription(
                live.version(),
                limits.stream().map(LiveDefinition::of).toList(),
                newest(keys),
                history == null
                        ? null
                        : history.changes().stream()
                                .filter(shown)
                                .limit(MOST_CHANGES)
                                .map(LiveDefinition::of)
                                .toList(),
                skipped.isEmpty() && changes.isEmpty() ? null : Skipped.of(skipped, changes));
    }

    /** Whether there is nothing of a name. */
    boolean isEmpty() {
        return limits.isEmpty() && keys.isEmpty() && (history == null || history.isEmpty()) && unreadable == null;
    }

    private static List<Map<String, @Nullable Object>> newest(List<LiveLimit> ofKeys) {
        return ofKeys.stream()
                .sorted(Comparator.comparingLong(LiveLimit::version).reversed())
                .limit(MOST_KEYS)
                .map(LiveDefinition::of)
                .toList();
    }

    private static @Nullable LiveHistory history(LiveLimits live, int most) {
        try {
            return live.history(most, 0);
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
    public record Skipped(int count, List<Entry> limits, List<Entry> changes) {

        private static Skipped of(List<Unreadable> limits, List<Unreadable> changes) {
            return new Skipped(limits.size() + changes.size(), entries(limits), entries(changes));
        }

        private static List<Entry> entries(List<Unreadable> unreadable) {
            return unreadable.stream()
                    .map(each -> new Entry(each.name(), each.version(), each.problem()))
                    .toList();
        }
    }

    /** An {@link Unreadable} as JSON. */
    public record Entry(String name, long version, String problem) {}
}
