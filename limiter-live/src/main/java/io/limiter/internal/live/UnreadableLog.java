package io.limiter.internal.live;

import io.limiter.internal.live.store.StoredLimit;
import io.limiter.internal.log.AsyncLog;

/**
 * Warns of live limits that this instance cannot apply. Of those that a newer version of the library has stored, it says so once,
 * because the same is to be done about all of them.
 */
final class UnreadableLog {

    private static final AsyncLog log = AsyncLog.of(LiveCopy.class);

    private boolean saidNewer;

    /** Called by one thread at a time. */
    void warn(String name, StoredLimit limit) {
        if (!limit.newer()) {
            log.warn("The limiters '{}' keep their own limit: {}.", name, limit.problem());
        } else if (!saidNewer) {
            saidNewer = true;
            log.warn(
                    "The limiters '{}', and others whose live limit has a newer format, keep their own limit: {}.",
                    name,
                    limit.problem());
        }
    }
}
