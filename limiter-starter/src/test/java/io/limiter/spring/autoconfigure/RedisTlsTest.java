package io.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.FixedWindow;
import io.limiter.testing.RedisProcess;
import io.limiter.testing.TestCertificate;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A Redis behind TLS needs Spring Boot's settings alone. */
class RedisTlsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Test
    void limiters_use_the_certificate_of_spring_boots_bundle() throws Exception {
        try (TestCertificate certificate = TestCertificate.create();
                RedisProcess redis = RedisProcess.start(certificate.redisSettings());
                ConfigurableApplicationContext context = start(redis.port(), certificate)) {
            Limiter limiter =
                    context.getBean(LimiterFactory.class).build("tls", FixedWindow.of(1, Duration.ofHours(1)));
            Decision decision = limiter.decide(1);
            assertThat(decision.source()).isEqualTo(Decision.Source.BACKEND);
            assertThat(decision.isGranted()).isTrue();
            assertThat(limiter.tryAcquire()).isFalse();
        }
    }

    private static ConfigurableApplicationContext start(int port, TestCertificate certificate) {
        SpringApplication spring = new SpringApplication(Application.class);
        spring.setWebApplicationType(WebApplicationType.NONE);
        return spring.run(
                "--spring.data.redis.host=127.0.0.1",
                "--spring.data.redis.port=" + port,
                "--spring.data.redis.ssl.bundle=redis",
                "--spring.ssl.bundle.pem.redis.truststore.certificate="
                        + certificate.file().toUri(),
                "--limiter.on-failure=throw",
                "--limiter.failure.decision-timeout=2m");
    }
}
