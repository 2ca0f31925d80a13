package io.limiter.benchmark.report;

import io.limiter.benchmark.measure.Spread;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** How figures are written: to three digits, with a dash for what there is none of. */
final class Numbers {

    static final String NONE = "–";

    /** What is less is next to nothing, whatever is counted. */
    private static final int MOST_DECIMALS = 5;

    private static final MathContext THREE_DIGITS = new MathContext(3);

    private Numbers() {}

    static String of(double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            return NONE;
        }
        BigDecimal rounded = new BigDecimal(number).round(THREE_DIGITS).stripTrailingZeros();
        return String.format(Locale.ROOT, "%,." + Math.max(0, Math.min(MOST_DECIMALS, rounded.scale())) + "f", rounded);
    }

    static String of(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String median(Spread spread) {
        return of(spread.median());
    }

    /** The median, and from where to where. */
    static String spread(Spread spread) {
        if (Double.isNaN(spread.median())) {
            return NONE;
        }
        return of(spread.median()) + " (" + of(spread.least()) + "–" + of(spread.most()) + ")";
    }
}
