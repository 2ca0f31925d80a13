package io.limiter.test.spring;

import io.limiter.spring.annotation.CountLimit;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** With a limit by annotation, and {@code limiter.http.page} of the tests' properties. */
@SpringBootApplication
class LimitedApplication {

    @RestController
    static class Controller {

        @GetMapping("/code")
        @CountLimit(name = "code", key = "#{phone}", limit = 1, per = "1m")
        String code(@RequestParam String phone) {
            return "sent";
        }

        @GetMapping("/page")
        String page() {
            return "page";
        }
    }
}
