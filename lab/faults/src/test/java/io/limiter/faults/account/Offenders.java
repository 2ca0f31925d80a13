package io.limiter.faults.account;

import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.TokenBucket;
import io.limiter.faults.process.RedisConsole;
import io.limiter.step.Request;
import io.limiter.step.Step;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Limiters on Redis that grant too much, each in a way of its own. */
final class Offenders {

    private Offenders() {}

    /** One permit, at a moment. */
    interface Offender {
        boolean tryAcquire(long nowMicros) throws IOException;
    }

    /**
     * What Spring Cloud Gateway does: two values, time in whole seconds by the caller's clock, and the last time is set to the
     * caller's, also if that is earlier.
     */
    static Offender wholeSeconds(RedisConsole redis, int rate, int capacity) {
        String script = """
                local rate, capacity, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
                local left = tonumber(redis.call('GET', KEYS[1]) or capacity)
                local last = tonumber(redis.call('GET', KEYS[2]) or 0)
                left = math.min(capacity, left + math.max(0, now - last) * rate)
                local granted = left >= 1
                if granted then left = left - 1 end
                redis.call('SET', KEYS[1], left)
                redis.call('SET', KEYS[2], now)
                return granted and 1 or 0
                """;
        return nowMicros -> redis.command(
                        "EVAL",
                        script,
                        "2",
                        "{offender}.left",
                        "{offender}.last",
                        "" + rate,
                        "" + capacity,
                        "" + nowMicros / 1_000_000)
                .equals("1");
    }

    /** Counts from 0 and requests at most the capacity. */
    static Offender offByOne(RedisConsole redis, int capacity) {
        String script = """
                local granted = tonumber(redis.call('GET', KEYS[1]) or 0)
                if granted > tonumber(ARGV[1]) then return 0 end
                redis.call('SET', KEYS[1], granted + 1)
                return 1
                """;
        return nowMicros ->
                redis.command("EVAL", script, "1", "counter", "" + capacity).equals("1");
    }

    /** Our step, with the state loaded by one call and saved by another: of two at the same time, one is forgotten. */
    static final class LoadAndSave {

        private final RedisConsole redis;
        private final TokenBucket limit;
        private @Nullable RedisPermits loaded;

        LoadAndSave(RedisConsole redis, TokenBucket limit) {
            this.redis = redis;
            this.limit = limit;
        }

        void load() throws IOException {
            String text = redis.command("GET", "bucket");
            if (text.isEmpty()) {
                loaded = null;
                return;
            }
            String[] parts = text.split(" ", -1);
            loaded = new RedisPermits(
                    limit.maxPermits(),
                    Double.parseDouble(parts[0]),
                    limit.intervalMillis(),
                    Double.parseDouble(parts[1]),
                    Double.parseDouble(parts[2]));
        }

        boolean stepAndSave(long nowMicros) throws IOException {
            Step<RedisPermits> step = limit.step(loaded, nowMicros, Request.take(1, 0));
            RedisPermits state = step.state();
            if (state != null) {
                redis.command(
                        "SET",
                        "bucket",
                        state.storedPermits() + " " + state.nextFreeTicketMillis() + " " + state.remainderMicros());
            }
            return step.verdict().isGranted();
        }
    }
}
