package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Logs what happens to the leases of a factory. An outage concerns all of them at the same time, so each cause is one line a
 * minute at most.
 */
final class LeaseLog {

    private static final AsyncLog log = AsyncLog.of(LeaseLog.class);

    private final Map<Loss, LogThrottle> lost = new EnumMap<>(Loss.class);
    private final LogThrottle notRenewed;
    private final LogThrottle notReleased;
    private final LogThrottle renewalThrew;
    private final LogThrottle actionThrew;

    /** Why leases are lost. */
    enum Loss {
        EXPIRED("it could not be renewed in time"),
        DELETED("Redis no longer has it: it expired, or its key was deleted"),
        RESET("its key was reset"),
        CLOSED("the limiters were closed");

        private final String text;

        Loss(String text) {
            this.text = text;
        }
    }

    LeaseLog(Ticker ticker) {
        for (Loss loss : Loss.values()) {
            lost.put(loss, new LogThrottle(ticker));
        }
        notRenewed = new LogThrottle(ticker);
        notReleased = new LogThrottle(ticker);
        renewalThrew = new LogThrottle(ticker);
        actionThrew = new LogThrottle(ticker);
    }

    /**
     * @param key of one of the leases
     */
    void lost(int leases, String key, Loss loss) {
        log.warn(
                Objects.requireNonNull(lost.get(loss)),
                leases,
                "A lease of '{}' is lost: {}. Its permits may be granted to others now.",
                ShownKey.of(key),
                loss.text);
    }

    void notRenewed(List<LimiterBackendException> failures) {
        LimiterBackendException failure = failures.get(0);
        log.warn(
                notRenewed,
                failures.size(),
                "A lease of '{}' could not be renewed: {}. Renewal is retried until the lease expires. Then the lease is lost.",
                ShownKey.of(failure.key()),
                failure.getMessage(),
                failure);
    }

    /**
     * @param lease one of them
     */
    void notReleased(int leases, CountedLease lease, Throwable failure) {
        log.warn(
                notReleased,
                leases,
                "A lease of '{}' could not be released: {}. Its permits stay taken until it expires, within {}.",
                ShownKey.of(lease.key),
                failure instanceof LimiterBackendException ? failure.getMessage() : failure.toString(),
                lease.limit.leaseTime(),
                failure);
    }

    void renewalThrew(Throwable error) {
        log.error(renewalThrew, "Renewing leases has failed, and is retried until they expire.", error);
    }

    void actionThrew(String key, Throwable error) {
        log.error(actionThrew, "An onLost action of a lease of '{}' has thrown.", ShownKey.of(key), error);
    }
}
