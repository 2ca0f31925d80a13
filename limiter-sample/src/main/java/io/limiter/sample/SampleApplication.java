package io.limiter.sample;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the sample; on a Redis of its own unless {@code spring.data.redis.url} or {@code .host} names another. */
@SpringBootApplication
public class SampleApplication {

    public static void main(String[] args) {
        start(args);
    }

    static ConfigurableApplicationContext start(String... args) {
        return new SpringApplicationBuilder(SampleApplication.class)
                .listeners(new SampleRedis(), new Welcome())
                .run(args);
    }
}
