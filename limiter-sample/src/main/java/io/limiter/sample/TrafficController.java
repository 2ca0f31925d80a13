package io.limiter.sample;

import java.util.Map;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Starts and stops the traffic. */
@RestController
@RequestMapping("/traffic")
class TrafficController {

    private final Traffic traffic;

    TrafficController(Traffic traffic) {
        this.traffic = traffic;
    }

    @GetMapping
    Map<String, Long> get() {
        return Map.of("secondsLeft", traffic.secondsLeft());
    }

    @PostMapping
    Map<String, Long> start() {
        traffic.begin();
        return get();
    }

    @DeleteMapping
    Map<String, Long> stop() {
        traffic.end();
        return get();
    }
}
