package io.limiter.spring.internal.web;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The headers of limited responses. Rejections always have {@code Retry-After}. The headers show each limit after its last
 * decision for the request, or after the refund if a concurrency limit rejected the call; they do not show permits that the
 * application takes or refunds itself.
 */
public enum HeaderSet {

    /** {@code RateLimit-Policy} and {@code RateLimit}, with a member for each limit. */
    RATELIMIT,

    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset} (in seconds from now), of the tightest limit. */
    X_RATELIMIT,

    /** All of these. */
    BOTH,

    /** None of these. */
    NONE;

    /** First the one that rejects for longest, then the one with the fewest permits remaining. */
    private static final Comparator<Quota> TIGHTEST = Comparator.<Quota>comparingInt(quota -> quota.rejected() ? 0 : 1)
            .thenComparing(
                    quota -> quota.rejected() ? orMost(quota.effectiveWindow()) : 0L, Comparator.<Long>reverseOrder())
            .thenComparingLong(quota -> orMost(quota.remaining()));

    /**
     * Names and values; {@code null} for an unknown value, whose header must be removed if it was set before. Empty if there
     * are no quotas.
     *
     * @param rejecting the policies whose rejection the response is for; empty if there are none, or they are unknown
     */
    Map<String, @Nullable String> fields(Collection<Quota> quotas, List<String> rejecting) {
        Map<String, @Nullable String> fields = new LinkedHashMap<>();
        if (quotas.isEmpty()) {
            return fields;
        }
        if (this == RATELIMIT || this == BOTH) {
            fields.put("RateLimit-Policy", list(quotas, Quota::policyMember));
            fields.put("RateLimit", list(quotas, Quota::limitMember));
        }
        if (this == X_RATELIMIT || this == BOTH) {
            Quota tightest = quotas.stream()
                    .filter(quota -> quota.remaining() != null)
                    .min(Comparator.<Quota>comparingInt(quota -> rejecting.contains(quota.policy()) ? 0 : 1)
                            .thenComparing(TIGHTEST))
                    .orElse(null);
            fields.put("X-RateLimit-Limit", tightest == null ? null : text(tightest.capacity()));
            fields.put("X-RateLimit-Remaining", tightest == null ? null : text(tightest.remaining()));
            fields.put("X-RateLimit-Reset", tightest == null ? null : text(tightest.effectiveWindow()));
        }
        return fields;
    }

    private static @Nullable String list(Collection<Quota> quotas, Function<Quota, @Nullable String> member) {
        String list = null;
        for (Quota quota : quotas) {
            String next = member.apply(quota);
            if (next != null) {
                list = list == null ? next : list + ", " + next;
            }
        }
        return list;
    }

    private static @Nullable String text(@Nullable Long value) {
        return value == null ? null : value.toString();
    }

    private static long orMost(@Nullable Long value) {
        return value == null ? Long.MAX_VALUE : value;
    }
}
