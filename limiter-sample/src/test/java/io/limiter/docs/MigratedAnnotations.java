package io.limiter.docs;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** What docs/migration.md comes to, with annotations. */
class MigratedAnnotations {

    private final Map<String, String> lastQuotes = Map.of("ACME", "41");
    private final RateLimiter reports;

    MigratedAnnotations(LimiterFactory limiters) {
        this.reports = limiters.build("reports", 1.0 / 30, 30, 120);
    }

    // migration: original-after
    @GetMapping("/rate")
    @RateLimit(rate = 1.0 / 5, burst = 5.0, expire = "2m", timeout = "1s")
    public String rate() {
        return "granted";
    }

    @GetMapping("/count")
    @CountLimit(key = "#{key}", limit = 2, period = "10s")
    public String count(@RequestParam("key") String key) {
        return "counted";
    }

    public boolean report(String customer) {
        return reports.tryAcquire(customer, 0, TimeUnit.SECONDS);
    }
    // end

    // migration: taptap-after
    @CountLimit(limit = 5, period = "10s", key = "#{name}")
    public String get(String name) {
        return "hello " + name;
    }

    @RateLimit(rate = 10, capacity = 50, permits = 2, fallback = "busy")
    public String list(String name) {
        return "all of " + name;
    }

    public String busy(String name) {
        return "too many requests, " + name;
    }
    // end

    // migration: bucket4j-starter-after
    @RateLimit(
            name = "balance",
            rate = 5,
            capacity = 10,
            key = "#{id}",
            condition = "#{currency != 'EUR'}",
            fallback = "unknown")
    public String balance(int id, String currency) {
        return "100 " + currency;
    }

    public String unknown(int id, String currency) {
        return "ask again later";
    }
    // end

    // migration: resilience4j-annotation-after
    @RateLimit(name = "exchange", rate = 10, timeout = "500ms", fallback = "last")
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
