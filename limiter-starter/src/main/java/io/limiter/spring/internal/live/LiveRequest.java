package io.limiter.spring.internal.live;

import io.limiter.algorithm.LimitKind;
import io.limiter.internal.text.DurationText;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the parameters of a change, which Actuator passes as text. Failures name the parameter. */
final class LiveRequest {

    private LiveRequest() {}

    static ChangeNote note(String who, @Nullable String why, @Nullable String expiresIn) {
        return ChangeNote.of(who, why == null ? "" : why).withExpiry(duration("expiresIn", expiresIn));
    }

    /** {@code null} if the request is of all keys. */
    static @Nullable LiveKey key(@Nullable String key, @Nullable String keyHash) {
        if (key != null && keyHash != null) {
            throw new IllegalArgumentException("key and keyHash say the same: leave one of them out");
        }
        return key != null ? LiveKey.parse(key) : keyHash == null ? null : LiveKey.hashed(keyHash);
    }

    /** 0 if none is expected. */
    static long version(String name, @Nullable String text) {
        Long version = parsed(name, "a whole number from 0 to " + LiveLimits.MAX_VERSION, text, value -> {
            long parsed = Long.parseLong(value);
            if (parsed < 0 || parsed > LiveLimits.MAX_VERSION) {
                throw new IllegalArgumentException(value);
            }
            return parsed;
        });
        return version == null ? 0 : version;
    }

    static @Nullable LimitKind kind(@Nullable String text) {
        return text == null ? null : LimitKind.of(text);
    }

    static @Nullable Double number(String name, @Nullable String text) {
        return parsed(name, "a number", text, Double::valueOf);
    }

    static @Nullable Long whole(String name, @Nullable String text) {
        return parsed(name, "a whole number", text, Long::valueOf);
    }

    /** A plain number is in seconds, as in configuration. */
    static @Nullable Duration duration(String name, @Nullable String text) {
        return text == null ? null : DurationText.parse(name, text);
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
                            + " enforce and onFailure, or access for a key");
        }
        return settings;
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
