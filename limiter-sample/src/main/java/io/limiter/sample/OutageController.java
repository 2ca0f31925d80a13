package io.limiter.sample;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Stops Redis for a while, and shows what the limit grants in that time. */
@RestController
@RequestMapping("/outage")
class OutageController {

    private final Outage outage;

    OutageController(Outage outage) {
        this.outage = outage;
    }

    @GetMapping
    Outage.Progress get() {
        return outage.progress();
    }

    @PostMapping
    Outage.Progress start() {
        outage.begin();
        return get();
    }
}
