package io.limiter.sample;

import java.util.UUID;
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
                .initializers(new SampleRedis())
                .properties(
                        // Its console shows all keys, so it is for this machine alone.
                        "server.address=127.0.0.1",
                        "limiter.console.enabled=true",
                        "limiter.console.write-authorities=ROLE_OPERATOR",
                        "sample.console.password=" + UUID.randomUUID(),
                        "limiter.live.show-keys=true",
                        "management.endpoint.limiters.show-keys=always");
    }
}
