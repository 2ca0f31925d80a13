package io.limiter.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.web.HttpContract;
import io.limiter.spring.web.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** WebFlux on Netty, without a blocking call on the event loop. */
class WebFluxHttpTest extends HttpContract {

    private static final Queue<BlockingOperationError> BLOCKED = new ConcurrentLinkedQueue<>();

    private static volatile boolean watching;

    static class Service {

        @CountLimit(name = "first", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, period = "1h")
        public Mono<Void> first(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "second", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, period = "1h")
        public Mono<Void> second(String run) {
            return Mono.empty();
        }

        @CountLimit(name = "mono", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, period = "1h")
        public Mono<String> mono(String run) {
            return Mono.just("done");
        }

        @ConcurrentLimit(limit = 1, name = "leased", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> again(String run) {
            return Mono.just("done");
        }

        @CountLimit(name = "blocking", limitType = LimitType.CUSTOM, key = "#{run}", limit = 5, period = "1h")
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

        @GetMapping("/both")
        @RateLimit(name = "perMinute", rate = 1.0 / 60, burst = 120, limitType = LimitType.CUSTOM, key = "#{run}")
        @CountLimit(name = "perDay", limit = 3, period = "1d", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> both(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/message")
        @CountLimit(
                limit = 1,
                name = "message",
                period = "1h",
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
        @CountLimit(limit = 5, period = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public Mono<String> unnamed(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/dry")
        @CountLimit(limit = 1, name = "dry", period = "1h")
        public Mono<String> dry() {
            return Mono.just("done");
        }

        @GetMapping("/skipped")
        @CountLimit(limit = 1, name = "skipped", period = "1h", condition = "#{run.isEmpty()}")
        public Mono<String> skipped(@RequestParam("run") String run) {
            return Mono.just("done");
        }

        @GetMapping("/user")
        @CountLimit(limit = 1, name = "user", period = "1h", limitType = LimitType.USER)
        public Mono<String> user() {
            return Mono.just("done");
        }

        @GetMapping("/ip")
        @CountLimit(limit = 1, name = "ip", period = "1h", limitType = LimitType.IP)
        public Mono<String> ip() {
            return Mono.just("done");
        }

        @GetMapping("/backend")
        public Mono<String> backend() {
            return Mono.error(BackendFailures.notExecuted("secret-key", "Redis is gone"));
        }

        @GetMapping("/future")
        @CountLimit(limit = 1, name = "future", period = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public CompletableFuture<String> future(@RequestParam("run") String run) {
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
        @ConcurrentLimit(limit = 1, name = "leased", limitType = LimitType.CUSTOM, key = "#{run}", timeout = "1m")
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
        @CountLimit(limit = 1, name = "own", period = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
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
    @CountLimit(limit = 1, name = "whole", period = "1h", limitType = LimitType.IP)
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

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithOwnHandler {

        @Bean
        @Order(-2)
        WebExceptionHandler own() {
            return (exchange, exception) -> {
                exchange.getResponse().setStatusCode(HttpStatus.I_AM_A_TEAPOT);
                return exchange.getResponse().setComplete();
            };
        }
    }

    @RestController
    static class Plain {

        @GetMapping("/plain")
        @CountLimit(limit = 1, name = "plain", period = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
        public String plain(@RequestParam("run") String run) {
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Application.class)
    static class WithBlockingExecution {

        @Bean
        Plain plain() {
            return new Plain();
        }

        @Bean
        WebFluxConfigurer blocking() {
            return new WebFluxConfigurer() {
                @Override
                public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
                    configurer.setExecutor(new SimpleAsyncTaskExecutor());
                }
            };
        }
    }

    /** Tomcat, which is there too, would come first, and has no event loop. Spring Boot 4 has moved the class. */
    static class OnNetty implements ImportBeanDefinitionRegistrar {

        private static final List<String> FACTORIES = List.of(
                "org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory",
                "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory");

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            ClassLoader loader = getClass().getClassLoader();
            String factory = FACTORIES.stream()
                    .filter(name -> ClassUtils.isPresent(name, loader))
                    .findFirst()
                    .orElseThrow();
            registry.registerBeanDefinition(
                    "netty", new RootBeanDefinition(ClassUtils.resolveClassName(factory, loader)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OnNetty.class)
    static class Application {

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        Limited limited(Service service, LimiterFactory limiters) {
            return new Limited(service, limiters);
        }

        @Bean
        Whole whole() {
            return new Whole();
        }

        @Bean
        OwnHandler ownHandler() {
            return new OwnHandler();
        }

        /** Where Spring Security's would be. */
        @Bean
        @Order(-100)
        WebFilter login() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-User");
                return user == null
                        ? chain.filter(exchange)
                        : chain.filter(exchange)
                                .contextWrite(ReactiveSecurityContextHolder.withAuthentication(
                                        UsernamePasswordAuthenticationToken.authenticated(user, null, List.of())));
            };
        }
    }

    @Override
    protected WebApplicationType type() {
        return WebApplicationType.REACTIVE;
    }

    @Override
    protected Class<?> application() {
        return Application.class;
    }

    /** Blocking calls on the event loop fail from now on, until all tests of this class have run. */
    @BeforeAll
    static void watch() {
        watching = true;
        // What other tests have left waits in a call that it began before it was allowed to.
        Schedulers.shutdownNow();
        BlockHound.install(builder -> builder
                // The ids of leases: random numbers of the operating system do not block.
                .allowBlockingCallsInside("java.security.SecureRandom", "nextBytes")
                .blockingMethodCallback(method -> {
                    if (!watching) {
                        return;
                    }
                    BlockingOperationError blocked = new BlockingOperationError(method);
                    BLOCKED.add(blocked);
                    throw blocked;
                }));
    }

    /**
     * BlockHound cannot be removed. In the tests after this one, a thread that it keeps from waiting for a lock would keep its
     * place in the lock's queue, and all behind it would wait for ever.
     */
    @AfterAll
    static void watch_no_longer() {
        watching = false;
    }

    /** An error on the event loop may be lost. */
    @AfterEach
    void nothing_was_blocked() {
        List<BlockingOperationError> blocked = List.copyOf(BLOCKED);
        BLOCKED.clear();
        blocked.forEach(Throwable::printStackTrace);
        assertThat(blocked).isEmpty();
    }

    @Test
    void blocking_calls_are_detected() {
        assertThatThrownBy(() -> Mono.fromRunnable(() -> {
                            try {
                                Thread.sleep(1);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .subscribeOn(Schedulers.parallel())
                        .block())
                .hasCauseInstanceOf(BlockingOperationError.class);
        assertThat(BLOCKED).hasSize(1);
        BLOCKED.clear();
    }

    @Test
    void a_limit_that_would_block_the_event_loop_fails_instead_and_works_on_another_thread() throws Exception {
        assertThat(get("/blocking").statusCode()).isEqualTo(500);
        Reply granted = get("/elsewhere");
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(granted.body()).isEqualTo("done");
    }

    @Test
    void leases_are_held_without_blocking() throws Exception {
        for (int i = 0; i < 2; i++) {
            Reply granted = get("/places");
            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(granted.body()).isEqualTo("held true");
        }
    }

    @Test
    void annotated_methods_hold_leases_without_blocking() throws Exception {
        for (int i = 0; i < 2; i++) {
            Reply granted = get("/leased");
            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(granted.body()).isEqualTo("done");
            assertThat(header(granted, "RateLimit-Policy"))
                    .isEqualTo("\"leased\";q=5;w=5000, \"leased/2\";q=1;qu=\"concurrent-requests\"");
        }
        Reply rejected = get("/leased/twice");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(get("/leased").statusCode())
                .as("the first lease is released")
                .isEqualTo(200);
    }

    @Test
    void a_handler_that_is_called_on_another_thread_may_wait() throws Exception {
        ConfigurableApplicationContext waiting = start(WithBlockingExecution.class);
        Reply granted = call("GET", waiting, "/plain?run=" + UUID.randomUUID());
        assertThat(granted.statusCode()).isEqualTo(200);
        assertThat(granted.body()).isEqualTo("done");
    }

    @Test
    void each_subscription_is_charged_once() throws Exception {
        Reply granted = get("/twice");
        assertThat(granted.body()).isEqualTo("donedone");
        assertThat(header(granted, "RateLimit")).matches("\"mono\";r=3;t=\\d+");
    }

    @Test
    void a_handler_of_the_application_wins() throws Exception {
        ConfigurableApplicationContext own = start(WithOwnHandler.class);
        String run = "/one?run=" + UUID.randomUUID();
        assertThat(call("GET", own, run).statusCode()).isEqualTo(200);
        assertThat(call("GET", own, run).statusCode()).isEqualTo(418);
    }
}
