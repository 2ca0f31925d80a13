package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.annotation.RateLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What a person sees when the application does not start. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalyzersTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({LimiterKeyAutoConfiguration.class, LimiterAutoConfiguration.class})
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class BadLimit {

        @Bean
        Limited limited() {
            return new Limited();
        }
    }

    static class Limited {

        @RateLimit(rate = 0)
        public void call() {}
    }

    @Test
    void noRedis(CapturedOutput output) {
        assertThatThrownBy(() -> start(new Class<?>[] {Application.class})).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("there is no RedisConnectionFactory bean")
                .contains("Configure Redis with spring.data.redis.*")
                .contains("Set limiter.type=local");
    }

    @Test
    void badLimit(CapturedOutput output) {
        assertThatThrownBy(() -> start(new Class<?>[] {Application.class, BadLimit.class}, "--limiter.type=local"))
                .isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("@RateLimit for " + Limited.class.getName() + ".call(): rate must be more than 0, was 0")
                .contains("Correct the annotation");
    }

    private static void start(Class<?>[] sources, String... arguments) {
        SpringApplication application = new SpringApplication(sources);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.run(arguments).close();
    }
}
