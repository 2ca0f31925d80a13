package io.limiter.docs;

import io.limiter.Decision;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The Java of docs/getting-started.md. An interface, because its classes are static without a word. */
interface GettingStartedSnippets {

    // getting-started: endpoint
    @RestController
    class GreetingController {

        @GetMapping("/greeting")
        @RateLimit(rate = 1.0 / 10, capacity = 2)
        public String greeting() {
            return "hello";
        }
    }
    // end

    // getting-started: code
    @Service
    class Codes {

        private final RateLimiter codes;

        Codes(LimiterFactory limiters) {
            this.codes = limiters.build("codes", 1.0 / 60, 60, 60);
        }

        String send(String phone) {
            Decision decision = codes.decide(phone);
            return decision.isGranted()
                    ? "sent"
                    : "not before " + decision.retryAfter().orElseThrow();
        }
    }
    // end

    // getting-started: core
    class PhoneCodes implements AutoCloseable {

        private final LettuceConnectionFactory connections;
        private final RedisRateLimiterFactory limiters;
        private final RateLimiter codes;

        PhoneCodes(String host, int port) {
            connections = new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration(host, port),
                    LettuceClientConfiguration.builder()
                            .commandTimeout(Duration.ofSeconds(1))
                            .build());
            connections.afterPropertiesSet();
            connections.start();
            limiters = RedisRateLimiterFactory.builder(connections)
                    .decisionTimeout(Duration.ofSeconds(1))
                    .build();
            limiters.warmUp().join();
            codes = limiters.build("codes", 1.0 / 60, 60, 60);
        }

        boolean maySend(String phone) {
            return codes.tryAcquire(phone);
        }

        @Override
        public void close() {
            limiters.close();
            connections.destroy();
        }
    }
    // end
}
