package io.limiter.sample;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** The sample, with an embedded Redis unless {@code spring.data.redis.url}, {@code .host} or {@code .port} names one. */
@SpringBootApplication
public class SampleApplication {

    public static void main(String[] args) {
        application().listeners(new Welcome()).run(args);
    }

    static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .listeners(new SampleRedis())
                // Yours is secured by Spring Security; this one is a demonstration, whose console answers this machine
                // alone.
                .properties(
                        "limiter.console.enabled=true",
                        "limiter.console.allow-unsecured=true",
                        "limiter.console.write-authorities=ROLE_ANONYMOUS",
                        "limiter.live.show-keys=true",
                        "management.endpoint.limiters.show-keys=always");
    }
}
