package io.limiter.benchmark.inprocess;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.TokenBucket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Limiters that always answer the same, so that only what is around them is measured. */
final class StubLimiters implements LimiterFactory {

    /** The name of the limiter that rejects; all others grant. */
    static final String REJECTING = "rejecting";

    private static final Decision GRANTED = new Decision(true, 1, 0, 0, 0, 1_000_000);
    private static final Decision REJECTED = new Decision(false, 1, 0, 1_000_000, 1_000_000, 1_000_000);

    @Override
    public RateLimiter build(String name, TokenBucket limit) {
        return new Stub(name, limit, name.equals(REJECTING) ? REJECTED : GRANTED);
    }

    @Override
    public ConcurrencyLimiter build(String name, ConcurrencyLimit limit) {
        throw new UnsupportedOperationException("no benchmark holds permits");
    }

    @Override
    public Limiter build(String name, Limit<?> limit) {
        return build(name, (TokenBucket) limit);
    }

    @Override
    public LimiterFactory withFailurePolicy(FailurePolicy policy) {
        return this;
    }

    @Override
    public LimiterFactory withHashTag(HashTag hashTag) {
        return this;
    }

    @Override
    public LimiterFactory withPrefix(String prefix) {
        return this;
    }

    private record Stub(String name, TokenBucket limit, Decision answer) implements RateLimiter {

        @Override
        public Optional<String> key() {
            return Optional.empty();
        }

        @Override
        public RateLimiter on(String key) {
            return this;
        }

        @Override
        public RateLimiter.Async async() {
            return new AsyncStub(answer);
        }

        @Override
        public Decision decide(int permits) {
            return answer;
        }

        @Override
        public Decision decide(int permits, Duration timeout) {
            return answer;
        }

        @Override
        public Decision peek(int permits) {
            return answer;
        }

        @Override
        public void setRate(double permitsPerSecond) {
            throw unused();
        }

        @Override
        public Decision refund(int permits) {
            throw unused();
        }

        @Override
        public Decision charge(int permits) {
            throw unused();
        }

        @Override
        public Reservation reserve(int permits, Duration timeout) {
            throw unused();
        }

        @Override
        public Duration acquire(int permits) {
            throw unused();
        }

        @Override
        public void reset() {
            throw unused();
        }

        @Override
        public LimitSet toSet(int permits) {
            throw unused();
        }
    }

    private record AsyncStub(Decision answer) implements RateLimiter.Async {

        @Override
        public RateLimiter.Async on(String key) {
            return this;
        }

        @Override
        public CompletableFuture<Decision> decide(int permits) {
            return CompletableFuture.completedFuture(answer);
        }

        @Override
        public CompletableFuture<Decision> decide(int permits, Duration timeout) {
            return CompletableFuture.completedFuture(answer);
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits) {
            throw unused();
        }

        @Override
        public CompletableFuture<Boolean> tryAcquire(int permits, Duration timeout) {
            throw unused();
        }

        @Override
        public CompletableFuture<Duration> acquire(int permits) {
            throw unused();
        }

        @Override
        public CompletableFuture<Reservation> reserve(int permits) {
            throw unused();
        }

        @Override
        public CompletableFuture<Reservation> reserve(int permits, Duration timeout) {
            throw unused();
        }

        @Override
        public CompletableFuture<Decision> peek(int permits) {
            throw unused();
        }

        @Override
        public CompletableFuture<Decision> refund(int permits) {
            throw unused();
        }

        @Override
        public CompletableFuture<Decision> charge(int permits) {
            throw unused();
        }
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("no benchmark calls it");
    }
}
