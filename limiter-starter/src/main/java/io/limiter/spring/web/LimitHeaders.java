package io.limiter.spring.web;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The headers that tell of limits. */
final class LimitHeaders {

    private LimitHeaders() {}

    /** Names and values; without those of which nothing is known. */
    static Map<String, String> of(Collection<Quota> quotas, HeaderSet headers) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (headers == HeaderSet.RATELIMIT || headers == HeaderSet.BOTH) {
            put(
                    fields,
                    "RateLimit-Policy",
                    quotas.stream().map(Quota::policyMember).collect(Collectors.joining(", ")));
            put(
                    fields,
                    "RateLimit",
                    quotas.stream()
                            .map(Quota::limitMember)
                            .filter(Objects::nonNull)
                            .collect(Collectors.joining(", ")));
        }
        if (headers == HeaderSet.X_RATELIMIT || headers == HeaderSet.BOTH) {
            quotas.stream()
                    .filter(quota -> quota.remaining() != null)
                    .min(TIGHTEST)
                    .ifPresent(quota -> {
                        put(fields, "X-RateLimit-Limit", Long.toString(quota.most()));
                        put(fields, "X-RateLimit-Remaining", Objects.toString(quota.remaining(), ""));
                        put(fields, "X-RateLimit-Reset", Objects.toString(quota.seconds(), ""));
                    });
        }
        return fields;
    }

    /** The one that refuses, for longest; otherwise the one that has the least left. */
    private static final Comparator<Quota> TIGHTEST = Comparator.<Quota>comparingInt(quota -> quota.refused() ? 0 : 1)
            .thenComparing(quota -> quota.refused() ? orMost(quota.seconds()) : 0L, Comparator.<Long>reverseOrder())
            .thenComparingLong(quota -> orMost(quota.remaining()));

    private static long orMost(@org.jspecify.annotations.Nullable Long value) {
        return value == null ? Long.MAX_VALUE : value;
    }

    private static void put(Map<String, String> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, value);
        }
    }
}
