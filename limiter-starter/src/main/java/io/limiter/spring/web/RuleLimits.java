package io.limiter.spring.web;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells how much of the limits of a rule the caller of the current request has left, for a page that shows customers their quota. It is a bean in
 * servlet applications. WebFlux applications have {@link ReactiveRuleLimits}. Safe for use by many threads.
 */
public interface RuleLimits {

    /**
     * Returns how much of each limit of a rule is left, for the key and the plan of this request. Takes no permits.
     *
     * <p>The path, the methods, the cost and the condition of the rule do not matter. If Redis is unavailable, the {@link
     * io.limiter.FailurePolicy} decides what is shown.
     *
     * @param rule its key under {@code limiter.http}, such as {@code api} for {@code limiter.http.api.path}
     * @return the limits in the order of the rule, even of a rule in shadow mode, without limits that do not apply because of the caller's plan. It
     *     is empty if the address of the caller is exempt, or if {@code limiter.enabled=false}
     * @throws IllegalArgumentException if there is no such rule
     * @throws IllegalStateException if this is not the thread of a request, or if a route of a gateway finds the key of the rule by a
     *     {@code keyResolver}
     * @throws io.limiter.spring.key.MissingLimitKeyException if this request has no key for the rule, which is answered with 400
     * @throws io.limiter.LimiterBackendException if Redis is unavailable and the failure policy is to throw
     */
    List<Left> peek(String rule);

    /**
     * How much of one limit is left. An immutable value with {@code equals}. Jackson writes its members under the names of the methods, and
     * {@code periodEnd} as an ISO text, or not at all if it is empty.
     */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    @JsonPropertyOrder({"name", "used", "remaining", "periodEnd"})
    final class Left {

        private final String name;
        private final long used;
        private final long remaining;

        @JsonFormat(shape = JsonFormat.Shape.STRING)
        @JsonInclude(JsonInclude.Include.NON_NULL)
        private final @Nullable Instant periodEnd;

        private Left(String name, long used, long remaining, @Nullable Instant periodEnd) {
            this.name = Objects.requireNonNull(name, "name");
            this.used = used;
            this.remaining = remaining;
            this.periodEnd = periodEnd;
        }

        /**
         * Creates one with these values.
         *
         * @param periodEnd when the period ends, or {@code null} for none
         */
        public static Left of(String name, long used, long remaining, @Nullable Instant periodEnd) {
            return new Left(name, used, remaining, periodEnd);
        }

        /** The name of the limit as headers show it: that of the rule, or {@code api/day} if the rule has several limits. */
        public String name() {
            return name;
        }

        /**
         * How many permits are used, up to the number that the caller may use, which is the limit without the permits that it leaves to others. For a
         * bucket, it is how many permits are missing until it is full, rounded up.
         */
        public long used() {
            return used;
        }

        /** How many permits the caller has left. */
        public long remaining() {
            return remaining;
        }

        /** When the period ends, as in {@link io.limiter.Decision#periodEnd()}. */
        public Optional<Instant> periodEnd() {
            return Optional.ofNullable(periodEnd);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Left that
                    && name.equals(that.name)
                    && used == that.used
                    && remaining == that.remaining
                    && Objects.equals(periodEnd, that.periodEnd);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, used, remaining, periodEnd);
        }

        @Override
        public String toString() {
            return "Left[name=" + name + ", used=" + used + ", remaining=" + remaining
                    + (periodEnd == null ? "" : ", periodEnd=" + periodEnd) + "]";
        }
    }
}
