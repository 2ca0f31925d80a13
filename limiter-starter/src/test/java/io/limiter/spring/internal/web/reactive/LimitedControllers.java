package io.limiter.spring.internal.web.reactive;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Controllers with limits, of the tests of WebFlux. */
final class LimitedControllers {

    private LimitedControllers() {}

    static class Service {

        @CountLimit(name = "first", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public Mono<Void> first(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "second", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public Mono<Void> second(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "mono", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public Mono<String> mono(String run) {
            return Mono.just("done");
        }

        @CountLimit(name = "byIp", limitType = LimitType.IP, limit = 5, per = "1h")
        public CompletableFuture<String> byIp() {
            return CompletableFuture.completedFuture("done");
        }

        @ConcurrentLimit(limit = 1, name = "leased", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> again(String run) {
            return Mono.just("done");
        }

        @CountLimit(name = "blocking", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public String blocking(String run) {
            return "done";
        }
    }

    @RestController
    static class Limited {

        private final Service service;
        private final LimiterFactory limiters;

        Limited(Service service, LimiterFactory limiters) {
            this.service = service;
            this.limiters = limiters;
        }

        @GetMapping("/one")
        @RateLimit(name = "one", rate = 1.0 / 60, burst = 60, limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> one(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/thread")
        @CountLimit(name = "thread", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, per = "1h")
        public Mono<String> thread(@RequestParam("run") String run) {
            return Mono.just(Thread.currentThread().getName());
        }

        @GetMapping("/both")
        @RateLimit(name = "perMinute", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{run}")
        @CountLimit(name = "perDay", limit = 3, per = "1d", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> both(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/message")
        @CountLimit(
                limit = 1,
                name = "message",
                per = "1h",
                limitType = LimitType.CUSTOM,
                key = "#{run}",
                message = "one \"code\" a minute")
        public Mono<String> message(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/services")
        public Mono<String> services(@RequestParam("run") String run) {
            return service.first(run)
                    .then(service.second(run))
                    .then(service.first(run))
                    .thenReturn("done");
        }

        @GetMapping("/unnamed")
        @CountLimit(limit = 5, per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> unnamed(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/dry")
        @CountLimit(limit = 1, name = "dry", per = "1h")
        public Mono<String> dry() {
            return Mono.just("done");
        }

        @GetMapping("/skipped")
        @CountLimit(limit = 1, name = "skipped", per = "1h", condition = "#{run.isEmpty()}")
        public Mono<String> skipped(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/source")
        @CountLimit(limit = 1, name = "source", per = "1h", key = "header:X-Api-Key")
        public Mono<String> source() {
            return Mono.just("done");
        }

        @GetMapping("/facts")
        @CountLimit(
                limit = 4,
                name = "facts",
                per = "1h",
                key = {"#{header('X-Tenant') ?: ip()}", "#{run}:#{method()}:#{path()}"},
                cost = "#{number(param('n')) * 2}",
                condition = "#{cookie('free') == null}")
        public Mono<String> facts(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/used")
        @CountLimit(
                limit = 10,
                name = "used",
                per = "1h",
                key = "#{run}",
                cost = "#{5}",
                chargeOn = "#{header('X-Free') == null}",
                settle = "#{number(header('X-Used')) + result.length()}")
        public Mono<String> used(@RequestParam("run") String run) {
            return Mono.just("done").publishOn(Schedulers.parallel());
        }

        @GetMapping("/user")
        @CountLimit(limit = 1, name = "user", per = "1h", limitType = LimitType.USER)
        public Mono<String> user() {
            return Mono.just("done");
        }

        @GetMapping("/ip")
        @CountLimit(limit = 1, name = "ip", per = "1h", limitType = LimitType.IP)
        public Mono<String> ip() {
            return Mono.just("done");
        }

        @GetMapping("/backend")
        public Mono<String> backend() {
            return Mono.error(BackendFailures.notExecuted("secret-key", "Redis is gone"));
        }

        @GetMapping("/future")
        @CountLimit(limit = 1, name = "future", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public CompletableFuture<String> future(@RequestParam("run") String run) {
            return CompletableFuture.completedFuture("done");
        }

        @GetMapping("/future/inside")
        public CompletableFuture<String> futureInside() {
            return service.byIp();
        }

        @GetMapping("/future/facts")
        @CountLimit(
                limit = 4,
                name = "futureFacts",
                per = "1h",
                key = {"#{header('X-Tenant')}", "#{user() ?: ip()}", "#{run}"},
                cost = "#{number(param('n'))}")
        public CompletableFuture<String> futureFacts(@RequestParam("run") String run) {
            return CompletableFuture.completedFuture("done");
        }

        @GetMapping({"/api/one", "/api/health/live", "/tried", "/several"})
        public Mono<String> open() {
            return Mono.just("done");
        }

        @PostMapping("/api/one")
        public Mono<String> post() {
            return Mono.just("done");
        }

        @GetMapping("/api/fails")
        public Mono<String> fails() {
            return Mono.error(new IllegalStateException("failed on purpose"));
        }

        @GetMapping("/twice")
        public Mono<String> twice(@RequestParam("run") String run) {
            Mono<String> mono = service.mono(run);
            return mono.zipWith(mono, String::concat);
        }

        @GetMapping("/blocking")
        public Mono<String> blocking(@RequestParam("run") String run) {
            return Mono.fromCallable(() -> service.blocking(run));
        }

        @GetMapping("/elsewhere")
        public Mono<String> elsewhere(@RequestParam("run") String run) {
            return blocking(run).subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/places")
        public Mono<String> places(@RequestParam("run") String run) {
            return Mono.usingWhen(
                    Mono.fromFuture(() -> limiters.build("places", ConcurrencyLimit.of(1))
                            .on(run)
                            .async()
                            .acquire(1, Duration.ofMinutes(1))),
                    lease -> Mono.delay(Duration.ofMillis(1)).thenReturn("held " + lease.isHeld()),
                    lease -> Mono.fromFuture(lease.closeAsync()));
        }

        @GetMapping("/leased")
        @ConcurrentLimit(limit = 1, name = "leased", limitType = LimitType.CUSTOM, key = "#{run}", timeout = 60)
        @RateLimit(name = "leased", rate = 0.001, burst = 5000, limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> leased(@RequestParam("run") String run) {
            return Mono.delay(Duration.ofMillis(1)).thenReturn("done");
        }

        @GetMapping("/leased/twice")
        @ConcurrentLimit(limit = 1, name = "leased", limitType = LimitType.CUSTOM, key = "#{run}")
        public CompletableFuture<String> leasedTwice(@RequestParam("run") String run) {
            return service.again(run).toFuture();
        }

        @GetMapping("/api/slow")
        public Mono<String> slow() {
            return Mono.delay(Duration.ofMillis(1)).thenReturn("done");
        }
    }

    @RestController
    static class OwnHandler {

        @GetMapping("/own")
        @CountLimit(limit = 1, name = "own", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> own(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @ExceptionHandler
        public ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(509).body("own handler");
        }
    }

    /** Under a limit of the whole type. */
    @RestController
    @CountLimit(limit = 1, name = "whole", per = "1h", limitType = LimitType.IP)
    static class Whole {

        @GetMapping("/whole")
        public Mono<String> whole(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @ModelAttribute("model")
        public String model() {
            return "model";
        }

        @InitBinder
        public void bind(WebDataBinder binder) {
            binder.setDisallowedFields("id");
        }

        @ExceptionHandler
        public ResponseEntity<String> handle(RateLimitExceededException e) {
            return ResponseEntity.status(509).body("own handler");
        }
    }
}
