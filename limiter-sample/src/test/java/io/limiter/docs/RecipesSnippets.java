package io.limiter.docs;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.LimitWarningEvent;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.ConcurrentLimit;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import io.limiter.spring.key.PlanResolver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;

/** The Java of docs/recipes.md. */
class RecipesSnippets {

    interface Accounts {
        boolean check(String user, String password);
    }

    interface Gateway {
        void send(String phone);
    }

    interface Plans {
        double permitsPerSecond(String tenant);

        String planOf(String tenant);
    }

    record Usage(int total) {}

    record Completion(String text, Usage usage) {}

    interface Model {
        Completion complete(String prompt);
    }

    static class PlanConfiguration {

        @Bean
        Plans plans() {
            return new Plans() {
                @Override
                public double permitsPerSecond(String tenant) {
                    return tenant.equals("acme") ? 50 : 1;
                }

                @Override
                public String planOf(String tenant) {
                    return switch (tenant) {
                        case "acme" -> "pro";
                        case "us" -> "internal";
                        default -> "enterprise";
                    };
                }
            };
        }

        // recipes: plans
        @Bean
        PlanResolver planOfTenant(Plans plans) {
            return request -> plans.planOf(request.key());
        }
        // end
    }

    // Events come on another thread.
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final Accounts accounts = (user, password) -> password.equals("right");
    private final Gateway gateway = done::add;
    private final Model model = prompt -> new Completion("answer to " + prompt, new Usage(90_000));
    private final LimiterFactory limiters;
    private final Plans plans;
    private final RateLimiter rows;
    private final ConcurrencyLimiter jobs;
    private final RateLimiter letters;

    RecipesSnippets(LimiterFactory limiters, Plans plans) {
        this.limiters = limiters;
        this.plans = plans;
        // recipes: build
        this.rows = limiters.build("import", LeakyBucket.queue(100, 1_000));
        this.jobs = limiters.build("jobs", ConcurrencyLimit.of(1).withLeaseTime(Duration.ofSeconds(30)));
        this.letters = limiters.build("letters", TokenBucket.per(1_000, Duration.ofHours(1)));
        // end
    }

    // recipes: login
    @CountLimit(
            name = "failed-logins",
            key = "#{normalize(user)}",
            kind = CountLimit.Kind.SLIDING_LOG,
            limit = 5,
            per = "15m",
            chargeOn = "#{result != true}")
    public boolean login(String user, String password) {
        return accounts.check(user, password);
    }
    // end

    // recipes: model
    @CountLimit(name = "model-requests", key = "#{tenant}", kind = CountLimit.Kind.SLIDING_LOG, limit = 60, per = "1m")
    @RateLimit(
            name = "model-tokens",
            key = "#{tenant}",
            rate = 50_000,
            per = "1m",
            capacity = 50_000,
            cost = "#{prompt.length() / 4 + 500}",
            settle = "#{result.usage.total}")
    public Completion complete(String tenant, String prompt) {
        return model.complete(prompt);
    }
    // end

    // recipes: month
    @CountLimit(name = "reports", key = "#{customer}", limit = 1000, per = "month", zone = "Europe/Berlin")
    public String report(String customer) {
        return "report for " + customer;
    }

    @EventListener
    public void reportsAreUsed(LimitWarningEvent event) {
        if (event.limiter().equals("reports")) {
            gateway.send(event.keys().get(0));
        }
    }
    // end

    // recipes: sms
    @RateLimit(name = "sms-minute", key = "#{phone}", rate = 1, per = "1m")
    @CountLimit(name = "sms-day", key = "#{phone}", kind = CountLimit.Kind.SLIDING_LOG, limit = 5, per = "1d")
    @RateLimit(name = "sms-all", rate = 50, capacity = 50)
    public void sendCode(String phone) {
        gateway.send(phone);
    }
    // end

    // recipes: plan
    @RateLimit(name = "api", key = "#{tenant}", rate = 10)
    public String call(String tenant) {
        return "answer for " + tenant;
    }
    // end

    // recipes: contract
    public String bulk(String tenant) {
        TokenBucket contract = TokenBucket.perSecond(plans.permitsPerSecond(tenant));
        if (!limiters.build("bulk", contract).tryAcquire(tenant)) {
            return "later";
        }
        return "answers for " + tenant;
    }
    // end

    // recipes: partner
    @RateLimit(name = "partner", rate = 9, capacity = 1, timeout = 2)
    @ConcurrentLimit(name = "partner-connections", limit = 20, timeout = 2)
    public String askPartner(String question) {
        return "answer to " + question;
    }
    // end

    // recipes: job
    public void nightlyImport(List<String> lines) {
        Optional<Lease> lease = jobs.tryAcquire("nightly-import");
        if (lease.isEmpty()) {
            return;
        }
        try (Lease held = lease.get()) {
            for (String line : lines) {
                if (!held.isHeld()) {
                    return;
                }
                rows.acquire();
                write(line);
            }
        }
    }
    // end

    // recipes: background
    @RateLimit(name = "queries", rate = 100, per = "1m")
    public String search(String words) {
        return "results for " + words;
    }

    @RateLimit(name = "queries", rate = 100, per = "1m", leave = "20%")
    public String reindex(String page) {
        return "words of " + page;
    }
    // end

    // recipes: messages
    @RateLimit(name = "chat", key = "#{user}", rate = 2, capacity = 10)
    public void onMessage(String user, String text) {
        gateway.send(text);
    }
    // end

    // recipes: batch
    public List<String> sendSome(List<String> letters) {
        int permits = letters.isEmpty() ? 0 : (int) this.letters.tryAcquireUpTo(letters.size());
        letters.subList(0, permits).forEach(this::write);
        return letters.subList(permits, letters.size());
    }
    // end

    List<String> done() {
        return done;
    }

    private void write(String line) {
        done.add(line);
    }
}
