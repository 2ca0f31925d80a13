package io.limiter.docs;

import static io.limiter.test.LimiterAssertions.assertThat;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.Decision;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.test.TestClock;
import io.limiter.test.TestLimiterFactory;
import io.limiter.test.redis.EmbeddedRedis;
import io.limiter.test.redis.RedisAddress;
import io.limiter.test.spring.AutoConfigureLimiter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The Java of docs/testing.md and the README's test, which SnippetsTest runs. */
final class TestingSnippets {

    private TestingSnippets() {}

    static void unit() {
        // testing: unit
        TestClock clock = new TestClock();
        Sms sms = new Sms(new TestLimiterFactory(clock));
        sms.send("0171");
        assertThatThrownBy(() -> sms.send("0171")).isInstanceOf(RateLimitExceededException.class);
        clock.advance(Duration.ofHours(1));
        sms.send("0171");
        // end
    }

    static void readme() {
        // readme: test
        TestClock clock = new TestClock();
        LimiterFactory limiters = new TestLimiterFactory(clock);
        RateLimiter search = limiters.build("search", TokenBucket.perSecond(5).withCapacity(10));
        assertThat(search).on("198.51.100.7").grants(10).thenRejects();
        clock.advance(Duration.ofSeconds(1));
        assertThat(search).on("198.51.100.7").grants(5).thenRejects();
        // end
    }

    static void peek(RateLimiter limiter) {
        // testing: peek
        Decision before = limiter.on("0171").peek();
        limiter.tryAcquire("0171");
        assertThat(limiter.on("0171").peek().remaining()).isEqualTo(before.remaining() - 1);
        // end
    }

    static void clock() {
        TestClock clock = new TestClock();
        LimiterFactory limiters = new TestLimiterFactory(clock);
        // testing: clock
        Limiter search = limiters.build("search", FixedWindow.of(5, Duration.ofSeconds(12)));
        assertThat(search).on("ann").grants(5).thenRejectsFor(12, SECONDS);
        clock.advance(Duration.ofSeconds(12));
        assertThat(search).on("ann").grants(5).thenRejects();
        // end
    }

    static void named() {
        TestClock clock = new TestClock();
        // testing: named
        TestLimiterFactory named =
                new TestLimiterFactory(clock).define("quotes", TokenBucket.perSecond(50), LimiterOptions.NONE);
        // end
        assertThat(named.rateLimiter("quotes").getRate()).isEqualTo(50);
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

// testing: boot
@SpringBootTest
@AutoConfigureLimiter
class SmsLimits {

    @Autowired
    private Sms sms;

    @Autowired
    private TestClock clock;

    @Test
    void a_number_is_sent_one_message_an_hour() {
        sms.send("0171");
        assertThatThrownBy(() -> sms.send("0171")).isInstanceOf(RateLimitExceededException.class);
        clock.advance(Duration.ofHours(1));
        sms.send("0171");
    }
}
// end

// testing: redis
@SpringBootTest
@EmbeddedRedis
class SmsOnRedis {

    @Test
    void has_an_address(RedisAddress redis) {
        assertThat(redis.uri()).startsWith("redis://127.0.0.1:");
    }
}
// end

class Sms {

    private final RateLimiter perPhone;

    Sms(LimiterFactory limiters) {
        this.perPhone = limiters.build("sms", TokenBucket.per(1, Duration.ofHours(1)));
    }

    void send(String phone) {
        Decision decision = perPhone.decide(phone);
        if (!decision.isGranted()) {
            throw new RateLimitExceededException("sms", decision);
        }
    }
}
