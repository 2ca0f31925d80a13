package io.limiter.docs;

import io.limiter.algorithm.Decision;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.RateLimit;
import java.util.Map;

/** What docs/migration.md comes to, with annotations. */
class MigratedAnnotations {

    private final Map<String, String> lastQuotes = Map.of("ACME", "41");

    // migration: resilience4j-annotation-after
    @RateLimit(name = "exchange", rate = 10, timeout = 0.5, fallback = "last")
    public String quote(String symbol) {
        return "42";
    }

    private String last(String symbol, Decision rejection) {
        return lastQuotes.get(symbol);
    }
    // end

    // migration: sentinel-after
    @RateLimit(name = "stock", rate = 20, key = "#{shop}", fallback = "unknownStock")
    @ConcurrentLimit(name = "stock-calls", limit = 8)
    public int stock(String shop) {
        return 7;
    }

    private int unknownStock(String shop, Decision rejection) {
        return -1;
    }
    // end
}
