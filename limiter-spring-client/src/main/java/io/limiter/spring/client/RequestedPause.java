package io.limiter.spring.client;

import io.limiter.spring.key.address.ForwardedElements;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
        long seconds = Math.max(retryAfter(headers, now), rateLimit(headers));
        return Duration.ofSeconds(Math.min(seconds, LONGEST.toSeconds()));
    }

    private static long retryAfter(HttpHeaders headers, Instant now) {
        String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
        Long seconds = value == null ? null : seconds(value.strip());
        Instant end = seconds == null ? date(headers, HttpHeaders.RETRY_AFTER) : null;
        if (end == null) {
            return seconds == null ? 0 : seconds;
        }
        // By the clock of the third party, because the date is.
        Instant sent = date(headers, HttpHeaders.DATE);
        return ChronoUnit.SECONDS.between(sent == null ? now.truncatedTo(ChronoUnit.SECONDS) : sent, end);
    }

    private static @Nullable Instant date(HttpHeaders headers, String name) {
        try {
            ZonedDateTime date = headers.getFirstZonedDateTime(name);
            return date == null ? null : date.toInstant();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** As {@code "day";r=0;t=30}. Without {@code t}, the window of the policy is the longest that it can take. */
    private static long rateLimit(HttpHeaders headers) {
        Map<String, Long> windows = new HashMap<>();
        members(headers, "RateLimit-Policy")
                .forEach(policy -> parameter(policy, "w").ifPresent(window -> windows.put(policy.get(0), window)));
        return members(headers, "RateLimit")
                .filter(limit -> parameter(limit, "r").equals(Optional.of(0L)))
                .map(limit -> parameter(limit, "t").orElseGet(() -> windows.getOrDefault(limit.get(0), 0L)))
                .reduce(0L, Math::max);
    }

    /** The members of a list of structured fields (RFC 9651), each as its value and its parameters. */
    private static Stream<List<String>> members(HttpHeaders headers, String name) {
        List<String> lines = new ArrayList<>();
        // What returns the values of one name has another signature in Spring 7.
        headers.forEach((header, values) -> {
            if (header.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines.stream()
                .flatMap(line -> ForwardedElements.splitUnquoted(line, ',').stream())
                .map(member -> ForwardedElements.splitUnquoted(member, ';').stream()
                        .map(String::strip)
                        .toList());
    }

    /** A parameter that is a whole number, in seconds. The last of several counts. */
    private static Optional<Long> parameter(List<String> member, String name) {
        return member.stream()
                .skip(1)
                .filter(part -> part.startsWith(name + "="))
                .reduce((first, last) -> last)
                .map(part -> seconds(part.substring(name.length() + 1)));
    }

    private static @Nullable Long seconds(String text) {
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            return null;
        }
        return text.length() > MOST_DIGITS ? LONGEST.toSeconds() : Long.parseLong(text);
    }
}
