package io.limiter.benchmark.measure;

import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.Contender;
import io.limiter.benchmark.subject.Contender.Family;
import io.limiter.benchmark.subject.Contender.Guarantee;
import io.limiter.benchmark.subject.Subject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Contenders that do what a test wants, in process and with one bucket. */
public final class Fakes {

    private Fakes() {}

    /** Grants exactly as much as the limit. */
    public static Contender exact() {
        return new Contender(
                "exact", Family.PEER, true, true, Guarantee.EXACT, (clients, allowance, ids) -> new Bucket(allowance));
    }

    /** Knows no limit. */
    public static Contender tooGenerous() {
        return contender("too-generous", id -> true);
    }

    /** Rejects everything. */
    public static Contender rejecting() {
        return contender("rejecting", id -> false);
    }

    /** Throws at every request. */
    public static Contender failing() {
        return contender("failing", id -> {
            throw new IllegalStateException("out of order");
        });
    }

    static Contender contender(String name, Decider decider) {
        return new Contender(name, Family.PEER, true, true, Guarantee.EXACT, (clients, allowance, ids) -> decider);
    }

    /** Decides at once, also asynchronously. */
    interface Decider extends Subject.Async {

        @Override
        boolean tryAcquire(int id);

        @Override
        default CompletionStage<Boolean> tryAcquireAsync(int id) {
            return CompletableFuture.completedFuture(tryAcquire(id));
        }
    }

    private static final class Bucket implements Decider {

        private final double most;
        private final double permitsPerSecond;
        private double stored;
        private long filledNanos = System.nanoTime();

        Bucket(Allowance allowance) {
            this.most = allowance.permits();
            this.permitsPerSecond = allowance.permitsPerSecond();
            this.stored = most;
        }

        @Override
        public synchronized boolean tryAcquire(int id) {
            long now = System.nanoTime();
            stored = Math.min(most, stored + (now - filledNanos) / 1e9 * permitsPerSecond);
            filledNanos = now;
            boolean granted = stored >= 1;
            if (granted) {
                stored--;
            }
            return granted;
        }
    }
}
