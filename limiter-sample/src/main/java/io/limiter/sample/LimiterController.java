package io.limiter.sample;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint for each way to limit. */
@RestController
@RequestMapping(path = "/limiter", produces = MediaType.TEXT_PLAIN_VALUE)
class LimiterController {

    private final RateLimiter rate2;

    LimiterController(LimiterFactory limiters) {
        this.rate2 = limiters.build("rate2", 1.0 / 5, 5, 60);
    }

    @GetMapping("/count")
    @CountLimit(limitType = LimitType.CUSTOM, key = "#{key}", limit = 2, period = 10)
    String count(@RequestParam String key) {
        return "counted for " + key;
    }

    @GetMapping("/rate")
    @RateLimit(rate = 1.0 / 5, burst = 5)
    String rate() {
        return "granted";
    }

    @GetMapping("/rate2")
    String rate2() {
        Decision decision = rate2.decide(1);
        if (!decision.granted()) {
            throw new RateLimitExceededException(rate2.name(), decision);
        }
        return "granted, " + decision.remaining() + " of " + decision.limit() + " left";
    }

    @GetMapping("/ip")
    @CountLimit(limitType = LimitType.IP, limit = 3, period = 10)
    String ip() {
        return "granted to this IP";
    }

    @GetMapping("/user")
    @CountLimit(limitType = LimitType.USER, limit = 3, period = 10)
    String user() {
        return "granted to this user";
    }
}
