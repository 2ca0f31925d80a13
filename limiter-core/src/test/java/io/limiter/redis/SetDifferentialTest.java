package io.limiter.redis;

import static io.limiter.testing.Decisions.decideSetIn;
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

/**
 * Sets of limits of all kinds, which are decided one after the other, each all or nothing, under definitions and encodings that
 * change. A key is in several sets of a call, and often a set several times in a row.
 */
class SetDifferentialTest extends DifferentialContract {

    private static final int CALLS = Steps.of(500);

    @Test
    void java_and_lua_decide_sets_alike() {
        Backend script = redis.scriptBackend();
        List<String> keys = keys(9);
        int granted = 0;
        int decided = 0;
        int grantedInPart = 0;
        for (int call = 0; call < CALLS; call++) {
            moveClockALittle(2e6);
            if (random.nextInt(3) == 0) {
                changeBehindTheScript(script, some(keys, 1).get(0));
            }
            List<List<KeyRequests<?>>> sets = new ArrayList<>();
            for (int rows = random.nextInt(3); rows >= 0; rows--) {
                sets.addAll(
                        Collections.nCopies(random.nextInt(3) == 0 ? 2 + random.nextInt(5) : 1, set(some(keys, 5))));
            }
            List<Boolean> grants = decideSets(script, sets).stream()
                    .map(parts -> parts.stream().allMatch(Verdict::isGranted))
                    .toList();
            decided += grants.size();
            granted += Collections.frequency(grants, true);
            for (int i = 1; i < sets.size(); i++) {
                grantedInPart +=
                        grants.get(i - 1) && !grants.get(i) && sets.get(i).equals(sets.get(i - 1)) ? 1 : 0;
            }
        }
        assertThat(granted).as("granted sets").isBetween(decided / 10, decided * 9 / 10);
        assertThat(grantedInPart)
                .as("rows of equal sets of which some are granted")
                .isGreaterThan(CALLS / 100);
    }

    private List<KeyRequests<?>> set(List<String> keys) {
        long permits = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1 + random.nextInt(2);
        List<KeyRequests<?>> parts = new ArrayList<>();
        for (String key : keys) {
            Request request = Request.take(permits, timeout());
            parts.add(supported(key, limitOf(key), List.of(random.nextInt(4) == 0 ? notPlain(request, 50) : request)));
        }
        return parts;
    }

    private long timeout() {
        return switch (random.nextInt(4)) {
            case 0 -> (long) (random.nextDouble() * 5e6);
            case 1 -> random.nextInt(5) == 0 ? Long.MAX_VALUE : 0;
            default -> 0;
        };
    }

    @Test
    void a_plain_counter_is_a_window_that_ends_with_its_ttl() {
        Backend script = redis.scriptBackend();
        String key = redis.prefix() + "{w}:window";
        FixedWindow limit = FixedWindow.of(5, Duration.ofSeconds(60));
        KeyRequests<?> window = KeyRequests.of(key, limit, Request.take(2, 0));
        KeyRequests<?> bucket = KeyRequests.of(redis.prefix() + "{b}", TokenBucket.of(1, 3), Request.take(2, 0));
        storeCounter(key, 3, limit);
        assertThat(decideSet(script, List.of(window, bucket))).allMatch(Verdict::isGranted);
        storeCounter(key, 4, limit);
        assertThat(decideSetIn(script, List.of(bucket, window))).noneMatch(Verdict::isGranted);
        assertThat(RedisFixture.commands().pttl(key))
                .as("one without a TTL gets one")
                .isPositive();
    }
}
