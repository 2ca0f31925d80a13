package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.lettuce.core.GetExArgs;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.Request;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.Step;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.backend.Answer;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.cache.KnownRejections;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.internal.redis.lock.LockBackend;
import io.limiter.internal.redis.script.ScriptBackend;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Patience;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The Java arithmetic and the Lua scripts on a real Redis, side by side through the same random steps: decisions and
 * states are the same to the last bit.
 */
class DifferentialTest {

    private static final int STEPS = 100_000;
    private static final int LOCK_STEPS = 4_000;
    private static final int STEPS_PER_KEY = 200;
    private static final int STEPS_PER_LIMIT = 40;

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private static final List<ZoneId> ZONES = List.of(
            ZoneOffset.UTC, ZoneId.of("Europe/Berlin"), ZoneId.of("Australia/Lord_Howe"), ZoneId.of("Asia/Kolkata"));
    private static final List<Duration> PARTS_OF_A_DAY = List.of(
            Duration.ofSeconds(1),
            Duration.ofMinutes(1),
            Duration.ofHours(1),
            Duration.ofHours(12),
            Duration.ofDays(1));

    private final Random random = Seed.random();
    private final StateCodec codec = new StateCodec();
    private final List<Decision> tickets = new ArrayList<>();
    private long lastRetryMicros;
    private boolean manyCancellations;

    @Test
    void token_bucket_in_java_and_in_lua() {
        Backend script = scriptEngine();
        run(STEPS, this::randomBucket, () -> script);
    }

    /**
     * A peek beside the requests makes two runs of them, which the script never decides as usual. Both keys have the same
     * decisions, and the same bytes in Redis.
     */
    @Test
    void a_usual_decision_of_a_bucket_is_the_one_of_all_steps() {
        String counting = redis.clockLua() + """

                local server = redis
                local redis = {call = server.call, pcall = function(command, key, ...)
                  if command == 'SETRANGE' then
                    server.call('INCR', '%s' .. (...))
                  end
                  return server.pcall(command, key, ...)
                end}
                """.formatted(redis.prefix());
        Backend script =
                new ScriptBackend(RedisFixture.calls(RedisFixture.connections()), counting, new KnownRejections(0));
        Request peek = Request.peek(1, 0);
        int rejected = 0;
        for (int round = 0; round < 25; round++) {
            String usual = redis.prefix() + "{usual" + round + "}";
            String neighbour = redis.prefix() + "{neighbour" + round + "}";
            String all = redis.prefix() + "{all" + round + "}";
            String allOfNeighbour = redis.prefix() + "{all of neighbour" + round + "}";
            TokenBucket limit = bucketThatIsOftenFull();
            for (int step = 0; step < 200; step++) {
                if (random.nextInt(40) == 0) {
                    limit = bucketThatIsOftenFull();
                }
                redis.clock().set(redis.clock().micros() + usualMicros(limit));
                List<Request> requests = usualRequests(limit);
                List<Request> withPeek = new ArrayList<>(requests);
                withPeek.add(peek);
                TokenBucket now = limit;
                Supplier<String> what = () -> "step under " + now + ", " + requests + "; " + Seed.hint();
                List<KeyRequests<?>> batch = new ArrayList<>();
                batch.add(new KeyRequests<>(all, limit, withPeek));
                batch.add(new KeyRequests<>(usual, limit, requests));
                if (random.nextInt(3) > 0) {
                    // In one section with the key before it, and mostly in another state.
                    batch.add(new KeyRequests<>(neighbour, limit, requests));
                    batch.add(new KeyRequests<>(allOfNeighbour, limit, withPeek));
                }
                List<Answer> answers = decideIn(script, batch);
                List<Decision> decisions = answers.get(1).decisions();
                assertThat(decisions)
                        .as(what)
                        .isEqualTo(answers.get(0).decisions().subList(0, requests.size()));
                assertThat(RedisFixture.commands().get(usual))
                        .as(what)
                        .isEqualTo(RedisFixture.commands().get(all));
                assertThat(RedisFixture.commands().get(neighbour))
                        .as(what)
                        .isEqualTo(RedisFixture.commands().get(allOfNeighbour));
                rejected += decisions.get(0).granted() ? 0 : 1;
            }
        }
        assertThat(rejected).as("rejected, of 5,000").isBetween(500, 4_500);
        assertThat(written("9")).as("usual grants").isGreaterThan(300);
        assertThat(written("0"))
                .as("grants by all steps, of which one key has as many as the other")
                .isGreaterThan(1_500);
    }

    /** How many values the counting script has written from this byte on. */
    private long written(String from) {
        return Long.parseLong(
                new String(RedisFixture.commands().getdel(redis.prefix() + from), StandardCharsets.US_ASCII));
    }

    /** From ten permits a second to one in three seconds, so that they need a later expiry than usual now and then. */
    private TokenBucket bucketThatIsOftenFull() {
        double rate = random.nextBoolean() ? 10 : 1.0 / 3;
        TokenBucket bucket = TokenBucket.of(rate, (1 + random.nextInt(20)) / rate)
                .withWhoWaits(random.nextInt(4) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                .withStartsFull(random.nextInt(4) > 0)
                .withMaxWait(Duration.ofSeconds(1 + random.nextInt(5)))
                .withExpire(Duration.ofSeconds(20));
        return random.nextInt(8) == 0 ? bucket.withWarmUp(Duration.ofSeconds(3)) : bucket;
    }

    /** Often less than a permit takes, sometimes more than the bucket or its expiry takes, and sometimes backwards. */
    private long usualMicros(TokenBucket limit) {
        double interval = 1e6 / limit.permitsPerSecond();
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> random.nextInt(4);
            case 2 -> (long) (random.nextDouble() * 100e6);
            case 3 -> -(long) (random.nextDouble() * interval);
            case 4 -> Math.round(interval);
            default -> (long) (random.nextDouble() * 8 * interval);
        };
    }

    private List<Request> usualRequests(TokenBucket limit) {
        int permits = 1 + random.nextInt(random.nextInt(4) == 0 ? 25 : 3);
        long interval = Math.round(1e6 / limit.permitsPerSecond());
        long timeout =
                random.nextInt(6) > 0 ? 0 : random.nextBoolean() ? random.nextInt(4) + interval - 2 : Long.MAX_VALUE;
        Request request = switch (random.nextInt(12)) {
            case 0 -> Request.refund(permits);
            case 1 -> Request.charge(permits);
            case 2 -> Request.peek(permits, timeout);
            default -> Request.take(permits, timeout);
        };
        return Collections.nCopies(random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 1, request);
    }

    @Test
    void fixed_window_in_java_and_in_lua() {
        Backend script = scriptEngine();
        run(STEPS / 4, this::randomWindow, () -> script);
    }

    @Test
    void script_and_lock_engine_share_a_bucket() {
        takeTurns(this::randomBucket);
    }

    @Test
    void script_and_lock_engine_share_a_window() {
        takeTurns(this::randomWindow);
    }

    @Test
    void sliding_log_in_java_and_in_lua() {
        Backend script = scriptEngine();
        run(STEPS, this::randomLog, () -> script);
    }

    @Test
    void sliding_counter_in_java_and_in_lua() {
        Backend script = scriptEngine();
        run(STEPS / 2, this::randomCounter, () -> script);
    }

    @Test
    void script_and_lock_engine_share_a_log() {
        takeTurns(this::randomLog);
    }

    @Test
    void script_and_lock_engine_share_a_counter() {
        takeTurns(this::randomCounter);
    }

    @Test
    void counters_of_several_periods_share_a_state_in_java_and_in_lua() {
        Backend script = scriptEngine();
        run(STEPS / 4, this::randomCounter, () -> script, 2);
        run(STEPS / 4, this::counterOfAFewPeriods, () -> script, 2);
    }

    @Test
    void script_and_lock_engine_share_a_counter_of_several_periods() {
        takeTurns(this::counterOfAFewPeriods, 2);
    }

    @Test
    void many_cancellations_in_java_and_in_lua() {
        manyCancellations = true;
        Backend script = scriptEngine();
        run(STEPS, this::logWithManyEntries, () -> script);
        run(STEPS / 4, this::randomWindow, () -> script);
        run(STEPS / 4, this::counterOfAFewPeriods, () -> script, 20);
    }

    private <S> void takeTurns(Supplier<Limit<S>> limits) {
        takeTurns(limits, STEPS_PER_LIMIT);
    }

    private <S> void takeTurns(Supplier<Limit<S>> limits, int stepsPerLimit) {
        Backend script = scriptEngine();
        Backend lock = new LockBackend(
                RedisFixture.calls(RedisFixture.connections()),
                new RedisLock(RedisFixture.connections()),
                Duration.ofSeconds(5),
                Patience.DECISION_TIMEOUT,
                redis.clockLua(),
                new StoppedTicker(),
                new KnownRejections(0));
        run(LOCK_STEPS, limits, () -> random.nextBoolean() ? script : lock, stepsPerLimit);
    }

    private Backend scriptEngine() {
        return new ScriptBackend(
                RedisFixture.calls(RedisFixture.connections()), redis.clockLua(), new KnownRejections(0));
    }

    private <S> void run(int steps, Supplier<Limit<S>> limits, Supplier<Backend> engines) {
        run(steps, limits, engines, STEPS_PER_LIMIT);
    }

    private <S> void run(int steps, Supplier<Limit<S>> limits, Supplier<Backend> engines, int stepsPerLimit) {
        for (int done = 0; done < steps; ) {
            done += runOneKey(redis.prefix() + "{" + done + "}", limits, engines, stepsPerLimit);
        }
    }

    private <S> int runOneKey(String key, Supplier<Limit<S>> limits, Supplier<Backend> engines, int stepsPerLimit) {
        Limit<S> limit = limits.get();
        @Nullable S state = null;
        tickets.clear();
        int steps = 0;
        while (steps < STEPS_PER_KEY) {
            if (random.nextInt(stepsPerLimit) == 0) {
                limit = limits.get();
            }
            moveClock(limit);
            List<Request> requests = randomRequests(limit);
            List<Decision> expected = new ArrayList<>();
            for (Request request : requests) {
                Step<S> step = limit.step(state, redis.clock().micros(), request);
                state = step.state();
                expected.add(step.decision());
                if (step.decision().ticketMicros() != 0) {
                    tickets.add(step.decision());
                }
                long retryMicros = step.decision().retryAfterMicros();
                lastRetryMicros = retryMicros > 0 && retryMicros < 86_400_000_000L ? retryMicros : lastRetryMicros;
            }
            String step = "step " + steps + " of " + key;
            Limit<S> now = limit;
            Supplier<String> what = () -> step + " under " + now + ", " + requests + "; " + Seed.hint();
            List<Decision> decided = decideIn(engines.get(), List.of(new KeyRequests<>(key, limit, requests)))
                    .get(0)
                    .decisions();
            assertThat(decided).as(what).isEqualTo(expected);
            assertThat(stored(key, limit)).as(what).isEqualTo(state);
            steps += requests.size();
        }
        RedisFixture.commands().del(key);
        return steps;
    }

    /** What Redis holds, kept from expiring while simulated time goes its own way. */
    private <S> @Nullable S stored(String key, Limit<S> limit) {
        byte[] value = RedisFixture.commands().getex(key, GetExArgs.Builder.ex(3600));
        return value == null ? null : codec.read(key, value, limit, 0, 1);
    }

    /** Stalls, goes on by all kinds of amounts, often to when a rejection ends, jumps ahead, and steps back. */
    private void moveClock(Limit<?> limit) {
        double scale = limit instanceof TokenBucket bucket ? 1e6 / bucket.permitsPerSecond() : 10e6;
        double micros = switch (random.nextInt(14)) {
            case 0, 1, 2 -> 0;
            case 3 -> 1;
            case 4, 5, 6, 7 -> random.nextDouble() * 2 * scale;
            case 8 -> Math.rint(scale);
            case 9 -> random.nextDouble() * 1000 * scale;
            case 10 -> random.nextDouble() * (random.nextInt(5) == 0 ? 200 * 86_400e6 : 86_400e6);
            case 11 -> lastRetryMicros;
            case 12 -> lastRetryMicros - 1;
            default -> -random.nextDouble() * (random.nextBoolean() ? scale : 86_400e6);
        };
        redis.clock().set(redis.clock().micros() + (long) micros);
    }

    private List<Request> randomRequests(Limit<?> limit) {
        double interval = limit instanceof TokenBucket bucket ? 1e6 / bucket.permitsPerSecond() : 1e6;
        List<Request> requests = new ArrayList<>();
        do {
            int permits = random.nextInt(10) == 0 ? 1 + random.nextInt(10_000) : 1 + random.nextInt(5);
            long timeout = switch (random.nextInt(5)) {
                case 0, 1 -> 0L;
                case 2 -> (long) (random.nextDouble() * 10 * interval);
                case 3 -> Math.round(interval);
                default -> random.nextInt(10) == 0 ? Long.MAX_VALUE : (long) (random.nextDouble() * 3600e6);
            };
            Request request = switch (random.nextInt(20)) {
                case 0 -> Request.refund(permits);
                case 1, 2, 3 -> cancellation(permits);
                case 4, 5, 6, 7, 8 -> manyCancellations ? cancellation(permits) : takeOrPeek(permits, timeout);
                case 9 -> Request.charge(permits);
                default -> takeOrPeek(permits, timeout);
            };
            // Now and then a run of like requests, which the scripts take at once.
            int times = random.nextInt(4) == 0 ? 1 + random.nextInt(20) : 1;
            requests.addAll(Collections.nCopies(times, request));
        } while (random.nextInt(3) > 0);
        return requests;
    }

    private Request takeOrPeek(int permits, long timeout) {
        return random.nextInt(8) == 0 ? Request.peek(permits, timeout) : Request.take(permits, timeout);
    }

    /** Cancels mostly one of the last grants, and sometimes the current one or one that was never made. */
    private Request cancellation(int permits) {
        if (tickets.isEmpty() || random.nextInt(10) == 0) {
            long ticket = redis.clock().micros() + (random.nextBoolean() ? 0 : random.nextInt(20_000_000) - 10_000_000);
            return new Request(Request.Action.REFUND, permits, 0, ticket);
        }
        int back = random.nextInt(random.nextBoolean() ? 3 : tickets.size());
        Decision booked = tickets.get(Math.max(0, tickets.size() - 1 - back));
        return Request.cancel(random.nextBoolean() ? 1 : permits, booked);
    }

    private Limit<io.limiter.algorithm.RedisPermits> randomBucket() {
        double rate = randomRate();
        Duration maxWait = switch (random.nextInt(4)) {
            case 0 -> Duration.ofHours(random.nextInt(100));
            case 1 -> TokenBucket.DEFAULT_MAX_WAIT;
            default -> Duration.ofMillis(random.nextInt(5000));
        };
        if (random.nextInt(3) == 0) {
            Duration period = Duration.ofNanos(1000 + (long) (random.nextDouble() * 100 / rate * 1e9));
            double coldFactor = random.nextBoolean() ? WarmUp.DEFAULT_COLD_FACTOR : 1.01 + random.nextDouble() * 20;
            return TokenBucket.perSecond(rate)
                    .withWarmUp(new WarmUp(period, coldFactor))
                    .withMaxWait(maxWait);
        }
        double permits = random.nextInt(3) == 0 ? 1 : 1 + random.nextDouble() * 1000;
        return TokenBucket.of(rate, permits / rate)
                .withWhoWaits(random.nextInt(3) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                .withStartsFull(random.nextInt(4) > 0)
                .withMaxWait(maxWait);
    }

    private double randomRate() {
        return switch (random.nextInt(4)) {
            case 0 -> 1 + random.nextInt(100);
            case 1 -> 1.0 / (1 + random.nextInt(1000));
            default -> Math.exp(random.nextDouble() * Math.log(1e9)) / 1000;
        };
    }

    private Limit<io.limiter.algorithm.FixedWindow.State> randomWindow() {
        long millis = 1 + (long) (random.nextDouble() * (random.nextBoolean() ? 60_000 : 86_400_000));
        int most = 1 + random.nextInt(random.nextBoolean() ? 10 : 20_000);
        if (random.nextInt(3) == 0) {
            Duration period = PARTS_OF_A_DAY.get(random.nextInt(PARTS_OF_A_DAY.size()));
            return FixedWindow.of(most, period).alignedTo(ZONES.get(random.nextInt(ZONES.size())));
        }
        return FixedWindow.of(most, Duration.ofMillis(millis));
    }

    private Limit<io.limiter.algorithm.SlidingLog.State> randomLog() {
        return SlidingLog.of(1 + random.nextInt(random.nextBoolean() ? 10 : 20_000), randomPeriod());
    }

    private Limit<io.limiter.algorithm.SlidingLog.State> logWithManyEntries() {
        return SlidingLog.of(1 + random.nextInt(40), Duration.ofSeconds(20 + random.nextInt(100)));
    }

    private Limit<io.limiter.algorithm.SlidingCounter.State> randomCounter() {
        return SlidingCounter.of(1 + random.nextInt(random.nextBoolean() ? 10 : 20_000), randomPeriod());
    }

    private Limit<io.limiter.algorithm.SlidingCounter.State> counterOfAFewPeriods() {
        return SlidingCounter.of(1 + random.nextInt(200), Duration.ofSeconds(5L * (1 + random.nextInt(4))));
    }

    private Duration randomPeriod() {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofSeconds(10);
            case 1 -> Duration.ofMillis(1 + random.nextInt(5_000));
            case 2 -> Duration.ofNanos(1_000_000 + (long) (random.nextDouble() * 60e9));
            default -> Duration.ofMillis(1 + random.nextInt(86_400_000));
        };
    }

    private static final class StoppedTicker extends Ticker {
        @Override
        public long read() {
            return 0;
        }
    }
}
