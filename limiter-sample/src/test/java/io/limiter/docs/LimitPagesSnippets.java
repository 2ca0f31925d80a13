package io.limiter.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.Lease;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.SetDecision;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.redis.RedisLock;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.redis.own.Cooldown;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.web.RejectionResponseCustomizer;
import io.limiter.spring.web.RuleLimits;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;

/**
 * The Java of docs/limits.md, docs/several-limits.md, docs/concurrency.md, docs/own-limit.md, docs/bans.md, docs/failure.md,
 * docs/http.md and docs/rules.md.
 */
class LimitPagesSnippets {

    interface Mail {
        void send(String customer);
    }

    record Report(String text) {}

    record Customer(String id, LocalDate since) {}

    interface Reports {
        Report of(Customer customer);
    }

    record Quotas(Reports reports) {

        // limits: month
        @CountLimit(
                name = "quota",
                key = "#{customer.id}",
                limit = 1000,
                per = "month",
                zone = "Europe/Berlin",
                anchor = "#{customer.since}")
        public Report report(Customer customer) {
            return reports.of(customer);
        }
        // end
    }

    static Limiter warning(LimiterFactory limiters) {
        // limits: warn
        Limiter quota = limiters.with(LimiterOptions.NONE.withWarnAt(Share.parse("80%")))
                .build("quota", FixedWindow.of(1000, CalendarPeriod.MONTH));
        // end
        return quota;
    }

    /** The callers whose limiter leaves some permits. */
    static long leaving(LimiterFactory limiters) {
        // limits: leave
        LimiterOptions low = LimiterOptions.NONE.withLeave(Share.parse("20%"));
        RateLimiter partner = limiters.build("partner", TokenBucket.perSecond(1_000));
        RateLimiter background = limiters.with(low).build("partner", TokenBucket.perSecond(1_000));
        // end
        return partner.tryAcquire() ? background.tryAcquireUpTo(1_000) : 0;
    }

    static Limiter logins(LimiterFactory limiters) {
        // bans: login
        Ban ban = Ban.after(10, Duration.ofMinutes(1)).withLengths(Duration.ofMinutes(5), Duration.ofDays(1));
        Limiter login = limiters.with(LimiterOptions.NONE.withBan(ban))
                .build("login", FixedWindow.of(5, Duration.ofMinutes(15)));
        // end
        return login;
    }

    static LimitSet severalLimits(LimiterFactory limiters, String user, String tenant) {
        // several-limits: set
        RateLimiter perSecond = limiters.build("perSecond", 10, 1, 60);
        Limiter perDay = limiters.build("perDay", FixedWindow.of(1000, Duration.ofDays(1)));
        RateLimiter perTenant = limiters.build("perTenant", 100, 1, 60);

        LimitSet set = LimitSet.of(perSecond.on(user), perDay.on(user), perTenant.on(tenant));
        SetDecision decision = set.decide();
        if (!decision.isGranted()) {
            Limiter rejecting = decision.rejection().orElseThrow().limiter();
            throw new RateLimitExceededException(rejecting.name(), rejecting.keys(), decision.decision());
        }
        // end

        // several-limits: slot
        LimitSet inOneSlot =
                LimitSet.of(perSecond.on(tenant).on(user), perDay.on(tenant).on(user), perTenant.on(tenant));
        // end
        return inOneSlot;
    }

    static String report(LimiterFactory limiters, String customer, String report) {
        // concurrency: lease
        ConcurrencyLimiter reports =
                limiters.build("reports", ConcurrencyLimit.of(2).withLeaseTime(Duration.ofSeconds(30)));

        Optional<Lease> lease = reports.tryAcquire(customer);
        if (lease.isEmpty()) {
            return busy();
        }
        try (Lease held = lease.get()) {
            return write(report);
        }
        // end
    }

    static void invoices(LimiterFactory limiters, String customer, Mail mail) {
        // own-limit: use
        Limiter limiter = limiters.build("invoice-mail", new Cooldown(Duration.ofMinutes(5)));
        if (limiter.tryAcquire(customer)) {
            mail.send(customer);
        }
        // end
    }

    static LimiterFactory underALock(RedisConnectionFactory connectionFactory) {
        // own-limit: lock
        LimiterFactory limiters = RedisRateLimiterFactory.builder(connectionFactory)
                .lock(new RedisLock(connectionFactory))
                .build();
        // end
        return limiters;
    }

    static RateLimiter payments(RedisConnectionFactory connectionFactory) {
        // failure: policy
        RedisRateLimiterFactory limiters = RedisRateLimiterFactory.builder(connectionFactory)
                .failurePolicy(FailurePolicy.local(0.25))
                .build();
        LimiterOptions deny = LimiterOptions.NONE.withFailurePolicy(FailurePolicy.DENY);
        RateLimiter payments = limiters.with(deny).build("payments", 10, 1, 60);
        // end
        return payments;
    }

    static class Cors {

        // rules: cors
        @Bean
        FilterRegistrationBean<CorsFilter> cors(CorsConfigurationSource source) {
            // The source has setExposedHeaders(List.of("Retry-After", "RateLimit")).
            FilterRegistrationBean<CorsFilter> filter = new FilterRegistrationBean<>(new CorsFilter(source));
            filter.setOrder(-300); // before the rules, -200
            return filter;
        }
        // end
    }

    // rules: left
    @RestController
    record Quota(RuleLimits limits) {

        @GetMapping("/left")
        List<RuleLimits.Left> left() {
            return limits.peek("api");
        }
    }
    // end

    static class Responses {

        // http: customizer
        @Bean
        RejectionResponseCustomizer html() {
            return (rejection, usual) -> usual.withBody("text/html", "<h1>Later, please</h1>".getBytes(UTF_8));
        }
        // end
    }

    private static String busy() {
        return "busy";
    }

    private static String write(String report) {
        return "written: " + report;
    }
}
