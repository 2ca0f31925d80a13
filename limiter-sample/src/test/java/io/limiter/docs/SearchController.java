package io.limiter.docs;

import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The examples of the README, which ReadmeTest runs. */
@RestController
public class SearchController {

    private final Index index = new Index();

    // readme: annotation
    @GetMapping("/search")
    @RateLimit(name = "search", limitType = LimitType.IP, rate = 5, capacity = 10)
    public List<String> search(@RequestParam String text) {
        return index.find(text);
    }
    // end

    public static boolean inCode(LimiterFactory limiters, String tenant) {
        // readme: code
        RateLimiter calls = limiters.build("calls", TokenBucket.perSecond(5).withCapacity(10));
        boolean granted = calls.tryAcquire(tenant);
        // end
        return granted;
    }

    private static final class Index {

        List<String> find(String text) {
            return List.of(text);
        }
    }
}
