package io.limiter.internal.engine;

import io.limiter.Decision;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import org.jspecify.annotations.Nullable;

/**
 * An engine that decides some requests without waiting for a backend: it has none, or what it has cached suffices. Then
 * the caller needs no future, which would cost as much as the decision.
 */
public interface ImmediateEngine extends Engine {

    /** A decision that is known without a call. */
    enum Known {
        /** Granted from prefetched permits. */
        PREFETCHED(true, Decision.Source.PREFETCH),
        /** Rejected: the prefetched permits are used up, until the next call, whose time the backend has set. */
        USED_UP(false, Decision.Source.PREFETCH),
        /** Rejected: an earlier rejection of the backend still holds. */
        STILL_REJECTED(false, Decision.Source.REJECTION_CACHE),
        /** Granted by an engine without a backend. */
        GRANTED(true, Decision.Source.BACKEND),
        /** Rejected by an engine without a backend. */
        REJECTED(false, Decision.Source.BACKEND),
        /** Granted to a key that is exempt. */
        EXEMPT(true, Decision.Source.OVERRIDE),
        /** Rejected, because the key is banned. */
        BANNED(false, Decision.Source.OVERRIDE),
        /** Not decided; no permit was taken. */
        UNKNOWN(false, Decision.Source.BACKEND);

        private final boolean granted;
        private final Decision.Source source;

        Known(boolean granted, Decision.Source source) {
            this.granted = granted;
            this.source = source;
        }

        public boolean isGranted() {
            return granted;
        }

        public Decision.Source source() {
            return source;
        }
    }

    /** The first engine of the row that may decide a request immediately: this one, or the next if this one passes all requests on. */
    default ImmediateEngine first() {
        return this;
    }

    /** Grants or rejects permits if that is possible immediately. Allocates nothing. */
    default Known tryAcquire(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        return Known.UNKNOWN;
    }

    /** As {@link #tryAcquire}, but leaves a rejection that may be counted to {@link #decide}, which the caller wants. */
    default Known tryGrant(String key, LimitStep<?> limit, long permits, long timeoutMicros) {
        return tryAcquire(key, limit, permits, timeoutMicros);
    }

    /**
     * Decides what was {@link Known#UNKNOWN} to {@link #tryAcquire} or {@link #tryGrant} a moment ago, without looking up again
     * what both have looked up.
     */
    default Engine forUnknown() {
        return this;
    }

    /**
     * Decides any request if that is possible immediately.
     *
     * @return {@code null} if an {@link Ask} is needed
     */
    default @Nullable Outcome decide(String key, LimitStep<?> limit, Request request) {
        return null;
    }
}
