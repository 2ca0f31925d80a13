package io.limiter.spring.client;

import io.limiter.Limiter;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.check.Check;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckResult;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.LimitInUse;
import io.limiter.spring.check.LimitInUse.Applied;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the outgoing calls of one client, which share one bucket in the whole fleet. Safe for use by many threads.
 *
 * @param parts at least one; those that are enforced are all or nothing
 */
record ClientLimit(String name, List<LimitInUse<Limiter>> parts) {

    static final String PREFIX = "clientLimit:";

    /** All calls of a client share its permits. They have a key so that they can be banned together. */
    static final String KEY = "all";

    /** Marks a request whose permits were taken. */
    String attribute() {
        return ClientLimit.class.getName() + "." + name;
    }

    /**
     * Takes a permit of each limit, and waits for them.
     *
     * @throws RateLimitExceededException if they are not there in time
     * @throws io.limiter.LimiterBackendException if Redis does not decide and the failure policy is to throw
     */
    void acquire() {
        throwIfRejected(check().run());
    }

    /** As {@link #acquire}, without blocking the calling thread: {@link #throwIfRejected} takes the result. Cancelling the future returns the permits. */
    CompletableFuture<CheckResult> acquireAsync() {
        return check().runAsync();
    }

    static void throwIfRejected(CheckResult result) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            throw rejection.exception();
        }
    }

    private Check check() {
        // In a Cluster several are decided in one call if they are in one slot.
        String hashTag = hashTag();
        List<CheckStep<?>> steps = new ArrayList<>(parts.size());
        for (LimitInUse<Limiter> part : parts) {
            Applied<Limiter> used = part.applied();
            PermitRequest request = new PermitRequest(LimitName.chosen(PREFIX, part.name()), KEY, hashTag, 1);
            steps.add(new CheckPart(used.limit(), used.limiter(), request, used.timeout(), null, null));
        }
        return new Check(CheckStep.inOrder(steps), null);
    }

    /** The hash tag that its permits share; {@code null} if there is but one limit. */
    @Nullable
    String hashTag() {
        return parts.size() > 1 ? name : null;
    }

    /** Whether the limiter is one of this client's. */
    boolean has(String prefix, String limiter) {
        return prefix.startsWith(PREFIX)
                && parts.stream().anyMatch(part -> part.name().equals(limiter));
    }
}
