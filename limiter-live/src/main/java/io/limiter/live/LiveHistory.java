package io.limiter.live;

import java.util.List;

/**
 * A page of the changes of live limits, newest first.
 *
 * @param changes those that can be read
 * @param unreadable those that cannot
 * @param next {@code before} of the page with older changes; 0 if there are none
 */
public record LiveHistory(List<LiveChange> changes, List<Unreadable> unreadable, long next) {

    public LiveHistory {
        changes = List.copyOf(changes);
        unreadable = List.copyOf(unreadable);
    }
}
