package io.limiter.docs;

// readme: annotation
import io.limiter.spring.annotation.RateLimit;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class CodeController {

    @PostMapping("/codes/{phone}")
    @RateLimit(name = "codes", key = "#{phone}", rate = 1, per = "1m")
    public String send(@PathVariable String phone) {
        return "sent";
    }
}
// end
