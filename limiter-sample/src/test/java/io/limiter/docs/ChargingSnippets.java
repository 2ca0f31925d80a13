package io.limiter.docs;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimitExceededException;
import io.limiter.RateLimiter;
import io.limiter.SetReservation;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.spring.annotation.CountLimit;
import io.limiter.spring.annotation.RateLimit;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** The Java of docs/charging.md, with a bank, rows and a model that need no provider. */
class ChargingSnippets {

    record Payment(String status) {}

    record Usage(int total) {}

    record Completion(String text, Usage usage) {}

    interface Bank {
        Payment pay(String account, int cents);
    }

    interface Rows {
        List<String> find(String query);
    }

    interface Model {
        Completion complete(String prompt);
    }

    private final Bank bank = (account, cents) -> new Payment(cents > 100 ? "DENIED" : "DONE");
    private final Rows rows = query -> Collections.nCopies(query.length(), "row");
    private final Model model = prompt -> new Completion("answer to " + prompt, new Usage(prompt.length()));
    private final Limiter requestsPerMinute;
    private final RateLimiter tokensPerMinute;

    ChargingSnippets(LimiterFactory limiters) {
        this.requestsPerMinute = limiters.build("ask-requests", FixedWindow.of(60, Duration.ofMinutes(1)));
        this.tokensPerMinute = limiters.build(
                "ask-tokens", TokenBucket.per(6_000, Duration.ofHours(1000)).withCapacity(6_000));
    }

    /** Of requests and of tokens. */
    List<Long> left(String tenant) {
        return List.of(
                requestsPerMinute.on(tenant).peek().remaining(),
                tokensPerMinute.on(tenant).peek().remaining());
    }

    // charging: pay
    @CountLimit(
            name = "denied-payments",
            key = "#{account}",
            kind = CountLimit.Kind.SLIDING_LOG,
            limit = 5,
            per = "15m",
            chargeOn = "#{result.status == 'DENIED' or exception != null}")
    public Payment pay(String account, int cents) {
        return bank.pay(account, cents);
    }
    // end

    // charging: export
    @RateLimit(
            name = "exported-rows",
            key = "#{tenant}",
            rate = 100,
            capacity = 10_000,
            cost = "500",
            settle = "#{result.size()}")
    public List<String> export(String tenant, String query) {
        return rows.find(query);
    }
    // end

    // charging: model
    public Completion ask(String tenant, String prompt) {
        LimitSet set =
                LimitSet.of(requestsPerMinute.on(tenant)).and(tokensPerMinute.on(tenant), prompt.length() / 4 + 500);
        SetReservation reservation = set.reserve(1);
        if (!reservation.isGranted()) {
            throw new RateLimitExceededException("model", reservation.decision().decision());
        }
        Completion completion = model.complete(prompt);
        reservation.settle(1, completion.usage().total());
        return completion;
    }
    // end
}
