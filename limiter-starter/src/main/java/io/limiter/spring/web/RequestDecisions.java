package io.limiter.spring.web;

import io.limiter.algorithm.Decision;
import io.limiter.spring.aop.LimitAsked;
import io.limiter.spring.aop.LimitDecision;
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

    /** A request may ask in a loop; what comes first is what other dispatches of it may ask again. */
    private static final int MOST_KEPT = 1000;

    private static final int MOST_REFUSALS = 16;

    private final Map<Limit, Quota> quotas = new LinkedHashMap<>();
    private final Map<LimitAsked, Kept> byQuestion = new HashMap<>();
    private final Deque<Refused> refusals = new ArrayDeque<>();
    private @Nullable Answered answered;

    /** A limit, whoever asks it. */
    private record Limit(String prefix, String name) {}

    /** @param dispatch in which it was made */
    private record Kept(@Nullable Decision decision, Object dispatch) {}

    /**
     * A refusal, and which limits it comes from.
     *
     * @param decision the one that the refused caller gets
     * @param name that of the limit which refused for longest
     * @param policies what the limits that refused are called in answers
     */
    record Refused(Decision decision, String name, List<String> policies) {}

    /**
     * What the refused caller is told.
     *
     * @param retryAfter in seconds; {@code null} if nothing
     * @param policies the limits that refused; empty if they are not known
     */
    private record Answered(@Nullable Long retryAfter, List<String> policies) {}

    /**
     * What one dispatch of the request hears of decisions.
     *
     * @param dispatch what tells it from others
     */
    public synchronized void add(@Nullable Decision whole, List<LimitDecision> parts, Object dispatch) {
        boolean granted = parts.stream().allMatch(LimitDecision::granted);
        for (LimitDecision part : parts) {
            LimitAsked asked = part.asked();
            Limit limit = new Limit(asked.prefix(), asked.name());
            Quota known = quotas.get(limit);
            String policy = known == null ? distinct(PolicyNames.of(asked)) : known.policy();
            quotas.put(limit, Quota.of(policy, part.limit(), part.decision()));
        }
        if (!granted && whole != null) {
            refusals.addFirst(refused(whole, parts));
            if (refusals.size() > MOST_REFUSALS) {
                refusals.removeLast();
            }
        }
        for (LimitDecision part : parts) {
            // What a set would have granted, it has not.
            boolean stands = granted || !part.granted();
            if (part.decision() != null && stands && byQuestion.size() < MOST_KEPT) {
                byQuestion.putIfAbsent(part.asked(), new Kept(part.decision(), dispatch));
            }
        }
    }

    /** What a question was answered in another dispatch of the request; {@code null} if it was not. */
    public synchronized @Nullable Decision earlier(LimitAsked asked, Object dispatch) {
        Kept kept = byQuestion.get(asked);
        return kept == null || kept.dispatch() == dispatch ? null : kept.decision();
    }

    private Refused refused(Decision whole, List<LimitDecision> parts) {
        List<LimitDecision> refusing =
                parts.stream().filter(part -> !part.granted()).toList();
        LimitDecision longest = refusing.get(0);
        for (LimitDecision part : refusing) {
            longest = retryAfter(part) > retryAfter(longest) ? part : longest;
        }
        return new Refused(
                whole,
                longest.asked().name(),
                refusing.stream().map(part -> policy(part.asked())).toList());
    }

    private static long retryAfter(LimitDecision part) {
        return part.decision() == null ? 0 : part.decision().retryAfterMicros();
    }

    private String policy(LimitAsked asked) {
        return Objects.requireNonNull(quotas.get(new Limit(asked.prefix(), asked.name())))
                .policy();
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

    private @Nullable Refused refusal(Decision decision) {
        // A limit may give the same answer twice, but this is the one of this call.
        return refusals.stream()
                .filter(refused -> refused.decision() == decision)
                .findFirst()
                .orElse(null);
    }

    /**
     * From now on headers are those of an answer to this refusal, of several that there may have been: the application can
     * catch one, or have a fallback for it.
     *
     * @return which limits it comes from; {@code null} if it comes from no limit of this request
     */
    synchronized @Nullable Refused answer(Decision decision) {
        Refused refused = refusal(decision);
        Long retryAfter = decision.retryAfterSeconds().isPresent()
                ? Long.valueOf(decision.retryAfterSeconds().getAsLong())
                : null;
        answered = new Answered(retryAfter, refused == null ? List.of() : refused.policies());
        return refused;
    }

    /**
     * The headers that tell of all limits so far. If one has refused, no time is told beyond the moment at which it can be
     * asked again, because {@code Retry-After} must not lie before any.
     *
     * @return names and values; {@code null} for what is not known any more. Empty if no limit was asked.
     */
    public synchronized Map<String, @Nullable String> headers(HeaderSet headers) {
        long retryAfter = retryAfter();
        List<String> refusing = answered == null ? List.of() : answered.policies();
        Collection<Quota> told =
                quotas.values().stream().map(quota -> quota.within(retryAfter)).toList();
        return LimitHeaders.of(told, refusing, headers);
    }

    private long retryAfter() {
        if (answered != null && answered.retryAfter() != null) {
            return answered.retryAfter();
        }
        return quotas.values().stream()
                .filter(Quota::refused)
                .map(Quota::seconds)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(Long.MAX_VALUE);
    }
}
