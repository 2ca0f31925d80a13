package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Steps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches of many keys of all kinds, with long runs of equal requests, and values that others stored in another encoding. */
class BatchDifferentialTest extends DifferentialContract {

    private static final int CALLS = Steps.of(400);

    @Test
    void batches_of_many_keys_and_requests_decide_as_java_does() {
        Backend script = redis.scriptBackend();
        List<String> keys = keys(16);
        int granted = 0;
        int decided = 0;
        for (int call = 0; call < CALLS; call++) {
            moveClockALittle(2e6);
            changeBehindTheScript(script, some(keys, 1).get(0));
            List<KeyRequests<?>> batch = new ArrayList<>();
            List<Request> requests = requests();
            for (String key : some(keys, keys.size())) {
                // Neighbours often have the same requests, and then may share a section of the call.
                requests = random.nextInt(3) == 0 ? requests() : requests;
                batch.add(supported(key, limitOf(key), requests));
            }
            for (List<Verdict> decisions : decide(script, batch)) {
                decided += decisions.size();
                granted += (int) decisions.stream().filter(Verdict::isGranted).count();
            }
        }
        assertThat(granted).as("granted, of %d", decided).isBetween(decided / 10, decided * 9 / 10);
    }

    private List<Request> requests() {
        return requests(5e4, 200, 300, 3);
    }

    @Test
    void the_longest_run_of_equal_requests_decides_as_one_after_the_other() {
        List<Request> requests = Collections.nCopies(20_000, Request.take(3, 0));
        FixedWindow window = FixedWindow.of(59_999, Duration.ofHours(1));
        List<List<Verdict>> decisions = decide(
                redis.scriptBackend(),
                List.of(
                        new KeyRequests<>(redis.prefix() + "{b}", TokenBucket.of(1e5, 0.6), requests),
                        new KeyRequests<>(redis.prefix() + "{w}:window", window, requests)));
        assertThat(decisions.get(0).get(19_999).isGranted()).isTrue();
        assertThat(decisions.get(1).get(19_999).isGranted()).isFalse();
    }
}
