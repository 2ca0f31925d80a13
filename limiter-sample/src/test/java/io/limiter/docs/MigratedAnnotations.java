package io.limiter.docs;

import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.RateLimit;

/** What docs/migration.md comes to, with annotations. */
class MigratedAnnotations {

    // migration: resilience4j-annotation-after
    @RateLimit(name = "exchange", rate = 10, timeout = 0.5)
    public String quote(String symbol) {
        return "42";
    }
    // end

    // migration: sentinel-after
    @RateLimit(name = "stock", rate = 20, key = "#{shop}")
    @ConcurrentLimit(name = "stock-calls", limit = 8)
    public int stock(String shop) {
        return 7;
    }
    // end
}
