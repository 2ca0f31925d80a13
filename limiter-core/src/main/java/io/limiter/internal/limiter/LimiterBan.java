package io.limiter.internal.limiter;

import io.limiter.Decision.Source;
import io.limiter.algorithm.Ban;
import io.limiter.internal.backend.AsyncFailures;
import io.limiter.internal.engine.ImmediateEngine;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.engine.Outcome;
import io.limiter.internal.key.KeyPath;
import io.limiter.internal.key.ShownKey;
import io.limiter.internal.log.AsyncLog;
import io.limiter.internal.resilience.Failover;
import io.limiter.internal.statistics.KnownBans;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ban of a limiter. A key is decided by the limit and its ban as a set, all or nothing; what the limit rejects is counted
 * afterwards, and no caller waits for that. Safe for use by many threads.
 */
final class LimiterBan {

    private static final AsyncLog log = AsyncLog.of(LimiterBan.class);

    private final Ban ban;
    private final BoundLimit<?> bound;
    private final KnownBans known;

    LimiterBan(Ban ban, BoundLimit<?> bound, KnownBans known) {
        this.ban = ban;
        this.bound = bound;
        this.known = known;
    }

    Ban ban() {
        return ban;
    }

    /** The stored key of the ban, which has the hash tag of the permits. */
    String keyOf(String storedKey) {
        return bound.keyOf(ban, storedKey);
    }

    /** Begins to check a key; to be called before the request is sent. */
    Check check(KeyPath path) {
        return new Check(path);
    }

    /** Decides and counts a request of a key that is known to be banned, or exempt, unless a listener receives the decision. */
    ImmediateEngine.Known tryAcquire(KeyPath path) {
        ImmediateEngine engine = bound.effective(path.text()).failover().immediate();
        ImmediateEngine.Known access =
                engine == null ? ImmediateEngine.Known.UNKNOWN : engine.tryAcquire(keyOf(path.storedKey()), ban, 1, 0);
        if (access == ImmediateEngine.Known.UNKNOWN
                || !access.isGranted() && bound.counters().isListenedTo()) {
            return ImmediateEngine.Known.UNKNOWN;
        }
        bound.counters().counted(path.text(), access.isGranted(), Source.OVERRIDE);
        return access;
    }

    /**
     * The decision of a limit and its ban. A key is granted when both grant, so the later retry-after is that of the decision.
     *
     * @param request of the limit
     * @param own {@code null} if the rejection cache knew only that another one rejects
     * @param ofBan {@code null} likewise, or if there is none
     */
    @Nullable
    Outcome combined(
            KeyPath path, LimitStep<?> limit, Request request, @Nullable Outcome own, @Nullable Outcome ofBan) {
        if (ofBan == null || !rejects(ofBan)) {
            return own;
        }
        // During the ban no permits are taken, so the limit grants when it was going to.
        long ofLimit = own == null ? known.retryMicros(keyOf(path.storedKey())) : own.retryAfterMicros();
        long retry = Math.max(ofBan.retryAfterMicros(), ofLimit);
        long full = own == null ? retry : Math.max(retry, own.fullAfterMicros());
        return Outcome.rejected(limit, request, retry, full, Source.OVERRIDE);
    }

    /** A failure policy says nothing about the ban. */
    private static boolean rejects(Outcome ofBan) {
        return !ofBan.isGranted() && ofBan.source() != Source.POLICY;
    }

    /** One check of a key by the limit and its ban. */
    final class Check {

        private final KeyPath path;
        private final String key;
        private final KnownBans.@Nullable Row before;

        private Check(KeyPath path) {
            this.path = path;
            this.key = keyOf(path.storedKey());
            this.before = known.get(key);
        }

        KeyRequests<Ban.State> request() {
            return KeyRequests.of(key, ban, Request.take(1, 0));
        }

        /**
         * Records the ban of the key, and counts a rejection by the limit.
         *
         * @param decision a {@link #combined} one
         * @param ofBan as of that
         */
        void decided(Failover engine, Outcome decision, @Nullable Outcome ofBan) {
            if (ofBan != null && rejects(ofBan)) {
                put(ofBan, decision);
                return;
            }
            if (decision.source() == Source.OVERRIDE) {
                // The decision belongs to another call, with which this one waited. That call records it.
                return;
            }
            // In an outage it is not known whether the key is banned.
            if (ofBan != null && ofBan.source() == Source.BACKEND && before != null) {
                known.remove(before);
            }
            if (decision.isGranted()
                    || decision.source() == Source.POLICY
                    || decision.verdict().isForLeave()) {
                return;
            }
            engine.charge(decision, key, ban, 1).whenComplete((counted, error) -> {
                if (error != null) {
                    log.warn(
                            known.uncounted(),
                            "A rejection by limiter '{}' could not be counted, so a ban may begin later: {}",
                            bound.name(),
                            AsyncFailures.cause(error).getMessage());
                } else if (counted.verdict().ticketMicros() != 0) {
                    begun(counted, decision);
                }
            });
        }

        private void begun(Outcome counted, Outcome last) {
            log.warn(
                    known.begun(),
                    "Limiter '{}' bans {} for {}: {} requests were rejected within {}.",
                    bound.name(),
                    ShownKey.of(path.storedKey()),
                    counted.toDecision().timeToWait(),
                    ban.after(),
                    ban.within());
            put(last.source() == Source.LOCAL ? counted.withSource(Source.LOCAL) : counted, last);
            bound.counters()
                    .keyBanned(bound.name(), path.keys(), counted.toDecision().timeToWait());
        }

        private void put(Outcome ofBan, Outcome ofBoth) {
            known.put(
                    key,
                    Objects.requireNonNull(path.text()),
                    ofBan.retryAfterMicros(),
                    ofBoth.retryAfterMicros(),
                    ofBan.source() == Source.LOCAL);
        }
    }
}
