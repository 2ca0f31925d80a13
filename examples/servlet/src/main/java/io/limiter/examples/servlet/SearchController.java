package io.limiter.examples.servlet;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class SearchController {

    /** Five searches per second for each client address, and ten in a row after a pause. */
    @GetMapping("/search")
    @RateLimit(name = "search", limitType = LimitType.IP, rate = 5, capacity = 10)
    public String search(@RequestParam String text) {
        return "found " + text;
    }
}
