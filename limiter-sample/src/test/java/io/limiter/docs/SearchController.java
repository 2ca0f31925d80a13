package io.limiter.docs;

// readme: code
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class SearchController {

    private final RateLimiter searches;

    public SearchController(LimiterFactory limiters) {
        searches = limiters.build("searches", TokenBucket.perSecond(50));
    }

    @GetMapping("/search")
    public ResponseEntity<String> search(@RequestParam String tenant) {
        return searches.tryAcquire(tenant)
                ? ResponseEntity.ok("results")
                : ResponseEntity.status(429).build();
    }
}
// end
