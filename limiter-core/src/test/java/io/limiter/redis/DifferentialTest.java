package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.Demand;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.RedisPermits;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.algorithm.WarmUp;
import io.limiter.algorithm.WhoWaits;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Seed;
import io.limiter.testing.Steps;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One key at a time through many steps, under definitions of all kinds that change, by the script and by both engines in turn. */
class DifferentialTest extends DifferentialContract {

    private static final int STEPS_PER_KEY = 200;
    private static final int USUAL_CANCELLATIONS = 3;
    private static final int MANY_CANCELLATIONS = 8;

    private static final List<ZoneId> ZONES = List.of(
            ZoneOffset.UTC, ZoneId.of("Europe/Berlin"), ZoneId.of("Australia/Lord_Howe"), ZoneId.of("Asia/Kolkata"));
    private static final List<String> UNITS = List.of("minute", "hour", "day", "week", "month", "year");

    /** Definitions that are drawn, and how a key changes between them. */
    enum Definitions {
        BUCKET(20_000, 40, USUAL_CANCELLATIONS),
        BUCKET_OF_FEW_RATES(20_000, 2, MANY_CANCELLATIONS),
        WINDOW(5_000, 40, USUAL_CANCELLATIONS),
        LOG(20_000, 40, USUAL_CANCELLATIONS),
        BAN(10_000, 40, USUAL_CANCELLATIONS),
        COUNTER(10_000, 40, USUAL_CANCELLATIONS),
        COUNTER_OF_MANY_PERIODS(5_000, 2, USUAL_CANCELLATIONS),
        COUNTER_OF_FEW_PERIODS(5_000, 2, USUAL_CANCELLATIONS),
        WINDOW_OF_FEW_PERIODS(10_000, 2, MANY_CANCELLATIONS),
        LOG_OF_FEW_PERIODS(10_000, 2, MANY_CANCELLATIONS),
        LOG_WITH_MANY_CANCELLATIONS(20_000, 40, MANY_CANCELLATIONS),
        WINDOW_WITH_MANY_CANCELLATIONS(5_000, 40, MANY_CANCELLATIONS),
        COUNTER_WITH_MANY_CANCELLATIONS(5_000, 20, MANY_CANCELLATIONS),
        LARGE_BUCKET(5_000, 200, USUAL_CANCELLATIONS),
        LARGE_WINDOW(5_000, 40, USUAL_CANCELLATIONS),
        LARGE_LOG(10_000, 2, USUAL_CANCELLATIONS),
        LARGE_COUNTER(5_000, 40, USUAL_CANCELLATIONS);

        private final int steps;
        private final int callsPerDefinition;
        private final int cancellations;

        Definitions(int steps, int callsPerDefinition, int cancellations) {
            this.steps = steps;
            this.callsPerDefinition = callsPerDefinition;
            this.cancellations = cancellations;
        }
    }

    @ParameterizedTest
    @EnumSource
    void java_and_lua_decide_alike(Definitions definitions) {
        Backend script = redis.scriptBackend();
        run(definitions, Steps.of(definitions.steps), () -> script);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ".*(MANY_PERIODS|CANCELLATIONS)")
    void script_and_lock_engine_share_a_state(Definitions definitions) {
        Backend script = redis.scriptBackend();
        Backend lock =
                redis.lockBackend(new RedisLock(RedisFixture.connections()), Duration.ofSeconds(5), redis.clock());
        run(definitions, Steps.underLock(definitions.steps), () -> random.nextBoolean() ? script : lock);
    }

    private void run(Definitions definitions, int steps, Supplier<Backend> backends) {
        for (int done = 0; done < steps; ) {
            done += runOneKey(redis.prefix() + "{" + done + "}", definitions, backends);
        }
    }

    private int runOneKey(String key, Definitions definitions, Supplier<Backend> backends) {
        LimitStep<?> limit = limitOf(definitions);
        int steps = 0;
        while (steps < STEPS_PER_KEY) {
            if (random.nextInt(definitions.callsPerDefinition) == 0) {
                limit = limitOf(definitions);
            }
            double rate = limit instanceof TokenBucket bucket ? bucket.permitsPerSecond() : 0;
            boolean large = definitions.name().startsWith("LARGE");
            double interval = rate == 0 ? 1e6 : 1e6 / rate;
            moveClock(rate == 0 ? 10e6 : large ? Math.min(10e6, interval * limit.capacity() / 10) : interval);
            List<Request> requests =
                    requests(interval, large ? Ranges.MAX_PERMITS : 10_000, 20, definitions.cancellations);
            if (rate > 0 && random.nextInt(3) == 0) {
                addPrefetches(requests, large);
            }
            decide(backends.get(), List.of(supported(key, limit, requests)));
            steps += requests.size();
        }
        delete(key);
        return steps;
    }

    private void addPrefetches(List<Request> requests, boolean large) {
        long permits = large ? large(Ranges.MAX_PERMITS) : 1 + random.nextInt(random.nextBoolean() ? 10 : 10_000);
        long timeMicros = random.nextBoolean() ? 100_000 : 1 + random.nextInt((int) Request.MAX_PREFETCH_MICROS);
        long callMicros = random.nextBoolean() ? 200 : 1 + random.nextInt((int) Request.MAX_CALL_MICROS);
        int place = random.nextInt(requests.size() + 1);
        requests.addAll(
                place,
                Collections.nCopies(
                        1 + random.nextInt(random.nextBoolean() ? 1 : 60),
                        Request.prefetch(permits, timeMicros, callMicros)));
    }

    /** The permits that are stored in addition to prefetched ones can be rounded to a little more than there is room for. */
    @Test
    void a_rejection_after_a_prefetch_leaves_what_the_prefetch_left() {
        redis.clock().set(1_939_909_305_580_090L);
        String key = redis.prefix() + "{rounded}";
        store(
                key,
                new RedisPermits(
                        15,
                        11,
                        200,
                        1_939_909_305_988.685,
                        0,
                        null,
                        new Demand(1_939_909_304_628_813.0, 1_939_909_306_661_556.8, 5, 5)));
        decide(
                redis.scriptBackend(),
                List.of(new KeyRequests<>(
                        key,
                        TokenBucket.perSecond(80).withCapacity(5),
                        List.of(Request.prefetch(5_164, 8_110_250, 362_929), Request.take(3, 0)))));
    }

    /** Java does not touch a state for such a request, so neither does it spill what instances hold a part of. */
    @Test
    void a_request_that_does_nothing_leaves_permits_in_addition_to_those_that_are_held() {
        TokenBucket bucket = TokenBucket.perSecond(10).withCapacity(100);
        long now = redis.clock().micros();
        Request late = Request.of(Request.Action.REFUND, 1, 0, now + 10_000_000);
        TokenBucket warmUp = TokenBucket.perSecond(10).withWarmUp(WarmUp.of(Duration.ofSeconds(3)));
        assertThat(decideHeld(100, bucket.withCapacity(1_000), late, Request.take(50, 0)))
                .isTrue();
        decideHeld(100, warmUp, Request.refund(1), Request.take(1, 0));
        decideHeld(20, bucket, Request.refund(50), late);
    }

    /** The decision of the last request to a bucket of 100 permits that instances hold 80 of. */
    private boolean decideHeld(double stored, TokenBucket limit, Request... requests) {
        String key = redis.prefix() + "{held " + limit.hashCode() + "}";
        long now = redis.clock().micros();
        store(key, new RedisPermits(100, stored, 100, now / 1000.0, 0, null, new Demand(now, now + 25_000, 80, 80)));
        List<Verdict> decisions = decide(
                        redis.scriptBackend(), List.of(new KeyRequests<>(key, limit, List.of(requests))))
                .get(0);
        return decisions.get(requests.length - 1).isGranted();
    }

    /**
     * A peek between the requests makes two runs of them, which the script never decides as usual. Both keys have the same
     * decisions, and the same bytes in Redis.
     */
    @Test
    void a_usual_decision_of_a_bucket_is_the_one_of_all_steps() {
        Backend script = RedisFixture.scriptBackend(redis.clockLua() + """

                local server = redis
                local redis = {call = server.call, pcall = function(command, key, ...)
                  if command == 'SETRANGE' then
                    server.call('INCR', '%s' .. (...))
                  end
                  return server.pcall(command, key, ...)
                end}
                """.formatted(redis.prefix()));
        int rejected = 0;
        for (int round = 0; round < 4; round++) {
            String usual = redis.prefix() + "{usual" + round + "}";
            String neighbour = redis.prefix() + "{neighbour" + round + "}";
            String all = redis.prefix() + "{all" + round + "}";
            String allOfNeighbour = redis.prefix() + "{all of neighbour" + round + "}";
            TokenBucket limit = bucketThatIsOftenFull();
            for (int step = 0; step < 200; step++) {
                limit = random.nextInt(40) == 0 ? bucketThatIsOftenFull() : limit;
                moveClockBy(usualMicros(limit));
                List<Request> requests = usualRequests(limit);
                List<Request> withPeek = new ArrayList<>(requests);
                withPeek.add(Request.peek(1, 0));
                List<KeyRequests<?>> batch = new ArrayList<>();
                batch.add(new KeyRequests<>(all, limit, withPeek));
                batch.add(new KeyRequests<>(usual, limit, requests));
                if (random.nextInt(3) > 0) {
                    // In one section with the key before it, and mostly in another state.
                    batch.add(new KeyRequests<>(neighbour, limit, requests));
                    batch.add(new KeyRequests<>(allOfNeighbour, limit, withPeek));
                }
                Verdict decision = decide(script, batch).get(1).get(0);
                assertSameBytes(usual, all);
                assertSameBytes(neighbour, allOfNeighbour);
                rejected += decision.isGranted() ? 0 : 1;
            }
        }
        assertThat(rejected).as("rejected, of 1,600").isBetween(160, 1_440);
        assertThat(written("9")).as("usual grants").isGreaterThan(90);
        assertThat(written("0"))
                .as("grants by all steps, of which one key has as many as the other")
                .isGreaterThan(450);
    }

    private static void assertSameBytes(String key, String other) {
        assertThat(RedisFixture.commands().get(key))
                .as("%s; %s", key, Seed.hint())
                .isEqualTo(RedisFixture.commands().get(other));
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
        long permits = 1 + random.nextInt(random.nextInt(4) == 0 ? 25 : 3);
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

    private LimitStep<?> limitOf(Definitions definitions) {
        return switch (definitions) {
            case BUCKET -> randomBucket();
            case BUCKET_OF_FEW_RATES -> {
                TokenBucket bucket = TokenBucket.perSecond(5L << (2 * random.nextInt(4)))
                        .withCapacity(1 + random.nextInt(random.nextBoolean() ? 5 : 200));
                yield random.nextInt(4) > 0
                        ? bucket
                        : random.nextBoolean()
                                ? bucket.withWhoWaits(WhoWaits.NEXT_CALLER)
                                : bucket.withWarmUp(Duration.ofSeconds(1 + random.nextInt(3)));
            }
            case WINDOW, WINDOW_WITH_MANY_CANCELLATIONS -> warning(randomWindow());
            case LOG -> SlidingLog.of(randomPermits(), randomPeriod());
            case BAN -> {
                Duration first = randomPeriod();
                yield Ban.after(1 + random.nextInt(random.nextBoolean() ? 10 : 100), randomPeriod())
                        .withLengths(first, first.plus(random.nextBoolean() ? Duration.ZERO : randomPeriod()));
            }
            case COUNTER, COUNTER_OF_MANY_PERIODS -> SlidingCounter.of(randomPermits(), randomPeriod());
            case COUNTER_OF_FEW_PERIODS, COUNTER_WITH_MANY_CANCELLATIONS ->
                SlidingCounter.of(1 + random.nextInt(200), Duration.ofSeconds(5L * (1 + random.nextInt(4))));
            case WINDOW_OF_FEW_PERIODS -> {
                FixedWindow window =
                        FixedWindow.of(1 + random.nextInt(200), Duration.ofSeconds(5L << (2 * random.nextInt(4))));
                yield warning(random.nextBoolean() ? window : FixedWindow.of(window.limit(), calendar(2)));
            }
            case LOG_OF_FEW_PERIODS, LARGE_LOG ->
                SlidingLog.of(1 + random.nextInt(20), Duration.ofSeconds(5L * (1 + random.nextInt(4))));
            case LARGE_BUCKET -> largeBucket();
            case LARGE_WINDOW -> warning(FixedWindow.of(large(Ranges.MAX_PERMITS), randomPeriod()));
            case LARGE_COUNTER -> SlidingCounter.of(large(Ranges.MAX_PERMITS), randomPeriod());
            case LOG_WITH_MANY_CANCELLATIONS ->
                SlidingLog.of(1 + random.nextInt(40), Duration.ofSeconds(20 + random.nextInt(100)));
        };
    }

    private int randomPermits() {
        return 1 + random.nextInt(random.nextBoolean() ? 10 : 20_000);
    }

    private TokenBucket randomBucket() {
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
                    .withWarmUp(WarmUp.of(period).withColdFactor(coldFactor))
                    .withMaxWait(maxWait);
        }
        double permits = random.nextInt(3) == 0 ? 1 : 1 + random.nextDouble() * 1000;
        return TokenBucket.of(rate, permits / rate)
                .withWhoWaits(random.nextInt(3) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                .withStartsFull(random.nextInt(4) > 0)
                .withMaxWait(maxWait);
    }

    /** The smallest rate at which it fills in time is often not the one that it has. */
    private TokenBucket largeBucket() {
        long capacity = large(TokenBucket.MAX_CAPACITY);
        double slowest = capacity / 80_000_000.0;
        return TokenBucket.perSecond(Math.min(TokenBucket.MAX_RATE, slowest * Math.exp(random.nextDouble() * 10)))
                .withCapacity(capacity)
                .withWhoWaits(random.nextInt(3) == 0 ? WhoWaits.NEXT_CALLER : WhoWaits.CALLER)
                .withStartsFull(random.nextInt(4) > 0)
                .withMaxWait(Duration.ofSeconds(random.nextInt(10_000)));
    }

    private double randomRate() {
        return switch (random.nextInt(4)) {
            case 0 -> 1 + random.nextInt(100);
            case 1 -> 1.0 / (1 + random.nextInt(1000));
            default -> Math.exp(random.nextDouble() * Math.log(1e9)) / 1000;
        };
    }

    private FixedWindow randomWindow() {
        long millis = 1 + (long) (random.nextDouble() * (random.nextBoolean() ? 60_000 : 86_400_000));
        long permits = randomPermits();
        if (random.nextInt(3) == 0) {
            return FixedWindow.of(permits, calendar(UNITS.size()));
        }
        return FixedWindow.of(permits, Duration.ofMillis(millis));
    }

    private CalendarPeriod calendar(int units) {
        CalendarPeriod period =
                CalendarPeriod.of(UNITS.get(random.nextInt(units))).in(ZONES.get(random.nextInt(ZONES.size())));
        return random.nextBoolean() || period.length().toDays() < 7
                ? period
                : period.from(LocalDate.ofEpochDay(random.nextInt(40_000)));
    }

    private Duration randomPeriod() {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofSeconds(10);
            case 1 -> Duration.ofMillis(1 + random.nextInt(5_000));
            case 2 -> Duration.ofNanos(1_000_000 + (long) (random.nextDouble() * 60e9));
            default -> Duration.ofMillis(1 + random.nextInt(86_400_000));
        };
    }
}
