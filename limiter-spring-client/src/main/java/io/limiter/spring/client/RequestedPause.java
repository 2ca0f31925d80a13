package io.limiter.spring.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The pause that a response requests by its status and its headers. Of several headers the longest pause counts, because none of them
 * allows a call sooner. A pause is rounded up to a millisecond. A header that cannot be read requests none.
 *
 * <ul>
 *   <li>{@code RateLimit} requests one if nothing remains: as the list of the newest drafts ({@code "day";r=0;t=30}) or as the
 *       dictionary of draft 7 ({@code limit=5, remaining=0, reset=30}).
 *   <li>A header with {@code Reset} in its name requests one if the header that has {@code Remaining} in its place is 0. If there is
 *       no such header, only a 429 requests a pause, because a permission error, for example, has the time of a reset, too.
 *   <li>Any other header is a time to wait, as {@code Retry-After} is. It is in milliseconds if its name ends with {@code -ms}.
 * </ul>
 *
 * @param statuses of the responses that can request a pause
 * @param headers names of the headers that request it, in any case of letters
 */
record RequestedPause(Set<Integer> statuses, List<String> headers) {

    /** Longer requests are cut to it. */
    static final Duration LONGEST = Duration.ofDays(1000);

    private static final Pattern WHOLE_NUMBER = Pattern.compile("\\d+");
    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d*)?");
    private static final Pattern UNITS =
            Pattern.compile("(?:(\\d{1,9})h)?(?:(\\d{1,9})m(?!s))?(?:(\\d{1,9}(?:\\.\\d{1,9})?)s)?(?:(\\d{1,9})ms)?");
    private static final Pattern RESET = Pattern.compile("Reset(-After)?", Pattern.CASE_INSENSITIVE);

    private static final int MOST_DIGITS = 15;
    /** No number that is sent with a response is longer. */
    private static final int LONGEST_NUMBER = 40;

    /** From here on, a number of seconds is a moment since 1970, since as a time to wait it would be 31 years. */
    private static final BigDecimal EPOCH_SECONDS = BigDecimal.valueOf(1_000_000_000L);

    private static final BigDecimal EPOCH_MILLIS = BigDecimal.valueOf(100_000_000_000L);
    private static final BigDecimal MOST_MILLIS = BigDecimal.valueOf(100_000_000_000_000L);

    /**
     * @param now by the clock of this JVM, for a moment in a response that has no {@code Date} of its own
     * @return {@link Duration#ZERO} for none
     */
    Duration of(int status, HttpHeaders response, Instant now) {
        if (!statuses.contains(status)) {
            return Duration.ZERO;
        }
        Duration longest = Duration.ZERO;
        for (String name : headers) {
            Duration pause;
            if (name.equalsIgnoreCase("RateLimit")) {
                pause = rateLimit(response);
            } else if (!RESET.matcher(name).find() || isUsedUp(name, status, response)) {
                pause = wait(name, response, now);
            } else {
                pause = Duration.ZERO;
            }
            longest = pause.compareTo(longest) > 0 ? pause : longest;
        }
        return longest.compareTo(LONGEST) > 0 ? LONGEST : longest;
    }

    private static boolean isUsedUp(String reset, int status, HttpHeaders response) {
        String remaining = response.getFirst(RESET.matcher(reset).replaceFirst("Remaining"));
        BigDecimal number = remaining == null ? null : number(remaining.strip());
        return number == null ? status == 429 : number.signum() == 0;
    }

    private static Duration wait(String name, HttpHeaders response, Instant now) {
        String value = response.getFirst(name);
        if (value == null) {
            return Duration.ZERO;
        }
        String text = value.strip();
        BigDecimal number = number(text);
        if (number != null && name.toLowerCase(Locale.ROOT).endsWith("-ms")) {
            return millis(number);
        }
        if (number != null && number.compareTo(EPOCH_SECONDS) < 0) {
            return seconds(number);
        }
        if (number != null && number.compareTo(MOST_MILLIS) >= 0) {
            return LONGEST;
        }
        Duration units = number == null ? units(text) : null;
        if (units != null) {
            return units;
        }
        Instant end = number == null ? moment(name, text, response) : epoch(number);
        if (end == null) {
            return Duration.ZERO;
        }
        // According to the third party's clock, which also gave the moment. Its Date has no fraction of a second, so
        // the pause is not too short.
        Instant sent = date(response, HttpHeaders.DATE);
        return Duration.between(sent == null ? now.truncatedTo(ChronoUnit.SECONDS) : sent, end);
    }

    private static @Nullable BigDecimal number(String text) {
        if (!NUMBER.matcher(text).matches()) {
            return null;
        }
        return text.length() > LONGEST_NUMBER ? MOST_MILLIS : new BigDecimal(text);
    }

    private static Instant epoch(BigDecimal number) {
        return Instant.EPOCH.plus(number.compareTo(EPOCH_MILLIS) < 0 ? seconds(number) : millis(number));
    }

    private static Duration seconds(BigDecimal number) {
        return millis(number.movePointRight(3));
    }

    private static Duration millis(BigDecimal number) {
        return Duration.ofMillis(
                number.min(MOST_MILLIS).setScale(0, RoundingMode.CEILING).longValueExact());
    }

    /** As Go writes a duration: {@code 6m0s}, {@code 1.5s}, {@code 120ms}. */
    private static @Nullable Duration units(String text) {
        Matcher units = UNITS.matcher(text);
        if (text.isEmpty() || !units.matches()) {
            return null;
        }
        return Duration.ofHours(whole(units.group(1)))
                .plusMinutes(whole(units.group(2)))
                .plus(seconds(units.group(3) == null ? BigDecimal.ZERO : new BigDecimal(units.group(3))))
                .plusMillis(whole(units.group(4)));
    }

    private static long whole(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** A date as in HTTP or as in RFC 3339. */
    private static @Nullable Instant moment(String name, String text, HttpHeaders response) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return date(response, name);
        }
    }

    private static @Nullable Instant date(HttpHeaders response, String name) {
        try {
            ZonedDateTime date = response.getFirstZonedDateTime(name);
            return date == null ? null : date.toInstant();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** If a list has no {@code t}, the pause can be no longer than the window of the policy. */
    private static Duration rateLimit(HttpHeaders response) {
        Map<String, Long> windows = new HashMap<>();
        members(response, "RateLimit-Policy")
                .forEach(policy -> parameter(policy, "w").ifPresent(window -> windows.put(policy.get(0), window)));
        List<List<String>> limits = members(response, "RateLimit").toList();
        long ofList = limits.stream()
                .filter(limit -> parameter(limit, "r").equals(Optional.of(0L)))
                .map(limit -> parameter(limit, "t").orElseGet(() -> windows.getOrDefault(limit.get(0), 0L)))
                .reduce(0L, Math::max);
        boolean usedUp = value(limits, "remaining").equals(Optional.of(0L));
        long ofDictionary = usedUp ? value(limits, "reset").orElse(0L) : 0;
        return Duration.ofSeconds(Math.max(ofList, ofDictionary));
    }

    /** The members of a list or a dictionary of structured fields (RFC 9651), each as its value and its parameters. */
    private static Stream<List<String>> members(HttpHeaders response, String name) {
        List<String> lines = new ArrayList<>();
        // The method that returns the values of one name has another signature in Spring 7.
        response.forEach((header, values) -> {
            if (header.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines.stream()
                .flatMap(line -> split(line, ',').stream())
                .map(member -> split(member, ';').stream().map(String::strip).toList());
    }

    /** Splits at separators outside of quotes. A text whose last quote is not closed has one part, which is empty. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == separator && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return quoted ? List.of("") : parts;
    }

    /** The value of a key of a dictionary. */
    private static Optional<Long> value(List<List<String>> members, String key) {
        return last(members.stream().filter(member -> !member.isEmpty()).map(member -> member.get(0)), key);
    }

    private static Optional<Long> parameter(List<String> member, String name) {
        return last(member.stream().skip(1), name);
    }

    /** A whole number of seconds. The last of several counts. */
    private static Optional<Long> last(Stream<String> parts, String name) {
        return parts.filter(part -> part.startsWith(name + "="))
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
