package io.limiter.spring.actuate;

import io.limiter.LimiterBackendException;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The live limits, as this instance knows them.
 *
 * @param version of the newest change that this instance has applied
 * @param limits also those whose name no limiter here has
 * @param history the last changes, newest first; {@code null} while Redis is unavailable
 * @param unreadable what this instance cannot read and skips; {@code null} if there is nothing
 */
public record LiveDescription(
        long version,
        List<OfLimit> limits,
        @Nullable List<OfChange> history,
        @Nullable Skipped unreadable) {

    private static final int MOST_CHANGES = 50;

    static LiveDescription of(LiveLimits live) {
        LiveHistory history = history(live);
        List<Unreadable> limits = live.unreadable();
        List<Unreadable> changes = history == null ? List.of() : history.unreadable();
        return new LiveDescription(
                live.version(),
                live.list().stream().map(OfLimit::of).toList(),
                history == null
                        ? null
                        : history.changes().stream().map(OfChange::of).toList(),
                limits.isEmpty() && changes.isEmpty()
                        ? null
                        : new Skipped(limits.size() + changes.size(), limits, changes));
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

    /**
     * A live limit.
     *
     * @param version to name in the next change
     * @param settings what it overrides; times are in seconds
     * @param since ISO-8601, as {@code expiresAt}
     * @param expiresAt {@code null} if it stays until the next change
     */
    public record OfLimit(
            String name,
            long version,
            Map<String, Object> settings,
            String since,
            @Nullable String expiresAt,
            String who,
            String why) {

        static OfLimit of(LiveLimit limit) {
            return new OfLimit(
                    limit.name(),
                    limit.version(),
                    LimitDefinition.of(limit.settings()),
                    limit.since().toString(),
                    limit.expiresAt().map(Object::toString).orElse(null),
                    limit.who(),
                    limit.why());
        }
    }

    /**
     * A change.
     *
     * @param version to name in order to roll it back
     * @param before {@code null} if there was no live limit
     * @param after {@code null} if there is none since
     * @param at ISO-8601
     */
    public record OfChange(
            long version,
            String name,
            @Nullable OfLimit before,
            @Nullable OfLimit after,
            String at,
            String who,
            String why) {

        static OfChange of(LiveChange change) {
            return new OfChange(
                    change.version(),
                    change.name(),
                    change.before().map(OfLimit::of).orElse(null),
                    change.after().map(OfLimit::of).orElse(null),
                    change.at().toString(),
                    change.who(),
                    change.why());
        }
    }
}
