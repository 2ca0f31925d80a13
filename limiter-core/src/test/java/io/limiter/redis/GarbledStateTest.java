package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.limiter.LimitSet;
import io.limiter.Limiter;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.step.LimitStep;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Values that no limiter writes; those that look like a state were found by {@link StoredStateFuzzTest}. Java and the scripts
 * agree that they are unreadable, name the key, and leave them as they are.
 */
class GarbledStateTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final TokenBucket BUCKET = TokenBucket.of(5, 2);
    private static final FixedWindow WINDOW = FixedWindow.of(5, MINUTE);
    private static final SlidingLog LOG = SlidingLog.of(5, MINUTE);
    private static final SlidingCounter COUNTER = SlidingCounter.of(5, MINUTE);
    private static final ConcurrencyLimit CONCURRENCY = ConcurrencyLimit.of(5);

    private static final Ban BAN = Ban.after(5);

    private static final double NOW = 1_763_650_000_000_000.0;
    private static final double START = 1_763_649_960_000_000.0;
    private static final double ABOVE_THREE = Math.nextUp(3.0);

    /** No limit's state. */
    private static final List<String> FOREIGN = List.of("", "x", "5", "{}");

    private static final List<String> NO_BUCKETS = List.of(
            "{\"maxPermits\":10.0}",
            "{\"maxPermits\":10.0,\"storedPermits\":3.5,\"intervalMillis\":100.0}",
            "{\"maxPermits\":10.0,\"storedPermits\":3.5,\"intervalMillis\":100.0,\"nextFreeTicketMillis\":null}",
            "{\"maxPermits\":10.0,\"storedPermits\":3.5,\"intervalMillis\":100.0,\"nextFreeTicketMillis\":\"1\"}",
            "{\"maxPermits\":10.0,\"storedPermits\":11,\"intervalMillis\":100.0,\"nextFreeTicketMillis\":1}",
            "{\"maxPermits\":10.0,\"storedPermits\":-1,\"intervalMillis\":100.0,\"nextFreeTicketMillis\":1}",
            "{\"maxPermits\":10.0,\"storedPermits\":1,\"intervalMillis\":0,\"nextFreeTicketMillis\":1}",
            "{\"maxPermits\":10.0,\"storedPermits\":1,\"intervalMillis\":1,\"nextFreeTicketMillis\":-1}",
            "{\"maxPermits\":10.0,\"storedPermits\":1,\"intervalMillis\":1,\"nextFreeTicketMillis\":1} x",
            "{\"maxPermits\":10.0,\"storedPermits\":1",
            "\u0001too short",
            "\u0002AAAAAAAABBBBBBBB");

    private static final String USES =
            ",\"uses\":{\"periodMicros\":6E7,\"limit\":5,\"otherPeriodMicros\":0,\"usedMicros\":0}";

    private static final List<String> NO_SLIDING_STATES = List.of(
            "{\"timesMicros\":[1]}",
            "{\"timesMicros\":[1],\"totals\":null" + USES + "}",
            "{\"timesMicros\":[1],\"totals\":[null]" + USES + "}",
            "{\"timesMicros\":[1],\"totals\":[\"a\"]" + USES + "}",
            "{\"timesMicros\":[1],\"totals\":[1,2]" + USES + "}",
            "{\"timesMicros\":[2,1],\"totals\":[1,2]" + USES + "}",
            "{\"timesMicros\":[1,2],\"totals\":[2,2]" + USES + "}",
            "{\"timesMicros\":[-1],\"totals\":[1]" + USES + "}",
            "{\"timesMicros\":[1.5],\"totals\":[1]" + USES + "}",
            "{\"timesMicros\":[1],\"totals\":[4294967296]" + USES + "}",
            "{\"timesMicros\":[1],\"totals\":[1]}",
            "{\"timesMicros\":[1],\"totals\":[1],\"uses\":null}",
            "{\"timesMicros\":[1],\"totals\":[1],\"uses\":{\"periodMicros\":6E7,\"limit\":5}}",
            "{\"timesMicros\":[1],\"totals\":[1],\"uses\":{\"periodMicros\":-1,\"limit\":5,"
                    + "\"otherPeriodMicros\":0,\"usedMicros\":0}}",
            "{\"timesMicros\":[1],\"totals\":[1],\"uses\":{\"periodMicros\":1,\"limit\":1.5,"
                    + "\"otherPeriodMicros\":0,\"usedMicros\":0}}",
            "{\"timesMicros\":[1],\"totals\":[1]" + USES + "} x",
            "{\"timesMicros\":[1],\"totals\":[1]",
            "\u0003",
            "\u0003AAAABBBBCCCCD",
            "\u0003AAAABBBBCCCC",
            "\u0004AAAABBBBCCCC",
            "{\"previous\":0,\"current\":4,\"startMicros\":0}",
            "{\"previous\":-1,\"current\":4,\"startMicros\":0,\"periodMicros\":1}",
            "{\"previous\":0,\"current\":1e300,\"startMicros\":0,\"periodMicros\":1}",
            "{\"previous\":0,\"current\":4,\"startMicros\":0,\"periodMicros\":0}",
            "{\"previous\":0,\"current\":\"a\",\"startMicros\":0,\"periodMicros\":1}",
            "{\"previous\":0,\"current\":4,\"startMicros\":-1,\"periodMicros\":1}",
            "{\"previous\":0,\"current\":4,\"startMicros\":0,\"periodMicros\":1,\"other\":{}}",
            "{\"previous\":0,\"current\":4,\"startMicros\":0,\"periodMicros\":1,\"other\":{\"usedMicros\":1,"
                    + "\"pair\":{\"previous\":-1,\"current\":4,\"startMicros\":0,\"periodMicros\":1}}}",
            "{\"previous\":0,\"current\":4,\"startMicros\":0,\"periodMicros\":1,\"other\":{"
                    + "\"pair\":{\"previous\":0,\"current\":4,\"startMicros\":0,\"periodMicros\":1}}}");

    private static final List<String> NO_HOLDERS = List.of(
            "{\"holders\":null}",
            "{\"holders\":[1]}",
            "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":1}]}",
            "{\"holders\":[{\"id\":0,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":1}]}",
            "{\"holders\":[{\"id\":1,\"permits\":0,\"expiresMicros\":1,\"leaseMicros\":1}]}",
            "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":-1,\"leaseMicros\":1}]}",
            "{\"holders\":[{\"id\":1,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":0}]}",
            "{\"holders\":[{\"id\":9007199254740992,\"permits\":1,\"expiresMicros\":1,\"leaseMicros\":1}]}",
            "\tshort",
            "\tAAAAAAAABBBBCCCCCCCCDDDDDDDD");

    private static final List<String> NO_BANS = List.of(
            "{\"untilMicros\":0,\"lengthMicros\":0}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":null}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":[null]}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":[2,1]}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":[-1]}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":[1e16]}",
            "{\"untilMicros\":-1,\"lengthMicros\":0,\"rejectedMicros\":[]}",
            "{\"untilMicros\":0,\"lengthMicros\":1e16,\"rejectedMicros\":[]}",
            "{\"untilMicros\":\"1\",\"lengthMicros\":0,\"rejectedMicros\":[]}",
            "{\"untilMicros\":0,\"lengthMicros\":0,\"rejectedMicros\":[]",
            "\u0005",
            "\u0005AAAAAAAABBBBBBBBC",
            "\u0002AAAAAAAABBBBBBBB");

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    static Stream<Arguments> values() {
        return Stream.of(
                garbled("a blank text for a number", BUCKET, bucketJson("1.763650000E12", "\"\\u0000\"")),
                garbled("a ticket beyond all times", BUCKET, bucketJson("1e308", "0.0")),
                garbled("a packed one", BUCKET, packed(1, 10, 0, 200, 1e308, 0).put(new byte[3])),
                garbled("three numbers about reservations", BUCKET, reservations(NOW, 0, 0)),
                garbled("a time before all times", BUCKET, reservations(NOW, -1, NOW, 0, 0, 0)),
                garbled("a time that is no number", BUCKET, reservations(NOW, 0, Double.NaN, 0, 0, 0)),
                garbled("a reservation beyond all times", BUCKET, reservations(NOW, 0, NOW, 0x1p53, 0, 0)),
                garbled("a rate that is no number", BUCKET, reservations(NOW, 0, NOW, 0, 0, Double.NaN)),
                garbled("a fraction of a permit", WINDOW, packed(2, 6e7, ABOVE_THREE, NOW + 1e7)),
                garbled("one in JSON", WINDOW, json("{\"unitMicros\":6e7,\"count\":1.5,\"endMicros\":1.763650010E15}")),
                garbled(
                        "a fraction of a permit",
                        COUNTER,
                        packed(4, 0, ABOVE_THREE, START, 6e7).putInt(1)),
                garbled(
                        "one of the previous window",
                        COUNTER,
                        packed(4, 1e-320, 3, START, 6e7).putInt(1)),
                garbled(
                        "one in windows of another period",
                        COUNTER,
                        doubles(packed(4, 0, 3, START, 6e7).putInt(1), 0, .5, START, 3.6e9, NOW)),
                garbled(
                        "one of their previous window",
                        COUNTER,
                        doubles(packed(4, 0, 3, START, 6e7).putInt(1), .5, 0, START, 3.6e9, NOW)),
                garbled(
                        "one in JSON",
                        COUNTER,
                        json("{\"previous\":0,\"current\":1.5,\"startMicros\":1.76364996E15,\"periodMicros\":6E7}")),
                garbled(
                        "entries that are not in order",
                        LOG,
                        log(NOW - 4, 1, NOW - 3, 2, NOW - 2, 0, NOW - 7e7, 4, NOW - 1, 5)),
                garbled("a fraction of a microsecond in the future", LOG, log(NOW - 1, 1, NOW + 1e6 + .5, 2)),
                garbled("the end of time", LOG, log(NOW - 1, 1, 1 / 0., 2)),
                garbled(
                        "a period that is no number",
                        LOG,
                        log(NOW - 1, 1).position(29).putDouble(Double.NaN)),
                garbled(
                        "a limit beyond all permits",
                        LOG,
                        log(NOW - 1, 1).position(25).putInt(-1).putDouble(6e7)),
                garbled("a ban beyond all times", BAN, packed(5, 0x1p53, 1)),
                garbled("a length that is no number", BAN, packed(5, 1, Double.NaN)),
                garbled("rejections that are not in order", BAN, packed(5, 0, 0, NOW, NOW - 1)),
                garbled("a fraction of a microsecond", CONCURRENCY, holder("1", "1", "0.5", "30000000")),
                garbled("a fraction of a permit", CONCURRENCY, holder("1", "1.5", "1763650020000000", "30000000")),
                garbled("a blank text for a number", CONCURRENCY, holder("1", "1", "\" \"", "30000000")));
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                        texts(BUCKET, NO_BUCKETS),
                        texts(LOG, NO_SLIDING_STATES),
                        texts(COUNTER, NO_SLIDING_STATES),
                        texts(CONCURRENCY, NO_HOLDERS),
                        texts(BAN, NO_BANS))
                .flatMap(Function.identity());
    }

    private static Stream<Arguments> texts(LimitStep<?> limit, List<String> values) {
        return Stream.concat(FOREIGN.stream(), values.stream())
                .map(value -> Arguments.of(value, limit, value.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest(name = "{1}: {0}")
    @MethodSource({"values", "texts"})
    void it_is_unreadable_on_every_engine(String what, LimitStep<?> limit, byte[] value) {
        redis.expectForeignValues();
        LimiterFactory byScript = redis.withoutRejectionCache();
        isUnreadable(limit, value, () -> take(byScript, limit));
        isUnreadable(limit, value, () -> take(redis.underLock(), limit));
        if (limit instanceof ConcurrencyLimit || limit instanceof Ban) {
            return; // The first is in no set, and the second always in one.
        }
        Limiter other = byScript.build("other", FixedWindow.of(1, MINUTE));
        isUnreadable(
                limit,
                value,
                () -> LimitSet.of(other, byScript.build("k", (Limit) limit)).tryAcquire());
        assertThat(other.tryAcquire()).as("the other permit of the set").isTrue();
    }

    static List<LimitStep<?>> limits() {
        return List.of(BUCKET, WINDOW, LOG, COUNTER, CONCURRENCY, BAN);
    }

    @ParameterizedTest
    @MethodSource("limits")
    void a_value_of_another_type_is_an_error_that_names_the_key(LimitStep<?> limit) {
        redis.expectForeignValues();
        RedisFixture.commands().lpush(key(limit), new byte[] {1});
        for (RedisFixture.By by : RedisFixture.By.values()) {
            assertThatThrownBy(() -> take(redis.limiters(by), limit))
                    .isInstanceOf(LimiterBackendException.class)
                    .hasMessageContaining(key(limit))
                    .hasMessageContaining("WRONGTYPE");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_refund_to_a_log_that_is_not_in_order_is_an_error(RedisFixture.By by) {
        redis.expectForeignValues();
        Limiter limiter = redis.limiters(by).build("k", LOG);
        byte[] value = bytes(log(NOW - 5, 1, NOW - 4, 2, NOW - 3, 3, NOW - 7e7, 4, NOW - 1, 5));
        isUnreadable(LOG, value, () -> limiter.refund(1));
    }

    @ParameterizedTest
    @EnumSource
    void whole_numbers_may_have_a_fraction_or_an_exponent(RedisFixture.By by) {
        put(CONCURRENCY, bytes(holder("1.0", "4E0", "1.76365002E15", "3e7")));
        LimiterFactory limiters = redis.limiters(by);
        assertThat(limiters.build("k", ConcurrencyLimit.of(5)).tryAcquire(2, Duration.ZERO))
                .isEmpty();
        assertThat(limiters.build("k", ConcurrencyLimit.of(5)).tryAcquire(1, Duration.ZERO))
                .isPresent();
    }

    private void isUnreadable(LimitStep<?> limit, byte[] value, ThrowingCallable call) {
        put(limit, value);
        LimiterBackendException failure = catchThrowableOfType(LimiterBackendException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.problem()).as(failure.toString()).isEqualTo("unreadable");
        assertThat(failure)
                .hasMessageContaining(key(limit))
                .hasMessageContaining("delete the key, or use another name");
        assertThat(RedisFixture.commands().get(key(limit))).as("left as it was").isEqualTo(value);
    }

    private static void take(LimiterFactory limiters, LimitStep<?> limit) {
        if (limit instanceof ConcurrencyLimit concurrency) {
            limiters.build("k", ConcurrencyLimit.of(concurrency.limit()).withLeaseTime(concurrency.leaseTime()))
                    .tryAcquire();
        } else if (limit instanceof Ban ban) {
            limiters.with(LimiterOptions.NONE.withBan(ban)).build("k", WINDOW).tryAcquire("ann");
        } else {
            limiters.build("k", (Limit) limit).tryAcquire();
        }
    }

    private String key(LimitStep<?> limit) {
        return redis.prefix() + (limit instanceof Ban ? "{ann}{k}" : "{k}") + limit.keySuffix();
    }

    private void put(LimitStep<?> limit, byte[] value) {
        RedisFixture.commands().psetex(key(limit), 600_000, value);
    }

    private static Arguments garbled(String what, LimitStep<?> limit, ByteBuffer value) {
        return Arguments.of(what, limit, bytes(value));
    }

    private static byte[] bytes(ByteBuffer value) {
        return Arrays.copyOf(value.array(), value.position());
    }

    private static ByteBuffer packed(int firstByte, double... numbers) {
        return doubles(ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN).put((byte) firstByte), numbers);
    }

    private static ByteBuffer doubles(ByteBuffer out, double... numbers) {
        for (double number : numbers) {
            out.putDouble(number);
        }
        return out;
    }

    /** @param entries times and sums in turns */
    private static ByteBuffer log(double... entries) {
        ByteBuffer out = packed(3);
        for (int i = 0; i < entries.length; i += 2) {
            out.putDouble(entries[i]).putInt((int) entries[i + 1]);
        }
        return out.putInt(0).putInt(0).putInt((int) (NOW / 1e6) + 100).putInt(5).putDouble(6e7);
    }

    private static ByteBuffer json(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(bytes).position(bytes.length);
    }

    private static ByteBuffer reservations(double... micros) {
        return doubles(packed(1, 10, 0, 200, NOW / 1000, 0).put(new byte[3]), micros);
    }

    private static ByteBuffer bucketJson(String nextFreeTicketMillis, String remainderMicros) {
        return json("{\"maxPermits\":10.0,\"storedPermits\":0,\"intervalMillis\":200.0,\"nextFreeTicketMillis\":"
                + nextFreeTicketMillis + ",\"remainderMicros\":" + remainderMicros + "}");
    }

    private static ByteBuffer holder(String id, String permits, String expiresMicros, String leaseMicros) {
        return json("{\"holders\":[{\"id\":" + id + ",\"permits\":" + permits + ",\"expiresMicros\":" + expiresMicros
                + ",\"leaseMicros\":" + leaseMicros + "}]}");
    }
}
