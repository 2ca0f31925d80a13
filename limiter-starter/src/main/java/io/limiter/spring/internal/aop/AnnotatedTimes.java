package io.limiter.spring.internal.aop;

import io.limiter.internal.parameters.Per;
import io.limiter.spring.internal.settings.SettingChecks;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** The times in annotations: numbers are seconds, {@code per} and {@code zone} are texts. */
final class AnnotatedTimes {

    private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(SettingChecks.LONGEST.toSeconds());

    private AnnotatedTimes() {}

    /**
     * A number of seconds, rounded up to a nanosecond so that a bucket holds all of a permit.
     *
     * @param seconds {@code null} if the annotation does not set it
     * @throws IllegalArgumentException if it is out of range
     */
    static @Nullable Duration seconds(String attribute, @Nullable Double seconds, String min) {
        if (seconds == null) {
            return null;
        }
        BigDecimal exact = Double.isFinite(seconds) ? exact(seconds) : null;
        if (exact == null || exact.compareTo(new BigDecimal(min)) < 0 || exact.compareTo(LONGEST_SECONDS) > 0) {
            throw new IllegalArgumentException(attribute + " (seconds) must be between " + min + " and "
                    + LONGEST_SECONDS + ", was " + (exact == null ? seconds.toString() : exact.toPlainString()));
        }
        return Duration.ofNanos(
                exact.movePointRight(9).setScale(0, RoundingMode.CEILING).longValueExact());
    }

    /**
     * What its permits are for.
     *
     * @param period {@code null} if the annotation does not set it, or has none
     * @param per empty if the annotation does not set it
     * @return {@code null} if the annotation says nothing of it
     * @throws IllegalArgumentException if one of them is invalid, or excludes the other
     */
    static @Nullable Per per(@Nullable Double period, String per) {
        if (period != null && !per.isEmpty()) {
            throw new IllegalArgumentException("period = " + period + " (seconds) and per = \"" + per
                    + "\" both say how long a period is: leave one of them out");
        }
        Duration length = seconds("period", period, "0.001");
        return length != null ? Per.of(length) : per.isEmpty() ? null : Per.valueOf(per);
    }

    /** {@code null} if the annotation does not set it, or has none. */
    static @Nullable ZoneId zone(String id) {
        try {
            return id.isEmpty() ? null : ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "zone must be one that Java knows, such as Europe/Berlin or UTC, was '" + id + "'", e);
        }
    }

    private static BigDecimal exact(double seconds) {
        return BigDecimal.valueOf(seconds).stripTrailingZeros();
    }
}
