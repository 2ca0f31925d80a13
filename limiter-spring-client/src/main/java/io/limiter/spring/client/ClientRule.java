package io.limiter.spring.client;

import io.limiter.Decision;
import io.limiter.RateLimitExceededException;
import io.limiter.spring.internal.check.CallLimit;
import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.CheckResult;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.check.PermitRequest;
import io.limiter.spring.internal.check.Rejection;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.check.RuleLimit;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpHeaders;

/**
 * The limits of the outgoing calls of one client, which share one bucket in the whole fleet. Safe for use by many threads.
 *
 * @param property what the names of its settings start with
 * @param pauseAtMost the longest pause that its third party may request
 * @param requestedPause which responses request one, and how long
 */
record ClientRule(
        String name,
        String property,
        Rule rule,
        Duration pauseAtMost,
        RequestedPause requestedPause,
        ClientPause pause,
        ClientPauses pauses) {

    static final String PREFIX = "clientLimit:";

    /** The third party has answered a call. */
    void answered(int status, HttpHeaders headers) {
        pauses.answered(this, status, headers);
    }

    /** Marks a request whose permits were taken. */
    String attribute() {
        return ClientRule.class.getName() + "." + name;
    }

    /** The name of the limit whose key is banned during a pause: a ban of one of them rejects all. */
    String limiter() {
        return first().name().name();
    }

    /** Takes the permits of a call to which only this client applies, as {@link #acquire(List)} does. */
    void acquire() {
        acquire(List.of(this));
    }

    /**
     * Takes a permit of each limit of each client, all or nothing, and waits for them.
     *
     * @param clients that apply to one call
     * @throws RateLimitExceededException if the permits are not there in time, or one of the clients pauses
     * @throws io.limiter.LimiterBackendException if Redis does not decide and the failure policy is to throw
     */
    static void acquire(List<ClientRule> clients) {
        throwIfRejected(check(clients).run());
        checkPauses(clients);
    }

    /**
     * As {@link #acquire(List)}, without blocking the calling thread: {@link #throwIfRejected} takes the result, and {@link #checkPauses} follows. If
     * the future is cancelled, the permits are returned.
     */
    static CompletableFuture<CheckResult> acquireAsync(List<ClientRule> clients) {
        return check(clients).runAsync();
    }

    /** Is called after the wait, because a pause may have begun. */
    static void checkPauses(List<ClientRule> clients) {
        clients.forEach(client -> client.checkPause(false));
    }

    /** @param decided whether the limiter decides the call, so that it rejects and counts it in a pause */
    private void checkPause(boolean decided) {
        Duration left = decided ? Duration.ZERO : pause.leftHere();
        if (left.isZero()) {
            return;
        }
        CallLimit limit = first().effective();
        if (limit.enforced()) {
            long micros = left.plusNanos(999).toNanos() / 1000;
            Decision paused = Decision.of(
                    Verdict.rejected(limit.definition().capacity(), 0, micros, micros), Decision.Source.OVERRIDE);
            limit.log().rejected(paused);
            PermitRequest request = new PermitRequest(limit.name(), List.of(name), 1);
            throw limit.rejection(request, paused, false).exception();
        }
    }

    private RuleLimit first() {
        return rule.limits().get(0);
    }

    static void throwIfRejected(CheckResult result) {
        Rejection rejection = result.rejection();
        if (rejection != null) {
            throw rejection.exception();
        }
    }

    /** Of all clients together, because otherwise a call that one of them rejects would spend permits of another. */
    private static Check check(List<ClientRule> clients) {
        clients.forEach(client -> client.checkPause(client.pause.isBanned()));
        return Check.of(clients.stream().map(ClientRule::rule).toList(), Facts.NONE, null);
    }
}
