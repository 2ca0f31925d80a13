package io.limiter.internal.live;

import io.limiter.internal.live.store.LiveStore;
import io.limiter.internal.live.store.StoredChange;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import java.util.ArrayList;
import java.util.List;

/** Reads a page of the history. */
final class HistoryPage {

    private HistoryPage() {}

    /**
     * @param page as of {@link LiveStore#history}
     * @param most how many changes were wanted
     */
    static LiveHistory of(List<String> page, int most) {
        List<LiveChange> changes = new ArrayList<>();
        List<Unreadable> unreadable = new ArrayList<>();
        long version = 0;
        for (int i = 0; i + 1 < page.size(); i += 2) {
            version = version(page.get(i + 1));
            try {
                StoredChange stored = StoredChange.parse(page.get(i));
                if (stored.after().problem().isEmpty()) {
                    changes.add(stored.change());
                } else {
                    LiveChange change = stored.change();
                    unreadable.add(Unreadable.of(
                            change.name(),
                            version,
                            StoredLiveLimits.ofKey(change.key())
                                    + stored.after().problem()));
                }
            } catch (IllegalArgumentException e) {
                unreadable.add(
                        Unreadable.of("", version, "this change in the history cannot be read: " + e.getMessage()));
            }
        }
        return LiveHistory.of(changes, unreadable, page.size() / 2 < most ? 0 : version);
    }

    /** Written by hand, a score may be any number, which Redis also writes as inf. */
    private static long version(String score) {
        return switch (score) {
            case "inf" -> LiveLimits.MAX_VERSION;
            case "-inf" -> 0;
            default -> (long) Math.min(LiveLimits.MAX_VERSION, Math.max(0, Double.parseDouble(score)));
        };
    }
}
