package io.limiter.spring.internal.web;

import io.limiter.Decision;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.LimitDecision;
import io.limiter.spring.internal.check.LimitName;
import io.limiter.spring.internal.check.PermitRequest;
import io.limiter.spring.internal.web.usage.ResponseReading;
import io.limiter.spring.internal.web.usage.UsageReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The decisions for one request, and the headers that show them. As a recorder, it is that of a request with one dispatch, which
 * repeats no decision. Safe for use by many threads.
 */
public final class RequestRecord implements DecisionRecorder {

    /** A request may check limits in a loop; later dispatches of it repeat the first checks of the last one that decided. */
    private static final int MOST_KEPT = 1000;

    private static final int MOST_REJECTIONS = 16;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAUTHORIZED = 401;

    private final HeaderSet headerSet;
    private final Map<LimitName, Quota> quotas = new LinkedHashMap<>();
    private final Map<PermitRequest, Kept> kept = new HashMap<>();
    private final Deque<Rejected> rejections = new ArrayDeque<>(1);

    /** What the response to a rejection says; {@code null} or empty if it is for none, or that is unknown. */
    private @Nullable Long retryAfter;

    private List<String> rejecting = List.of();

    /** Kept until the next decision, because several places write them. */
    private @Nullable Map<String, @Nullable String> headers;

    private final List<IntConsumer> whenDone = new ArrayList<>();

    /** 0 until it is known. */
    private int status;

    /** The names of the logins that have failed and did not succeed later; {@code null} if none has failed. */
    private @Nullable Set<String> failedLogins;

    private @Nullable ResponseReading reading;

    public RequestRecord(HeaderSet headerSet) {
        this.headerSet = headerSet;
    }

    /** @param dispatch the one that made the decision */
    private record Kept(Decision decision, Object dispatch) {}

    /**
     * A rejection and its limits.
     *
     * @param decision the one that the rejected caller gets
     * @param name of the limit that rejected for longest
     * @param policies the limits that rejected
     */
    record Rejected(Decision decision, String name, List<String> policies) {}

    @Override
    public @Nullable Decision earlier(PermitRequest request) {
        return null;
    }

    @Override
    public void decided(@Nullable Decision rejection, List<LimitDecision> parts) {
        add(rejection, parts, this);
    }

    @Override
    public void whenDone(IntConsumer action) {
        int known;
        synchronized (this) {
            known = status;
            // If a request has more actions, the further ones do not run, and their permits stay charged.
            if (known == 0 && whenDone.size() < MOST_KEPT) {
                whenDone.add(action);
            }
        }
        if (known != 0) {
            action.accept(known);
        }
    }

    @Override
    public void whenRead(List<UsageReader> readers, IntConsumer action) {
        ResponseReading known;
        synchronized (this) {
            known = reading == null ? new ResponseReading() : reading;
            reading = known;
        }
        known.add(readers, action);
    }

    /** What reads the response; {@code null} if nothing does. */
    public synchronized @Nullable ResponseReading reading() {
        return reading;
    }

    /**
     * The response has a status that no longer changes. The first call counts.
     *
     * @param responseHeaders finds the value of a header of the response; {@code null} if there is none
     */
    public void done(int newStatus, UnaryOperator<@Nullable String> responseHeaders) {
        ResponseReading read;
        List<IntConsumer> actions;
        int known;
        synchronized (this) {
            if (status != 0) {
                return;
            }
            // A handler of the application may have answered the rejection.
            boolean rejected = newStatus == REJECTED || newStatus == TOO_MANY_REQUESTS && !rejections.isEmpty();
            boolean failed = failedLogins != null && !failedLogins.isEmpty() && newStatus < 400;
            known = rejected ? REJECTED : failed ? UNAUTHORIZED : newStatus;
            status = known;
            actions = List.copyOf(whenDone);
            whenDone.clear();
            read = reading;
        }
        actions.forEach(action -> action.accept(known));
        if (read != null && known == REJECTED) {
            read.drop();
        } else if (read != null) {
            read.responded(known, responseHeaders);
        }
    }

    /** The response ends before it is whole, because the caller has left or the handler has failed. */
    public void brokeOff() {
        ResponseReading read = reading();
        if (read != null) {
            read.breakOff();
        }
    }

    /** The body of the response has ended; see {@link ResponseReading#end}. */
    public void bodyEnded(boolean isLast) {
        ResponseReading read = reading();
        if (read != null) {
            read.end(isLast);
        }
    }

    /**
     * A password or token was wrong. A form login answers that with a redirect, which charges as the status 401 would.
     *
     * @param login the name of the user who failed to log in
     */
    public synchronized void authenticationFailed(String login) {
        if (failedLogins == null) {
            failedLogins = new HashSet<>();
        }
        failedLogins.add(login);
    }

    /**
     * If the same login has failed before, its failure no longer counts, because one authentication manager can accept a login that
     * another does not know. The failures of other logins in the same request still count, because otherwise a caller could add a
     * login of their own to each guess, which would then be free.
     *
     * @param login the name of the user who has logged in, as the request gives it
     */
    public synchronized void authenticationSucceeded(String login) {
        if (failedLogins != null) {
            failedLogins.remove(login);
        }
    }

    /**
     * The response is that of a rejection, so its status is no outcome of the request, and the permits that it took are
     * cancelled. Before it is sent, so that the caller's next request finds them.
     */
    public void rejected() {
        done(REJECTED, name -> null);
    }

    @Override
    public synchronized void cancelled(List<LimitDecision> parts) {
        headers = null;
        parts.forEach(this::show);
    }

    /**
     * Adds decisions of one dispatch of the request.
     *
     * @param rejection the decision that the rejected caller gets; {@code null} if all limits granted
     * @param dispatch differs from those of other dispatches
     */
    public synchronized void add(@Nullable Decision rejection, List<LimitDecision> parts, Object dispatch) {
        headers = null;
        parts.forEach(this::show);
        if (rejection != null) {
            reject(rejection, parts);
        }
        for (LimitDecision part : parts) {
            // A rejected call took no permits from the limits that would have granted.
            boolean stands = rejection == null || !part.isGranted();
            if (part.decision() != null && stands && isOfItsOwn(part, dispatch)) {
                kept.put(part.request(), new Kept(part.decision(), dispatch));
            }
        }
    }

    private void show(LimitDecision part) {
        if (!part.internal()) {
            LimitName limit = part.request().limit();
            Quota known = quotas.get(limit);
            String policy = known == null ? distinct(limit.policy()) : known.policy();
            quotas.put(limit, Quota.of(policy, part.limit(), part.decision()));
        }
    }

    /** Whether it is the first decision of a dispatch, and repeats none of another. */
    private boolean isOfItsOwn(LimitDecision part, Object dispatch) {
        Kept known = kept.get(part.request());
        return known == null
                ? kept.size() < MOST_KEPT
                : known.dispatch() != dispatch && known.decision() != part.decision();
    }

    private void reject(Decision rejection, List<LimitDecision> parts) {
        List<LimitDecision> rejected = parts.stream()
                .filter(part -> !part.internal() && !part.isGranted())
                .toList();
        if (rejected.isEmpty()) {
            return;
        }
        LimitDecision longest = Collections.max(rejected, Comparator.comparingLong(RequestRecord::retryAfterMicros));
        List<String> policies =
                rejected.stream().map(part -> policy(part.request().limit())).toList();
        rejections.addFirst(new Rejected(rejection, longest.request().limit().name(), policies));
        if (rejections.size() > MOST_REJECTIONS) {
            rejections.removeLast();
        }
    }

    private static long retryAfterMicros(LimitDecision part) {
        return part.decision() == null ? 0 : part.decision().retryAfterMicros();
    }

    private String policy(LimitName limit) {
        return Objects.requireNonNull(quotas.get(limit)).policy();
    }

    /** Limits of one name, under two prefixes, need two policies. */
    private String distinct(String policy) {
        String distinct = policy;
        for (int i = 2; isTaken(distinct); i++) {
            distinct = policy + "/" + i;
        }
        return distinct;
    }

    private boolean isTaken(String policy) {
        for (Quota quota : quotas.values()) {
            if (quota.policy().equals(policy)) {
                return true;
            }
        }
        return false;
    }

    /** The decision of the last dispatch of the request that decided; {@code null} if there is none, or it is this one. */
    public synchronized @Nullable Decision earlier(PermitRequest request, Object dispatch) {
        Kept known = kept.get(request);
        return known == null || known.dispatch() == dispatch ? null : known.decision();
    }

    /**
     * From now on the headers are those of the response to this rejection. There can be several rejections, because the
     * application can catch one.
     *
     * @return the rejection with its limits; {@code null} if no limit of this request rejected
     */
    synchronized @Nullable Rejected answer(Decision rejection) {
        // Compared by identity, because a limit can make equal decisions for several calls.
        Rejected rejected = rejections.stream()
                .filter(each -> each.decision() == rejection)
                .findFirst()
                .orElse(null);
        headers = null;
        retryAfter = Quota.retryAfter(rejection);
        rejecting = rejected == null ? List.of() : rejected.policies();
        return rejected;
    }

    /**
     * The headers for all limits so far. If a limit rejected, no effective window ends after {@code Retry-After}, as the draft
     * requires.
     *
     * @return names and values; {@code null} for a value that is not known any more. Empty if no limit has decided.
     */
    public synchronized Map<String, @Nullable String> headers() {
        Map<String, @Nullable String> known = headers;
        if (known == null) {
            known = quotas.isEmpty() ? Map.of() : headerSet.fields(shown(), rejecting);
            headers = known;
        }
        return known;
    }

    private List<Quota> shown() {
        long latestEnd = latestEnd();
        List<Quota> shown = new ArrayList<>(quotas.size());
        for (Quota quota : quotas.values()) {
            shown.add(quota.withoutWindowAfter(latestEnd));
        }
        return shown;
    }

    /** The latest end of an effective window, in seconds. */
    private long latestEnd() {
        if (retryAfter != null) {
            return retryAfter;
        }
        Long latest = null;
        for (Quota quota : quotas.values()) {
            Long end = quota.rejected() ? quota.effectiveWindow() : null;
            latest = end == null || latest != null && latest > end ? latest : end;
        }
        return latest == null ? Long.MAX_VALUE : latest;
    }
}
