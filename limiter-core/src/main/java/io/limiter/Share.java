package io.limiter;

import io.limiter.internal.arithmetic.Ranges;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A part of a limit's permits, either a percentage or a number, and perhaps none. An immutable value with {@code equals}. */
public final class Share {

    private static final BigDecimal ALL = BigDecimal.valueOf(100);

    private final BigDecimal amount;
    private final boolean isPercentage;

    private Share(BigDecimal amount, boolean isPercentage) {
        this.amount = amount;
        this.isPercentage = isPercentage;
    }

    /** @throws IllegalArgumentException unless it is from 0 to 2<sup>53</sup> - 1 */
    public static Share permits(long permits) {
        Ranges.range("permits of a share", permits, 0, Ranges.MAX_PERMITS);
        return new Share(BigDecimal.valueOf(permits), false);
    }

    /**
     * A percentage from 0 to 100, such as {@code 20%} or {@code 12.5%}, or a number of permits, such as {@code 20}.
     *
     * @throws IllegalArgumentException if it is another text, or out of range
     */
    public static Share parse(String text) {
        String trimmed = Objects.requireNonNull(text, "text").trim();
        boolean isPercentage = trimmed.endsWith("%");
        try {
            if (!isPercentage) {
                return permits(Long.parseLong(trimmed));
            }
            // Neither a sign nor an exponent, which could be a number of a billion digits.
            String digits = trimmed.substring(0, trimmed.length() - 1);
            if (digits.matches("\\d{1,3}(\\.\\d{1,20})?")) {
                BigDecimal percent = new BigDecimal(digits);
                if (percent.compareTo(ALL) <= 0) {
                    return new Share(percent.stripTrailingZeros(), true);
                }
            }
        } catch (NumberFormatException e) {
            // Below.
        }
        throw new IllegalArgumentException("a share must be a percentage from 0% to 100%, such as 20%, or a number of"
                + " permits, such as 20, was '" + text + "'");
    }

    /**
     * The number of permits that this part of a limit is, rounded up, so only a share of 0 is none. If the share is a number, it may be more than
     * the limit.
     */
    public long of(long limit) {
        BigDecimal permits =
                isPercentage ? amount.multiply(BigDecimal.valueOf(limit)).divide(ALL) : amount;
        return permits.setScale(0, RoundingMode.CEILING).longValueExact();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Share share && isPercentage == share.isPercentage && amount.equals(share.amount);
    }

    @Override
    public int hashCode() {
        return 31 * amount.hashCode() + Boolean.hashCode(isPercentage);
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return amount.toPlainString() + (isPercentage ? "%" : "");
    }
}
