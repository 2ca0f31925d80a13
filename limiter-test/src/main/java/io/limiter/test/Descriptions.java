package io.limiter.test;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.internal.key.KeyText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/** What failed assertions say. */
final class Descriptions {

    private Descriptions() {}

    static String of(Limiter limiter) {
        return of(limiter.name(), limiter.keys());
    }

    static String of(ConcurrencyLimiter limiter) {
        return of(limiter.name(), limiter.keys());
    }

    private static String of(String name, List<String> keys) {
        return "limiter '" + name + "'" + (keys.isEmpty() ? "" : " on '" + KeyText.of(keys) + "'");
    }

    static String of(Decision decision) {
        String left = decision.remaining() + " of " + decision.limit() + " remaining";
        String source = decision.source() == Decision.Source.BACKEND ? "" : ", decided by " + decision.source();
        if (decision.isGranted()) {
            return "granted (" + left + source + ")";
        }
        String retry =
                decision.retryAfter().map(time -> "rejected for " + of(time)).orElse("rejected for ever");
        return retry + " (" + left + source + ")";
    }

    static String of(Duration time) {
        BigDecimal seconds = BigDecimal.valueOf(time.getSeconds()).add(BigDecimal.valueOf(time.getNano(), 9));
        return seconds.stripTrailingZeros().toPlainString() + " s";
    }
}
