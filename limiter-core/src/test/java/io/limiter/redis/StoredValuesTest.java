package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.Reservation;
import io.limiter.Share;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.testing.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What each engine stores for the same requests, byte by byte: versions that share a Redis read it. */
class StoredValuesTest {

    private static final Path LIST = Path.of("../docs/reference/contract/stored.txt");

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void states_are_stored_as_they_are_listed() throws IOException {
        Duration minute = Duration.ofMinutes(1);
        Map<String, Limit> limits = new LinkedHashMap<>();
        limits.put("token-bucket", TokenBucket.of(10, 20));
        limits.put("leaky-bucket", LeakyBucket.meter(10, 20));
        limits.put("fixed-window", FixedWindow.of(20, minute));
        limits.put("fixed-window by the clock", FixedWindow.of(20, CalendarPeriod.MINUTE));
        limits.put("sliding-log", SlidingLog.of(20, minute));
        limits.put("sliding-counter", SlidingCounter.of(20, minute));
        redis.clock().set(1_800_000_000_000_000L);
        List<String> lines = new ArrayList<>();
        for (RedisFixture.By by : RedisFixture.By.values()) {
            LimiterFactory limiters = redis.limiters(by);
            limits.forEach((kind, limit) -> {
                String name = by + " " + kind;
                limiters.build(name, limit).tryAcquire(7);
                lines.add(name + " " + stored());
            });
            String warned = by + " fixed-window that has warned";
            limiters.with(LimiterOptions.NONE.withWarnAt(Share.permits(5)))
                    .build(warned, FixedWindow.of(20, CalendarPeriod.MINUTE))
                    .tryAcquire(7);
            lines.add(warned + " " + stored());
            RateLimiter reserved = limiters.build(by + " token-bucket with reservations", TokenBucket.of(10, 2));
            Reservation first = reserved.reserve(30, minute);
            reserved.reserve(5, minute);
            first.cancel();
            lines.add(reserved.name() + " " + stored());
            Limiter banning = limiters.with(LimiterOptions.NONE.withBan(Ban.after(1)))
                    .build(by + " ban", FixedWindow.of(1, minute))
                    .on("ann");
            banning.tryAcquire();
            banning.tryAcquire();
            // What a rejection counts for a ban is stored in the background.
            Eventually.that(() -> assertThat(redis.keys())
                    .hasSize(2)
                    .anyMatch(key -> key.endsWith(":ban"))
                    .noneMatch(key -> key.endsWith(":lock")));
            RedisFixture.commands()
                    .del(redis.keys().stream()
                            .filter(key -> key.endsWith(":window"))
                            .toArray(String[]::new));
            lines.add(by + " ban " + stored());
        }
        if (Boolean.getBoolean("contract.write")) {
            Files.write(LIST, lines);
        }
        assertThat(lines)
                .as(
                        "%s says what versions that share a Redis read of each other. If it has to change, say in CHANGELOG.md what an older"
                                + " version makes of it, and write the list with -Dcontract.write=true",
                        LIST)
                .isEqualTo(Files.readAllLines(LIST));
    }

    /** The only value that the test has stored, which it then removes. */
    private String stored() {
        List<String> keys = redis.keys();
        assertThat(keys).hasSize(1);
        byte[] value = RedisFixture.commands().getdel(keys.get(0));
        return value[0] == '{'
                ? new String(value, StandardCharsets.UTF_8)
                : HexFormat.of().formatHex(value);
    }
}
