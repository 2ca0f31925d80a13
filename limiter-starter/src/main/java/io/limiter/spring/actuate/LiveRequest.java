package io.limiter.spring.actuate;

import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.spring.settings.SettingChecks;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;

/** Reads the parameters of a change, which Actuator passes as text. Failures name the parameter. */
final class LiveRequest {

    /** As {@link ChangeNote} allows. */
    private static final int MAX_WHO = 100;

    /** Longer ones Redis does not have, because it counts in doubles. */
    private static final long MAX_VERSION = 999_999_999_999_999L;

    private LiveRequest() {}

    /**
     * Who makes the change.
     *
     * @param named by the request; used without a login
     * @throws IllegalArgumentException if that is unknown
     */
    static String who(SecurityContext security, @Nullable String named) {
        String known = security.getPrincipal() == null
                ? named
                : security.getPrincipal().getName();
        if (known == null || known.isBlank()) {
            throw new IllegalArgumentException("who must be set, because no user is logged in");
        }
        return known.length() > MAX_WHO ? known.substring(0, MAX_WHO) : known;
    }

    static ChangeNote note(String who, @Nullable String why, @Nullable String expiresIn) {
        return new ChangeNote(who, why == null ? "" : why, duration("expiresIn", expiresIn));
    }

    /**
     * @throws IllegalArgumentException if the request has a parameter that the operation has not, or one twice, and Spring Boot
     *     would ignore it
     */
    static void checkNames(InvocationContext request, OperationParameters parameters) {
        List<String> known = parameters.stream()
                .filter(parameter -> parameter.getType() == String.class)
                .map(OperationParameter::getName)
                .toList();
        request.getArguments().forEach((name, value) -> {
            if (value instanceof Collection<?>) {
                throw new IllegalArgumentException("'" + name + "' is there more than once");
            }
            // What is in the path is an array, unless the request overwrites it.
            boolean inPath = value instanceof String[] || !request.canResolve(WebServerNamespace.class);
            if (!known.contains(name) && !inPath) {
                String nearest = Collections.min(known, Comparator.comparingInt(each -> distance(each, name)));
                boolean near = distance(nearest, name) <= 1 + nearest.length() / 3;
                throw new IllegalArgumentException("there is no '" + name + "'"
                        + (near ? ", did you mean " + nearest + "?" : "") + ": set only " + String.join(", ", known));
            }
        });
    }

    /** How many letters to add, remove or replace; in any case. */
    private static int distance(String name, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= name.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                boolean same = Character.toLowerCase(name.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
                int replaced = same ? diagonal : diagonal + 1;
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }

    /** 0 if none is expected. */
    static long version(String name, @Nullable String text) {
        Long version = parsed(name, "a whole number from 0 to " + MAX_VERSION, text, value -> {
            long parsed = Long.parseLong(value);
            if (parsed < 0 || parsed > MAX_VERSION) {
                throw new IllegalArgumentException(value);
            }
            return parsed;
        });
        return version == null ? 0 : version;
    }

    static @Nullable LiveKind kind(@Nullable String text) {
        return text == null ? null : LiveKind.of(text);
    }

    static @Nullable Double number(String name, @Nullable String text) {
        return parsed(name, "a number", text, Double::valueOf);
    }

    static @Nullable Integer whole(String name, @Nullable String text) {
        return parsed(name, "a whole number", text, Integer::valueOf);
    }

    /** A plain number is in seconds, as in configuration. */
    static @Nullable Duration duration(String name, @Nullable String text) {
        return text == null ? null : SettingChecks.duration(name, text);
    }

    static @Nullable Boolean flag(String name, @Nullable String text) {
        return parsed(name, "true or false", text, value -> switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(value);
        });
    }

    static <E extends Enum<E>> @Nullable E oneOf(String name, Class<E> type, @Nullable String text) {
        return parsed(
                name,
                "one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT),
                text,
                value -> Enum.valueOf(type, value.toUpperCase(Locale.ROOT)));
    }

    /** @throws IllegalArgumentException if nothing is set */
    static LiveSettings checked(LiveSettings settings) {
        if (settings.isEmpty()) {
            throw new IllegalArgumentException(
                    "nothing is set: set one of rate, capacity, burst, limit, period, timeout,"
                            + " enforce and failurePolicy, or access for a key, or remove, or rollBack");
        }
        return settings;
    }

    /** @throws IllegalArgumentException if a request that removes or rolls back does something else, too */
    static void checkAlone(LiveSettings settings, boolean both) {
        if (both || settings.kind() != null || !settings.isEmpty()) {
            throw new IllegalArgumentException("one request changes one thing: set remove, or rollBack, or settings");
        }
    }

    /** @throws IllegalArgumentException if the change is of another name or another key, or of a key and the request is not, or the reverse */
    static void checkIsOf(String name, @Nullable LiveKey key, long version, LiveLimits limits) {
        limits.change(version)
                .filter(change -> !change.name().equals(name) || !isOf(change, key, limits))
                .ifPresent(change -> {
                    throw new IllegalArgumentException(
                            "change " + version + " is of " + shown(change.name(), change.key()) + ", not of "
                                    + shown(name, Optional.ofNullable(key)) + ": roll it back there");
                });
    }

    private static boolean isOf(LiveChange change, @Nullable LiveKey key, LiveLimits limits) {
        return change.key()
                .map(changed -> key != null && limits.isSame(changed, key))
                .orElse(key == null);
    }

    private static String shown(String name, Optional<LiveKey> key) {
        return "'" + name + "'" + key.map(each -> ", key '" + each + "'").orElse("");
    }

    private static <T> @Nullable T parsed(
            String name, String allowed, @Nullable String text, Function<String, T> parser) {
        if (text == null) {
            return null;
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(name + " must be " + allowed + ", was '" + text + "'", e);
        }
    }
}
