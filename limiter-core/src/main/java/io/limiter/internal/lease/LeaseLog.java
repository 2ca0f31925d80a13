package io.limiter.internal.lease;

import com.google.common.base.Ticker;
import io.limiter.LimiterBackendException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.ThrottledLog;
import java.util.Arrays;
import java.util.List;

/**
 * Logs what happens to the leases of a factory. An outage concerns all of them at once, so each cause is one line a
 * minute at most.
 */
final class LeaseLog {

    private static final AsyncLog log = AsyncLog.of(LeaseLog.class);

    private final ThrottledLog[] lost = new ThrottledLog[Loss.values().length];
    private final ThrottledLog notRenewed;
    private final ThrottledLog notReleased;
    private final ThrottledLog renewalThrew;
    private final ThrottledLog actionThrew;

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
        Arrays.setAll(lost, loss -> new ThrottledLog(log, ticker));
        notRenewed = new ThrottledLog(log, ticker);
        notReleased = new ThrottledLog(log, ticker);
        renewalThrew = new ThrottledLog(log, ticker);
        actionThrew = new ThrottledLog(log, ticker);
    }

    /**
     * @param key of one of the leases
     */
    void lost(int leases, String key, Loss loss) {
        lost[loss.ordinal()].warn(
                leases,
                () -> "A lease of '" + ShownKey.of(key) + "' is lost: " + loss.text
                        + ". Its permits may be granted to others now.");
    }

    void notRenewed(List<LimiterBackendException> failures) {
        LimiterBackendException failure = failures.get(0);
        notRenewed.warn(
                failures.size(),
                failure,
                () -> "A lease of '" + ShownKey.of(failure.key()) + "' could not be renewed: " + failure.getMessage()
                        + ". Renewal is retried until the lease expires; then it is lost.");
    }

    void notReleased(int leases, String key, ConcurrencyLimit limit, Throwable failure) {
        notReleased.warn(
                leases,
                failure,
                () -> "A lease of '" + ShownKey.of(key) + "' could not be released: "
                        + (failure instanceof LimiterBackendException ? failure.getMessage() : failure.toString())
                        + ". Its permits stay taken until it expires, within " + limit.leaseTime() + ".");
    }

    void renewalThrew(Throwable error) {
        renewalThrew.error(error, () -> "Renewing leases has failed; retrying until they expire.");
    }

    void actionThrew(String key, Throwable error) {
        actionThrew.error(error, () -> "An onLost action of a lease of '" + ShownKey.of(key) + "' has thrown.");
    }
}
