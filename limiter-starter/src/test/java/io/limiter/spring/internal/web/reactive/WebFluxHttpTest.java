package io.limiter.spring.internal.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.internal.web.HttpContract;
import io.limiter.spring.internal.web.Reply;
import io.limiter.testing.OnNetty;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
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
        @CountLimit(limit = 1, name = "plain", per = "1h", limitType = LimitType.CUSTOM, key = "#{run}")
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

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OnNetty.class)
    static class Application {

        @Bean
        LimitedControllers.Service service() {
            return new LimitedControllers.Service();
        }

        @Bean
        LimitedControllers.Limited limited(LimitedControllers.Service service, LimiterFactory limiters) {
            return new LimitedControllers.Limited(service, limiters);
        }

        @Bean
        LimitedControllers.Whole whole() {
            return new LimitedControllers.Whole();
        }

        @Bean
        LimitedControllers.OwnHandler ownHandler() {
            return new LimitedControllers.OwnHandler();
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
    void a_future_of_a_method_that_is_no_handler_knows_no_request_and_does_not_wait_for_one() throws Exception {
        assertThat(get("/future/inside").statusCode()).isEqualTo(400);
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
    void a_method_that_has_waited_for_its_decision_is_called_on_the_event_loop_of_its_request() throws Exception {
        assertThat(get("/thread").body()).startsWith("reactor-http-");
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
