package io.limiter.examples.webflux;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class OrderController {

    @GetMapping("/api/orders/{id}")
    Mono<String> order(@PathVariable String id) {
        return Mono.just("order " + id);
    }
}
