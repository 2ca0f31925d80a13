package io.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the sample with the Redis that it brings, on a free port. */
final class OwnRedis {

    private static final int FIRST_PORT = 23_000;
    private static final int LAST_PORT = 26_000;

    private OwnRedis() {}

    static ConfigurableApplicationContext start(String... settings) {
        while (true) {
            String[] all = Arrays.copyOf(settings, settings.length + 1);
            all[settings.length] =
                    "--sample.redis.port=" + ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try {
                return SampleApplication.application().run(all);
            } catch (UncheckedIOException e) {
                // Another process has this port.
                assertThat(e).hasMessageContaining("the embedded Redis did not start on port ");
            }
        }
    }

    static int port(ConfigurableApplicationContext sample) {
        return sample.getEnvironment().getRequiredProperty("sample.redis.port", Integer.class);
    }
}
