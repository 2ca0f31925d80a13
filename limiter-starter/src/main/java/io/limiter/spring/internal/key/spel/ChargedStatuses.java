package io.limiter.spring.internal.key.spel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** HTTP statuses whose responses are charged, such as {@code 401,403} or {@code 4xx}. */
public final class ChargedStatuses {

    private static final Pattern STATUSES = Pattern.compile("[1-5](xx|\\d\\d)(\\s*,\\s*[1-5](xx|\\d\\d))*");

    private ChargedStatuses() {}

    /**
     * Parses what a rule charges: {@code always}, {@code failure} (4xx and 5xx), {@code success} (all others), or statuses.
     *
     * @return whether a status is charged; {@code null} if all are
     * @throws IllegalArgumentException if the text is none of these
     */
    public static @Nullable IntPredicate parse(String text) {
        return switch (text) {
            case "", "always" -> null;
            case "failure" -> status -> status >= 400;
            case "success" -> status -> status < 400;
            default -> {
                IntPredicate statuses = statuses(text);
                if (statuses == null) {
                    throw new IllegalArgumentException("must be always, failure, success, or HTTP statuses such as"
                            + " 401,403 or 4xx, was '" + text + "'");
                }
                yield statuses;
            }
        };
    }

    /** Whether a status is one of those in the text; {@code null} if the text is no list of statuses. */
    static @Nullable IntPredicate statuses(String text) {
        if (!STATUSES.matcher(text.strip()).matches()) {
            return null;
        }
        List<String> known = new ArrayList<>(List.of(text.strip().split("\\s*,\\s*")));
        return status -> known.contains(String.valueOf(status)) || known.contains(status / 100 + "xx");
    }
}
