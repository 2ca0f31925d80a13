package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.Step;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Seed;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Aligned windows in Java and in Lua, around daylight saving changes, which random times hardly ever hit. */
class AlignedWindowDifferentialTest {

    private static final Request ONE = Request.take(1, 0);
    private static final int TIMES = 100;

    // Two skip midnight or have it twice, and one changes by half an hour.
    private static final List<ZoneId> ZONES = List.of(
            ZoneId.of("Europe/Berlin"),
            ZoneId.of("Asia/Beirut"),
            ZoneId.of("America/Havana"),
            ZoneId.of("Australia/Lord_Howe"));

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private final Random random = Seed.random();
    private final StateCodec codec = new StateCodec();

    @Test
    void a_window_ends_at_the_same_moment_in_java_and_in_lua() {
        Backend script = new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
        for (ZoneId zone : ZONES) {
            for (int minutes : new int[] {30, 60, 120, 360, 1440}) {
                FixedWindow limit =
                        FixedWindow.of(1, Duration.ofMinutes(minutes)).alignedTo(zone);
                for (int i = 0; i < TIMES; i++) {
                    Instant change = someChange(zone);
                    // The second call is made with the clocks of the first.
                    for (String call : List.of("/first", "/second")) {
                        redis.clock().set(around(change, minutes));
                        check(script, limit, redis.prefix() + "{" + zone + minutes + "/" + i + call + "}");
                    }
                }
            }
        }
    }

    private void check(Backend script, FixedWindow limit, String key) {
        long now = redis.clock().micros();
        Step<FixedWindow.State> expected = limit.step(null, now, ONE);
        String what = limit + " at " + Instant.ofEpochMilli(now / 1000) + " + " + now % 1000 + " us; " + Seed.hint();
        assertThat(decideIn(script, key, limit, ONE)).as(what).isEqualTo(expected.decision());
        byte[] value = RedisFixture.commands().get(key);
        // What ends in a moment is kept for a second or so, and may be gone by now.
        if (value != null || expected.decision().fullAfterMicros() > 60_000_000) {
            assertThat(codec.read(key, Objects.requireNonNull(value), limit, 0, 1))
                    .as(what)
                    .isEqualTo(expected.state());
        }
        RedisFixture.commands().del(key);
    }

    private Instant someChange(ZoneId zone) {
        Instant before = Instant.parse("2020-01-01T00:00:00Z").plus(Duration.ofDays(random.nextInt(3000)));
        return zone.getRules().nextTransition(before).getInstant();
    }

    /** Up to two windows before a change or after it, by quarters of an hour, and by a microsecond beside them. */
    private long around(Instant change, int minutes) {
        int most = minutes / 15 * 2;
        int quarters = random.nextInt(4) == 0 ? 0 : random.nextInt(2 * most + 1) - most;
        return change.getEpochSecond() * 1_000_000 + quarters * 900_000_000L + random.nextInt(3) - 1;
    }
}
