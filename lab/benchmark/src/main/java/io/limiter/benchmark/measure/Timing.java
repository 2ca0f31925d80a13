package io.limiter.benchmark.measure;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * How long and how often.
 *
 * @param rounds how many slices each subject has in each cell
 * @param seconds how long a slice is measured
 * @param warmUpSeconds how long each subject is under load in each cell before the first round
 */
public record Timing(int rounds, double seconds, double warmUpSeconds) {

    /** What a subject costs apart from its load: connections, keys, waiting for the end of a second. */
    private static final double OVERHEAD_SECONDS = 0.6;

    public String text() {
        return String.format(
                Locale.ROOT,
                "%d round%s of %s s after %s s of warm-up",
                rounds,
                rounds == 1 ? "" : "s",
                BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString(),
                BigDecimal.valueOf(warmUpSeconds).stripTrailingZeros().toPlainString());
    }

    /** The load before each slice, in which threads and connections come up to speed again. */
    double settleSeconds() {
        return Math.min(0.5, seconds / 4);
    }

    /** About how long subjects take in a cell. */
    public double plannedSeconds(int subjects) {
        return subjects * (OVERHEAD_SECONDS + warmUpSeconds + (rounds + 1) * (settleSeconds() + seconds));
    }
}
