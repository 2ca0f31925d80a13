package io.limiter.spring.client;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The pause that a response requests by its headers: {@code Retry-After} in seconds or as a date, or {@code RateLimit} with nothing
 * remaining. Of several the longest counts. A header that cannot be read requests none.
 */
final class RequestedPause {

    /** Longer requests are cut to it. */
    static final Duration LONGEST = Duration.ofDays(1000);

    private static final Pattern WHOLE_NUMBER = Pattern.compile("\\d+");
    private static final int MOST_DIGITS = 15;

    private RequestedPause() {}

    /**
     * @param now by the clock of this JVM, for a date in a response that has no {@code Date} of its own
     * @return {@link Duration#ZERO} for none
     */
    static Duration of(HttpHeaders headers, Instant now) {
        return longer(retryAfter(headers, now), rateLimit(headers));
    }

    private static Duration retryAfter(HttpHeaders headers, Instant now) {
        String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
        Duration seconds = value == null ? null : seconds(value.strip());
        if (seconds != null) {
            return seconds;
        }
        ZonedDateTime end = date(headers, HttpHeaders.RETRY_AFTER);
        if (end == null) {
            return Duration.ZERO;
        }
        // By the clock of the third party, because the date is.
        ZonedDateTime sent = date(headers, HttpHeaders.DATE);
        Duration left = Duration.between(sent == null ? now : sent.toInstant(), end.toInstant());
        return shorter(longer(left, Duration.ZERO), LONGEST);
    }

    private static @Nullable ZonedDateTime date(HttpHeaders headers, String name) {
        try {
            return headers.getFirstZonedDateTime(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** As {@code "day";r=0;t=30}. Without {@code t}, the window of the policy is the longest that it can take. */
    private static Duration rateLimit(HttpHeaders headers) {
        Map<String, Duration> windows = new HashMap<>();
        for (String policy : headers.getValuesAsList("RateLimit-Policy")) {
            List<String> parts = parts(policy);
            Duration window = parameter(parts, "w");
            if (window != null) {
                windows.put(parts.get(0), window);
            }
        }
        Duration longest = Duration.ZERO;
        for (String limit : headers.getValuesAsList("RateLimit")) {
            List<String> parts = parts(limit);
            if (Duration.ZERO.equals(parameter(parts, "r"))) {
                Duration reset = parameter(parts, "t");
                Duration pause = reset == null ? windows.get(parts.get(0)) : reset;
                longest = pause == null ? longest : longer(longest, pause);
            }
        }
        return longest;
    }

    private static List<String> parts(String member) {
        return List.of(member.split(";", -1)).stream().map(String::strip).toList();
    }

    /** A parameter that is a whole number, in seconds. */
    private static @Nullable Duration parameter(List<String> parts, String name) {
        return parts.stream()
                .skip(1)
                .filter(part -> part.startsWith(name + "="))
                .findFirst()
                .map(part -> seconds(part.substring(name.length() + 1)))
                .orElse(null);
    }

    private static @Nullable Duration seconds(String text) {
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            return null;
        }
        return text.length() > MOST_DIGITS ? LONGEST : shorter(Duration.ofSeconds(Long.parseLong(text)), LONGEST);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
