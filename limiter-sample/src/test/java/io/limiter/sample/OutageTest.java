package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample stops its Redis, and shows that the limit holds. */
class OutageTest {

    @Test
    void the_limit_holds_while_redis_is_stopped_and_when_it_comes_back_empty() {
        try (ConfigurableApplicationContext sample = OwnRedis.start(
                "--server.port=0",
                // An outage is logged, which is wanted everywhere else.
                "--logging.level.root=error",
                "--sample.outage.before=300ms",
                "--sample.outage.length=1s",
                "--sample.outage.after=1s")) {
            Instances instances = sample.getBean(Instances.class);
            Eventually.that(() -> assertThat(instances.first().instances()).isEqualTo(2));
            Eventually.that(() -> assertThat(instances.second().instances()).isEqualTo(2));
            Outage outage = sample.getBean(Outage.class);
            assertThat(outage.progress().phase()).isEqualTo(Outage.Phase.NONE);
            outage.begin();
            List<Outage.Progress> exceeded = new ArrayList<>();
            Eventually.that(() -> {
                Outage.Progress now = outage.progress();
                if (now.granted() > now.atMost()) {
                    exceeded.add(now);
                }
                assertThat(now.phase()).isEqualTo(Outage.Phase.OVER);
            });
            assertThat(exceeded).isEmpty();
            Outage.Progress end = outage.progress();
            assertThat(end.problem()).isNull();
            assertThat(end.seconds().stream().mapToLong(Outage.Second::byRedis).sum())
                    .isPositive();
            assertThat(end.seconds().stream()
                            .mapToLong(Outage.Second::byInstances)
                            .sum())
                    .isPositive();
        }
    }

    @Test
    void a_redis_that_the_sample_has_not_started_is_not_stopped() {
        try (ConfigurableApplicationContext owner = OwnRedis.start("--server.port=0");
                ConfigurableApplicationContext other = new SpringApplicationBuilder(SampleApplication.class)
                        .properties("sample.console.password=secret")
                        .initializers(new SampleRedis())
                        .run("--server.port=0", "--sample.redis.port=" + OwnRedis.port(owner))) {
            Outage outage = other.getBean(Outage.class);
            outage.begin();
            assertThat(outage.progress().possible()).isFalse();
            assertThat(outage.progress().phase()).isEqualTo(Outage.Phase.NONE);
        }
    }
}
