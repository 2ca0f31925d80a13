package io.limiter.sample;

import io.limiter.LimitWarningEvent;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Quotas as they are sold: a month, a warning at 80 %, a background job that leaves something, the tokens of a model. */
@RestController
@RequestMapping("/quotas")
class QuotaController {

    private static final int MOST_WARNINGS = 20;

    private final Deque<String> warnings = new ConcurrentLinkedDeque<>();

    /** {@code application.properties} says that it warns at 80 %. */
    @PostMapping(path = "/reports/{customer}", produces = MediaType.TEXT_PLAIN_VALUE)
    @CountLimit(
            name = "reports",
            key = "#{customer}",
            limit = 1000,
            per = "month",
            zone = "Europe/Berlin",
            cost = "#{pages}")
    String report(@PathVariable String customer, @RequestParam long pages) {
        return "a report of " + pages + " pages for " + customer;
    }

    /** Yours would write a mail. */
    @EventListener
    void reportsAreUsed(LimitWarningEvent event) {
        warnings.addFirst(event.keys().get(0) + " has used " + event.used() + " of " + event.limit() + ", until "
                + event.periodEnd());
        while (warnings.size() > MOST_WARNINGS) {
            warnings.removeLast();
        }
    }

    @GetMapping("/warnings")
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Of somebody who waits for it. */
    @PostMapping(path = "/exports", produces = MediaType.TEXT_PLAIN_VALUE)
    @RateLimit(name = "file-exports", rate = 20)
    String export() {
        return "exported";
    }

    /** Of a job in the background, which leaves a fifth of the limit to those who wait. */
    @PostMapping(path = "/exports/background", produces = MediaType.TEXT_PLAIN_VALUE)
    @RateLimit(name = "file-exports", rate = 20, leave = "20%")
    String exportLater() {
        return "exported";
    }
}
