package io.limiter.benchmark.migration;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import java.time.Duration;
import java.util.function.Consumer;

/** What docs/migration.md starts from, with Bucket4j. */
final class Bucket4jBefore {

    private final ProxyManager<String> buckets;

    Bucket4jBefore(ProxyManager<String> buckets) {
        this.buckets = buckets;
    }

    boolean one(String user, Consumer<Duration> reject) {
        // migration: bucket4j-before
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(50).refillGreedy(10, Duration.ofSeconds(1)))
                .build();
        Bucket bucket = buckets.builder().build("search:" + user, () -> configuration);
        ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
        if (!probe.isConsumed()) {
            reject.accept(Duration.ofNanos(probe.getNanosToWaitForRefill()));
        }
        // end
        return probe.isConsumed();
    }

    boolean two(String user) {
        // migration: bucket4j-two-before
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(10).refillGreedy(10, Duration.ofSeconds(1)))
                .addLimit(limit -> limit.capacity(1000).refillIntervally(1000, Duration.ofDays(1)))
                .build();
        boolean granted = buckets.builder().build(user, () -> configuration).tryConsume(1);
        // end
        return granted;
    }
}
