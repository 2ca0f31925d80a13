package io.limiter.spring.internal.actuate;

import static io.limiter.spring.internal.actuate.Operated.delete;
import static io.limiter.spring.internal.actuate.Operated.post;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.live.LiveLimitChangedEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** Two applications on one Redis, whose limits an operator changes at the endpoint of one of them. */
abstract class TwoApplications {

    static final Duration DAY = Duration.ofDays(1);
    static final int OWN_LIMIT = 3;
    static final int TRIES = 6;

    static final HttpClient HTTP = HttpClient.newHttpClient();
    static final ObjectMapper JSON = new ObjectMapper();
    // A Redis that outlives this JVM may know the names of the last run.
    static final String RUN = UUID.randomUUID().toString();

    /** Its live limits are its own, so tests in another JVM on the same Redis do not see them. */
    static final String NAME = "live-test-" + RUN;

    static ConfigurableApplicationContext one;
    static ConfigurableApplicationContext other;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        Events events() {
            return new Events();
        }
    }

    static class Events {

        final List<LiveLimitChangedEvent> changes = new CopyOnWriteArrayList<>();
        final List<AuditApplicationEvent> audits = new CopyOnWriteArrayList<>();

        @EventListener
        void changed(LiveLimitChangedEvent event) {
            changes.add(event);
        }

        @EventListener
        void audited(AuditApplicationEvent event) {
            audits.add(event);
        }
    }

    static class Limited {

        @CountLimit(
                name = "live-annotated",
                limit = OWN_LIMIT,
                per = "1d",
                limitType = LimitType.CUSTOM,
                key = "#{key}")
        public void count(String key) {}

        @CountLimit(name = "live-planned", limit = OWN_LIMIT, per = "1d", key = "#{key}", plan = "#{plan}")
        public void planned(String key, String plan) {}

        @CountLimit(name = "live-configured", limit = 9, per = "1h")
        public void configured() {}

        @RateLimit(
                name = "live-timeout",
                rate = 20,
                capacity = 1,
                timeout = 60,
                limitType = LimitType.CUSTOM,
                key = "#{key}")
        public void waits(String key) {}

        @ConcurrentLimit(name = "live-held", limit = 1, limitType = LimitType.CUSTOM, key = "#{key}")
        public void held(String key, Runnable inside) {
            inside.run();
        }
    }

    /** A limit of {@link #OWN_LIMIT} permits for each key. */
    enum Kind {
        ANNOTATED("live-annotated") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) {
                return passes(() -> context.getBean(Limited.class).count(key));
            }
        },
        PROGRAMMATIC("live-code") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) {
                return context.getBean(LimiterFactory.class)
                        .build(name, FixedWindow.of(OWN_LIMIT, DAY))
                        .tryAcquire(key);
            }
        },
        HTTP_RULE("live-http") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) throws Exception {
                return call(context, "/live/x", key) != 429;
            }
        },
        SECOND_OF_HTTP_RULE("live-several/two") {
            @Override
            boolean tries(ConfigurableApplicationContext context, String key) throws Exception {
                return call(context, "/several/x", key) != 429;
            }
        };

        final String name;

        Kind(String name) {
            this.name = name;
        }

        abstract boolean tries(ConfigurableApplicationContext context, String key) throws Exception;

        /** How many of {@link #TRIES} calls are granted. */
        int granted(ConfigurableApplicationContext context) throws Exception {
            String key = UUID.randomUUID().toString();
            int granted = 0;
            for (int i = 0; i < TRIES; i++) {
                granted += tries(context, key) ? 1 : 0;
            }
            return granted;
        }
    }

    /**
     * Once in a JVM, at whose end Spring Boot closes them: Surefire gives several JVMs their classes one by one, each in a run of
     * JUnit that ends with it.
     */
    @BeforeAll
    static synchronized void start() {
        if (one == null) {
            one = application();
            other = application();
        }
    }

    private static ConfigurableApplicationContext application() {
        return Operated.connected(
                Application.class,
                "--management.endpoint.limiters.access=unrestricted",
                "--management.endpoint.livelimits.access=unrestricted",
                "--limiter.live.poll-interval=100ms",
                "--spring.application.name=" + NAME,
                "--limiter.limits.live-configured.limit=8",
                "--limiter.limits.live-planned.plans.pro.limit=" + (OWN_LIMIT + 1),
                "--limiter.http.live-http.path=/live/**",
                "--limiter.http.live-http.key=header:X-Api-Key",
                "--limiter.http.live-http.limits.one.limit=" + OWN_LIMIT,
                "--limiter.http.live-http.limits.one.per=1d",
                "--limiter.http.live-several.path=/several/**",
                "--limiter.http.live-several.key=header:X-Api-Key",
                "--limiter.http.live-several.limits.one.limit=100",
                "--limiter.http.live-several.limits.one.per=1d",
                "--limiter.http.live-several.limits.two.limit=" + OWN_LIMIT,
                "--limiter.http.live-several.limits.two.per=1d",
                "--limiter.http.live-queue.path=/queue/**",
                "--limiter.http.live-queue.key=header:X-Api-Key",
                "--limiter.http.live-queue.limits.one.kind=leaky-queue",
                "--limiter.http.live-queue.limits.one.rate=20",
                "--limiter.http.live-queue.limits.one.capacity=1");
    }

    @AfterEach
    void remove() {
        LiveLimits live = one.getBean(LiveLimits.class);
        for (LiveLimit each : live.list()) {
            live.remove(each.name(), ChangeNote.of("test", ""), each.version());
        }
    }

    /** Stores a live limit, and returns its version. */
    static long changed(String name, String body) throws Exception {
        HttpResponse<String> answer = post(one, "livelimits/" + name, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).get("version").asLong();
    }

    static void removed(String name, long version) throws Exception {
        removed(name, "", version);
    }

    /** @param key perhaps a parameter that names a key */
    static void removed(String name, String key, long version) throws Exception {
        HttpResponse<String> answer = delete(one, "livelimits/" + name + "?" + key + "who=ann&version=" + version);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }

    static boolean passes(Runnable call) {
        try {
            call.run();
            return true;
        } catch (RateLimitExceededException e) {
            return false;
        }
    }

    private static int call(ConfigurableApplicationContext context, String path, String key) throws Exception {
        return HTTP.send(request(context, path, key), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    static HttpRequest request(ConfigurableApplicationContext context, String path, String key) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .header("X-Api-Key", key)
                .build();
    }
}
