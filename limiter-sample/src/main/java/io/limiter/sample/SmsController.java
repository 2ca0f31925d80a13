package io.limiter.sample;

import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Sends a code to a phone number at most once in 60 seconds, for requests with a form or JSON. */
@RestController
@RequestMapping(path = "/sms", produces = MediaType.TEXT_PLAIN_VALUE)
class SmsController {

    /** The two methods share their permits, because their limits have one name. */
    private static final String NAME = "sms-code";

    private static final String ONCE_A_MINUTE = "A code was sent to this number less than a minute ago.";

    @PostMapping(path = "/code", consumes = MediaType.APPLICATION_FORM_URLENCODED_VALUE)
    @CountLimit(
            key = "#{params.phone}",
            limit = 1,
            period = 60,
            limitType = LimitType.CUSTOM,
            name = NAME,
            message = ONCE_A_MINUTE)
    String form(@RequestParam Map<String, String> params) {
        return sent(params);
    }

    @PostMapping(path = "/code", consumes = MediaType.APPLICATION_JSON_VALUE)
    @CountLimit(
            key = "#{params.phone}",
            limit = 1,
            period = 60,
            limitType = LimitType.CUSTOM,
            name = NAME,
            message = ONCE_A_MINUTE)
    String json(@RequestBody Map<String, String> params) {
        return sent(params);
    }

    private static String sent(Map<String, String> params) {
        return "code sent to " + params.get("phone");
    }
}
