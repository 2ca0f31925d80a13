package io.limiter.internal.limiter;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.log.LogThrottle;
import io.limiter.internal.resilience.Failover;
import org.jspecify.annotations.Nullable;

/**
 * The ban of a limiter. A key is decided by the limit and its ban as a set, all or nothing; what the limit rejects is counted
 * afterwards, and no caller waits for that. Safe for use by many threads.
 */
final class LimiterBan {

    private static final AsyncLog log = AsyncLog.of(LimiterBan.class);

    private final Ban ban;
    private final BoundLimit<?> bound;
    private final LogThrottle banned = new LogThrottle();
    private final LogThrottle uncounted = new LogThrottle();

    LimiterBan(Ban ban, BoundLimit<?> bound) {
        this.ban = ban;
        this.bound = bound;
    }

    Ban ban() {
        return ban;
    }

    /** The stored key of the ban, which has the hash tag of the permits. */
    String keyOf(String backendKey) {
        int suffix = bound.builtLimit().keySuffix().length();
        return backendKey.substring(0, backendKey.length() - suffix) + ban.keySuffix();
    }

    KeyRequests<Ban.State> check(String backendKey) {
        return KeyRequests.of(keyOf(backendKey), ban, Request.take(1, 0));
    }

    /**
     * The decision of a limit and its ban.
     *
     * @param own {@code null} if the rejection cache knew only that another one rejects
     * @param ofBan {@code null} likewise, or if there is none
     */
    static @Nullable Decision combined(Limit<?> limit, @Nullable Decision own, @Nullable Decision ofBan) {
        // A failure policy says nothing about the ban.
        if (ofBan == null || ofBan.granted() || ofBan.source() == Decision.Source.POLICY) {
            return own;
        }
        long left = ofBan.retryAfterMicros();
        return new Decision(false, limit.capacity(), 0, left, left, left, Decision.Source.OVERRIDE);
    }

    /**
     * Counts a rejection by the limit.
     *
     * @param decision a {@link #combined} one
     */
    void decided(String key, String backendKey, Failover engine, Decision decision) {
        if (decision.source() == Decision.Source.OVERRIDE) {
            bound.counters().rejectedByBan(key, decision.retryAfterMicros());
            return;
        }
        bound.counters().notBanned(key);
        if (decision.granted() || decision.source() == Decision.Source.POLICY) {
            return;
        }
        engine.start(keyOf(backendKey), ban, Request.charge(1)).whenComplete((counted, error) -> {
            if (error != null) {
                log.warn(
                        uncounted,
                        "A rejection could not be counted, so a ban may begin later: {}",
                        AsyncFailures.cause(error).getMessage());
            } else if (counted.ticketMicros() != 0) {
                begun(key, backendKey, counted);
            }
        });
    }

    private void begun(String key, String backendKey, Decision counted) {
        log.warn(
                banned,
                "Limiter '{}' bans {} for {}: {} requests were rejected within {}.",
                bound.name(),
                ShownKey.of(backendKey),
                counted.timeToWait(),
                ban.after(),
                ban.within());
        bound.counters().keyBanned(bound.name(), key, counted.timeToWait());
    }
}
