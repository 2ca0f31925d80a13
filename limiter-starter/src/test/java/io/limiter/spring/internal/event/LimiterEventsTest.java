package io.limiter.spring.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.FailingLimiter;
import io.limiter.LimitExceededEvent;
import io.limiter.Limiter;
import io.limiter.LimiterBackendDownEvent;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterBackendUpEvent;
import io.limiter.LimiterFactory;
import io.limiter.LimiterFailingEvent;
import io.limiter.LimiterListener;
import io.limiter.LimiterRecoveredEvent;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.BackendFailures;
import io.limiter.spring.Contexts;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

class LimiterEventsTest {

    static class Heard {

        final List<Object> events = new CopyOnWriteArrayList<>();

        @EventListener
        public void exceeded(LimitExceededEvent event) {
            events.add(event);
            throw new IllegalStateException("a listener that throws");
        }

        @EventListener
        public void down(LimiterBackendDownEvent event) {
            events.add(event);
        }

        @EventListener
        public void failing(LimiterFailingEvent event) {
            events.add(event);
        }

        @EventListener
        public void recovered(LimiterRecoveredEvent event) {
            events.add(event);
        }

        @EventListener
        public void up(LimiterBackendUpEvent event) {
            events.add(event);
        }
    }

    static class Own implements LimiterListener {

        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void onLimitExceeded(LimitExceededEvent event) {
            heard.add(event.limiter() + ":" + String.join("#", event.keys()));
        }
    }

    @Test
    void rejections_are_events_and_reach_the_listeners_of_the_application() {
        Contexts.local().withBean(Heard.class).withBean(Own.class).run(context -> {
            Limiter limiter =
                    context.getBean(LimiterFactory.class).build("login", FixedWindow.of(1, Duration.ofDays(1)));
            assertThat(limiter.tryAcquire("alice")).isTrue();
            Decision rejection = limiter.decide("alice");
            assertThat(rejection.isGranted()).isFalse();
            Heard heard = context.getBean(Heard.class);
            Eventually.that(() -> assertThat(heard.events)
                    .singleElement()
                    .isInstanceOfSatisfying(LimitExceededEvent.class, event -> {
                        assertThat(event.limiter()).isEqualTo("login");
                        assertThat(event.keys()).containsExactly("alice");
                        assertThat(event.decision()).isEqualTo(rejection);
                    }));
            Eventually.that(() -> assertThat(context.getBean(Own.class).heard).containsExactly("login:alice"));
            assertThat(limiter.tryAcquire("bob")).isTrue();
        });
    }

    static class Tried {

        @CountLimit(name = "tried", limit = 1, per = "1h")
        public void call() {}

        @RateLimit(name = "reserved", rate = 0.001, burst = 1000, timeout = 10)
        public void book() {}
    }

    @Test
    void shadow_mode_publishes_no_event() {
        Contexts.local()
                .withPropertyValues("limiter.limits.tried.enforce=false", "limiter.limits.reserved.enforce=false")
                .withBean(Heard.class)
                .withBean(Tried.class)
                .run(context -> {
                    Tried tried = context.getBean(Tried.class);
                    for (int i = 0; i < 3; i++) {
                        tried.call();
                        tried.book();
                    }
                    LimiterFactory factory = context.getBean(LimiterFactory.class);
                    Limiter last = factory.build("last", FixedWindow.of(1, Duration.ofDays(1)));
                    last.decide(1);
                    last.decide(1);
                    Heard heard = context.getBean(Heard.class);
                    // Events come in order.
                    Eventually.that(() -> assertThat(heard.events)
                            .last()
                            .isInstanceOfSatisfying(
                                    LimitExceededEvent.class,
                                    event -> assertThat(event.limiter()).isEqualTo("last")));
                    assertThat(heard.events).hasSize(1);
                    assertThat(factory.statistics().totals())
                            .filteredOn(totals -> totals.name().equals("tried"))
                            .singleElement()
                            .satisfies(totals -> assertThat(totals.rejected()).isEqualTo(2));
                });
    }

    static class Deaf {

        @EventListener
        public void started(ContextRefreshedEvent event) {}
    }

    static class Bean implements ApplicationListener<PayloadApplicationEvent<LimitExceededEvent>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<LimitExceededEvent> event) {}
    }

    @Test
    void rejections_are_published_only_if_there_is_a_listener() {
        Contexts.local().withBean(Deaf.class).run(context -> {
            EventPublishingListener events = context.getBean(EventPublishingListener.class);
            assertThat(events.listensToRejections()).isFalse();
            List<Object> late = new CopyOnWriteArrayList<>();
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .addApplicationListener(
                            (PayloadApplicationEvent<LimitExceededEvent> event) -> late.add(event.getPayload()));
            assertThat(events.listensToRejections()).isTrue();
            Limiter limiter =
                    context.getBean(LimiterFactory.class).build("login", FixedWindow.of(1, Duration.ofDays(1)));
            limiter.tryAcquire();
            assertThat(limiter.tryAcquire()).isFalse();
            Eventually.that(() -> assertThat(late).hasSize(1));
        });
        Contexts.local().withBean(Heard.class).run(context -> listens(context, true));
        Contexts.local().withBean(Bean.class).run(context -> listens(context, true));
        Contexts.local()
                .withBean(Bean.class, Bean::new, definition -> definition.setLazyInit(true))
                .run(context -> listens(context, true));
        AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(Heard.class);
        Contexts.local().withParent(parent).run(context -> listens(context, true));
        parent.close();
    }

    @Test
    void an_application_of_spring_boot_does_not_listen_by_itself() {
        SpringApplication application = new SpringApplication(Plain.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run("--limiter.type=local")) {
            listens(context, false);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    private static void listens(ApplicationContext context, boolean expected) {
        assertThat(context.getBean(EventPublishingListener.class).listensToRejections())
                .isEqualTo(expected);
    }

    @Test
    void an_outage_and_the_recovery_are_two_events() {
        Contexts.local().withBean(Heard.class).run(context -> {
            LimiterBackendException cause = BackendFailures.notExecuted("key", "unavailable");
            EventPublishingListener listener = context.getBean(EventPublishingListener.class);
            listener.onBackendDown(LimiterBackendDownEvent.of("redis-2:6379", cause));
            listener.onBackendUp(LimiterBackendUpEvent.of("redis-2:6379", Duration.ofSeconds(3)));
            assertThat(context.getBean(Heard.class).events)
                    .containsExactly(
                            LimiterBackendDownEvent.of("redis-2:6379", cause),
                            LimiterBackendUpEvent.of("redis-2:6379", Duration.ofSeconds(3)));
        });
    }

    @Test
    void a_limiter_that_fails_and_recovers_is_two_events() {
        Contexts.local().withBean(Heard.class).run(context -> {
            FailingLimiter limiter =
                    FailingLimiter.of("rateLimit:sms", Instant.EPOCH, BackendFailures.notExecuted("key", "not ours"));
            EventPublishingListener listener = context.getBean(EventPublishingListener.class);
            listener.onLimiterFailing(LimiterFailingEvent.of(limiter));
            listener.onLimiterRecovered(LimiterRecoveredEvent.of(limiter));
            assertThat(context.getBean(Heard.class).events)
                    .containsExactly(LimiterFailingEvent.of(limiter), LimiterRecoveredEvent.of(limiter));
        });
    }
}
