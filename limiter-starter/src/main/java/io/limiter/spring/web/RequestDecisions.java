package io.limiter.spring.web;

import io.limiter.algorithm.Decision;
import io.limiter.spring.check.LimitDecision;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.PermitRequest;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the limits decided while one request was handled. Safe for use by many threads. */
public final class RequestDecisions {

    /** A request may check limits in a loop; later dispatches of it repeat the first checks. */
    private static final int MOST_KEPT = 1000;

    private static final int MOST_REJECTIONS = 16;

    private final Map<LimitName, Quota> quotas = new LinkedHashMap<>();
    private final Map<PermitRequest, Kept> byRequest = new HashMap<>();
    private final Deque<Rejected> rejections = new ArrayDeque<>();
    private @Nullable Answered answered;
    private @Nullable Headers lastHeaders;

    /** Kept until something changes, because several places write them. */
    private record Headers(HeaderSet set, Map<String, @Nullable String> values) {}

    /** @param dispatch in which it was made */
    private record Kept(Decision decision, Object dispatch) {}

    /**
     * A rejection, and which limits it comes from.
     *
     * @param decision the one that the rejected caller gets
     * @param name that of the limit which rejected for longest
     * @param policies what answers call the limits that rejected
     */
    record Rejected(Decision decision, String name, List<String> policies) {}

    /**
     * What the answer to the rejected caller says.
     *
     * @param retryAfter in seconds; {@code null} if nothing
     * @param policies the limits that rejected; empty if they are not known
     */
    private record Answered(@Nullable Long retryAfter, List<String> policies) {}

    /**
     * Adds decisions of one dispatch of the request.
     *
     * @param rejection the decision that the rejected caller gets; {@code null} if all limits granted
     * @param dispatch tells it from others
     */
    public synchronized void add(@Nullable Decision rejection, List<LimitDecision> parts, Object dispatch) {
        lastHeaders = null;
        for (LimitDecision part : parts) {
            LimitName limit = part.request().limit();
            Quota known = quotas.get(limit);
            String policy = known == null ? distinct(limit.policy()) : known.policy();
            quotas.put(limit, Quota.of(policy, part.limit(), part.decision()));
        }
        boolean granted = parts.stream().allMatch(LimitDecision::granted);
        if (!granted && rejection != null) {
            rejections.addFirst(rejected(rejection, parts));
            if (rejections.size() > MOST_REJECTIONS) {
                rejections.removeLast();
            }
        }
        for (LimitDecision part : parts) {
            // A set that rejects has not taken what its other parts would have granted.
            boolean stands = granted || !part.granted();
            Decision decision = part.decision();
            if (decision != null && stands && byRequest.size() < MOST_KEPT) {
                byRequest.putIfAbsent(part.request(), new Kept(decision, dispatch));
            }
        }
    }

    /** The decision of another dispatch of the request; {@code null} if there is none. */
    public synchronized @Nullable Decision earlier(PermitRequest request, Object dispatch) {
        Kept kept = byRequest.get(request);
        return kept == null || kept.dispatch() == dispatch ? null : kept.decision();
    }

    private Rejected rejected(Decision rejection, List<LimitDecision> parts) {
        List<LimitDecision> rejecting =
                parts.stream().filter(part -> !part.granted()).toList();
        LimitDecision longest = rejecting.get(0);
        for (LimitDecision part : rejecting) {
            longest = retryAfter(part) > retryAfter(longest) ? part : longest;
        }
        return new Rejected(
                rejection,
                longest.request().limit().name(),
                rejecting.stream()
                        .map(part -> Objects.requireNonNull(
                                        quotas.get(part.request().limit()))
                                .policy())
                        .toList());
    }

    private static long retryAfter(LimitDecision part) {
        return part.decision() == null ? 0 : part.decision().retryAfterMicros();
    }

    /** Two limits of one name, under two prefixes, have to be told apart. */
    private String distinct(String policy) {
        String distinct = policy;
        for (int i = 2; isTaken(distinct); i++) {
            distinct = policy + "/" + i;
        }
        return distinct;
    }

    private boolean isTaken(String policy) {
        return quotas.values().stream().anyMatch(quota -> quota.policy().equals(policy));
    }

    private @Nullable Rejected find(Decision rejection) {
        // A limit may give an equal answer twice, but this is the one of this call.
        return rejections.stream()
                .filter(rejected -> rejected.decision() == rejection)
                .findFirst()
                .orElse(null);
    }

    /**
     * From now on headers are those of an answer to this rejection, of several that there may have been: the application can
     * catch one, or have a fallback for it.
     *
     * @return which limits it comes from; {@code null} if it comes from no limit of this request
     */
    synchronized @Nullable Rejected answer(Decision rejection) {
        lastHeaders = null;
        Rejected rejected = find(rejection);
        Long retryAfter = rejection.retryAfterSeconds().isPresent()
                ? Long.valueOf(rejection.retryAfterSeconds().getAsLong())
                : null;
        answered = new Answered(retryAfter, rejected == null ? List.of() : rejected.policies());
        return rejected;
    }

    /**
     * The headers for all limits so far. If one has rejected, no time lies beyond the moment at which the call can be tried
     * again, because {@code Retry-After} must not lie before any.
     *
     * @return names and values; {@code null} for what is not known any more. Empty if no limit has decided.
     */
    public synchronized Map<String, @Nullable String> headers(HeaderSet headers) {
        Headers known = lastHeaders;
        if (known == null || known.set() != headers) {
            long retryAfter = retryAfter();
            List<String> rejecting = answered == null ? List.of() : answered.policies();
            Collection<Quota> shown = quotas.values().stream()
                    .map(quota -> quota.within(retryAfter))
                    .toList();
            known = new Headers(headers, LimitHeaders.of(shown, rejecting, headers));
            lastHeaders = known;
        }
        return known.values();
    }

    private long retryAfter() {
        if (answered != null && answered.retryAfter() != null) {
            return answered.retryAfter();
        }
        return quotas.values().stream()
                .filter(Quota::rejected)
                .map(Quota::seconds)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(Long.MAX_VALUE);
    }
}
