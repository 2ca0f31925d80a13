package io.limiter.sample;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Starts the sample; on a Redis of its own unless {@code spring.data.redis.url}, {@code .host} or {@code .port} names another. */
@SpringBootApplication
public class SampleApplication {

    public static void main(String[] args) {
        application().listeners(new Welcome()).run(args);
    }

    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(SampleApplication.class).listeners(new SampleRedis());
    }
}
