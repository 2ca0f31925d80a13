package io.limiter.sample;

import io.limiter.spring.annotation.RateLimit;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Sends a code to a phone number at most once a minute, for requests with a form or JSON. */
@RestController
@RequestMapping(path = "/sms", produces = MediaType.TEXT_PLAIN_VALUE)
class SmsController {

    private static final String ONCE_A_MINUTE = "A code was sent to this number less than a minute ago.";

    @PostMapping(path = "/code", consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
    @RateLimit(name = "sms-code", key = "#{phone}", rate = 1.0 / 60, burst = 60, message = ONCE_A_MINUTE)
    String form(@RequestParam String phone) {
        return "code sent to " + phone;
    }

    @PostMapping(path = "/code", consumes = MediaType.APPLICATION_JSON_VALUE)
    @RateLimit(name = "sms-code", key = "#{params.phone}", rate = 1.0 / 60, burst = 60, message = ONCE_A_MINUTE)
    String json(@RequestBody Map<String, String> params) {
        return "code sent to " + params.get("phone");
    }
}
