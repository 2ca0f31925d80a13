package io.limiter.redis;

import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Aligned windows around daylight saving changes, which random times hardly ever hit. */
class AlignedWindowDifferentialTest extends DifferentialContract {

    private static final int TIMES = 100;

    // Two skip midnight or have it twice, and one changes by half an hour.
    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe"})
    void a_window_ends_at_the_same_moment_in_java_and_in_lua(ZoneId zone) {
        Backend script = redis.scriptBackend();
        String key = redis.prefix() + "{k}:window";
        // In Berlin, windows of 180 minutes end where the skipped hour ends.
        for (int minutes : new int[] {30, 60, 120, 180, 360, 1440}) {
            FixedWindow limit = FixedWindow.of(1, Duration.ofMinutes(minutes)).withZone(zone);
            for (int i = 0; i < TIMES; i++) {
                Instant change = changeOf(zone);
                // The second call is made with the offsets of the first.
                for (int call = 0; call < 2; call++) {
                    redis.clock().set(around(change, minutes));
                    decide(script, List.of(KeyRequests.of(key, limit, Request.take(1, 0))));
                    delete(key);
                }
            }
        }
    }

    private Instant changeOf(ZoneId zone) {
        Instant before = Instant.parse("2020-01-01T00:00:00Z").plus(Duration.ofDays(random.nextInt(3000)));
        return zone.getRules().nextTransition(before).getInstant();
    }

    /** Up to two windows before a change or after it, in steps of 15 minutes, and up to a microsecond beside them. */
    private long around(Instant change, int minutes) {
        int most = minutes / 15 * 2;
        int quarters = random.nextInt(4) == 0 ? 0 : random.nextInt(2 * most + 1) - most;
        return change.getEpochSecond() * 1_000_000 + quarters * 900_000_000L + random.nextInt(3) - 1;
    }
}
