package io.limiter.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;

/** The Java of docs/testing.md, which DocsTest runs. */
final class TestingSnippets {

    private TestingSnippets() {}

    static class Sms {

        private final RateLimiter perPhone;

        Sms(LimiterFactory limiters) {
            this.perPhone = limiters.build("sms", TokenBucket.per(1, Duration.ofHours(1)));
        }

        void send(String phone) {
            Decision decision = perPhone.decide(phone);
            if (!decision.granted()) {
                throw new RateLimitExceededException("sms", decision);
            }
        }
    }

    static void unit() {
        // testing: unit
        try (LimiterFactory limiters = new LocalLimiterFactory()) {
            Sms sms = new Sms(limiters);
            sms.send("0171");
            assertThatThrownBy(() -> sms.send("0171")).isInstanceOf(RateLimitExceededException.class);
            sms.send("0172");
        }
        // end
    }

    static void peek(RateLimiter limiter) {
        // testing: peek
        Decision before = limiter.on("0171").peek();
        limiter.tryAcquire("0171");
        assertThat(limiter.on("0171").peek().remaining()).isEqualTo(before.remaining() - 1);
        // end
    }

    static void off() {
        // testing: off
        LimiterFactory limiters = LocalLimiterFactory.unlimited();
        // end
        assertThat(limiters.build("any", 1, 1, 60).tryAcquire(1_000)).isTrue();
    }

    static void reset(RateLimiter limiter) {
        // testing: reset
        limiter.on("0171").reset();
        // end
    }
}
