package io.limiter.sample;

import static io.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterFactory;
import io.limiter.algorithm.SlidingLog;
import io.limiter.test.TestClock;
import io.limiter.test.spring.AutoConfigureLimiter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** The definitions of the sample's limits, without Redis, by a clock that is moved. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        classes = SampleLimitsTest.Application.class)
@AutoConfigureLimiter
class SampleLimitsTest {

    // No configuration, which the sample would scan.
    @EnableAutoConfiguration
    @Import({DemoLogin.class, LimiterController.class})
    static class Application {}

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Autowired
    private TestClock clock;

    @Autowired
    private LimiterFactory limiters;

    @Autowired
    private Environment environment;

    @Test
    void each_key_is_counted_by_itself() throws Exception {
        assertThat(status("/limiter/count?key=a")).isEqualTo(200);
        assertThat(status("/limiter/count?key=a")).isEqualTo(200);
        assertThat(status("/limiter/count?key=a")).isEqualTo(429);
        assertThat(status("/limiter/count?key=b")).isEqualTo(200);
        clock.advance(Duration.ofSeconds(10));
        assertThat(status("/limiter/count?key=a")).isEqualTo(200);
    }

    @Test
    void a_call_takes_what_it_costs() throws Exception {
        assertThat(status("/limiter/import?rows=11")).isEqualTo(429);
        assertThat(status("/limiter/import?rows=10")).isEqualTo(200);
        assertThat(status("/limiter/import?rows=-1")).isEqualTo(400);
        clock.advance(Duration.ofSeconds(9));
        assertThat(status("/limiter/import?rows=10")).isEqualTo(429);
        clock.advance(Duration.ofSeconds(1));
        assertThat(status("/limiter/import?rows=10")).isEqualTo(200);
    }

    @Test
    void a_plan_has_more() throws Exception {
        assertThat(status("/limiter/plan?user=ann")).isEqualTo(200);
        assertThat(status("/limiter/plan?user=ann")).isEqualTo(200);
        assertThat(status("/limiter/plan?user=ann")).isEqualTo(429);
        assertThat(status("/limiter/plan?user=ann&plan=pro")).isEqualTo(200);
    }

    @Test
    void a_log_counts_any_ten_seconds() throws Exception {
        assertThat(get("/limiter/log").body()).startsWith("granted, 2 of 3 left");
        clock.advance(Duration.ofSeconds(4));
        assertThat(limiters.build("log", SlidingLog.of(3, Duration.ofSeconds(10))))
                .grants(2)
                .thenRejectsFor(6, TimeUnit.SECONDS);
        assertThat(get("/limiter/log").headers().firstValue("Retry-After")).hasValue("6");
        clock.advance(Duration.ofSeconds(6));
        assertThat(status("/limiter/log")).isEqualTo(200);
    }

    private int status(String path) throws Exception {
        return get(path).statusCode();
    }

    private HttpResponse<String> get(String path) throws Exception {
        URI uri = URI.create("http://localhost:" + environment.getProperty("local.server.port") + path);
        return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
}
