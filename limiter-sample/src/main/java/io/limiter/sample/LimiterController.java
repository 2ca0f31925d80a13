package io.limiter.sample;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** An endpoint for each kind of limit. */
@RestController
@RequestMapping(path = "/limiter", produces = MediaType.TEXT_PLAIN_VALUE)
class LimiterController {

    private static final Duration REPORT_TIME = Duration.ofSeconds(3);

    private final RateLimiter rate2;
    private final Limiter log;

    LimiterController(LimiterFactory limiters) {
        this.rate2 = limiters.build("rate2", 1.0 / 5, 5, 60);
        this.log = limiters.build("log", SlidingLog.of(3, Duration.ofSeconds(10)));
    }

    @GetMapping("/count")
    @CountLimit(name = "count", key = "#{key}", limit = 2, period = 10)
    String count(@RequestParam String key) {
        return "counted for " + key;
    }

    @GetMapping("/rate")
    @RateLimit(name = "rate", rate = 1.0 / 5, burst = 5)
    String rate() {
        return "granted";
    }

    @GetMapping("/rate2")
    String rate2() {
        return granted(rate2);
    }

    @GetMapping("/log")
    String log() {
        return granted(log);
    }

    private static String granted(Limiter limiter) {
        Decision decision = limiter.decide(1);
        if (!decision.isGranted()) {
            throw new RateLimitExceededException(limiter.name(), decision);
        }
        return "granted, " + decision.remaining() + " of " + decision.limit() + " left";
    }

    @GetMapping("/ip")
    @CountLimit(name = "ip", limitType = LimitType.IP, limit = 3, period = 10)
    String ip() {
        return "granted to this IP";
    }

    @GetMapping("/user")
    @CountLimit(name = "user", limitType = LimitType.USER, limit = 3, period = 10)
    String user() {
        return "granted to this user";
    }

    @GetMapping("/search")
    @RateLimit(name = "per-second", rate = 1, burst = 1, limitType = LimitType.USER)
    @CountLimit(name = "per-minute", limit = 5, per = "1m", limitType = LimitType.USER)
    String search() {
        return "found";
    }

    @GetMapping("/plan")
    @CountLimit(name = "plan", key = "#{user}", plan = "#{plan}", limit = 2, period = 10)
    String plan(@RequestParam String user, @RequestParam(defaultValue = "") String plan) {
        return "granted to " + user;
    }

    @GetMapping("/import")
    @RateLimit(name = "import", rate = 1, burst = 10, cost = "#{rows}")
    String rows(@RequestParam int rows) {
        return rows + " rows imported";
    }

    @GetMapping("/report")
    @ConcurrentLimit(
            name = "report",
            limit = 1,
            lease = 10,
            message = "A report is being written; there can be one at a time.")
    String report() throws InterruptedException {
        Thread.sleep(REPORT_TIME.toMillis());
        return "report written";
    }
}
