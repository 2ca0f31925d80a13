package io.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.internal.arithmetic.Rounding;
import io.limiter.internal.redis.script.StateCodec;
import io.limiter.testing.Seed;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RedisPermitsTest {

    @Test
    void every_microsecond_survives_as_milliseconds() {
        Random random = Seed.random();
        long last = Instant.parse("2109-01-01T00:00:00Z").toEpochMilli() * 1000;
        for (int i = 0; i < 1_000_000; i++) {
            double micros = last - (random.nextBoolean() ? i : random.nextLong(last));
            assertThat(new RedisPermits(1, 1, 1, micros / 1000.0, 0).nextFreeMicros())
                    .as(Seed.hint())
                    .isEqualTo(micros);
        }
    }

    @Test
    void a_wait_is_rounded_up_unless_the_fraction_is_negligible() {
        double second = 1e6;
        double day = 86_400e6;

        assertThat(Rounding.wholeMicros(2.0009, second)).isEqualTo(2);
        assertThat(Rounding.wholeMicros(2.0011, second)).isEqualTo(3);
        assertThat(Rounding.wholeMicros(2.5, day)).isEqualTo(2);
        assertThat(Rounding.wholeMicros(Math.nextUp(2.5), day)).isEqualTo(3);
        assertThat(Rounding.wholeMicros(3, day)).isEqualTo(3);
    }

    @Test
    void permits_are_rounded_down_unless_the_missing_fraction_is_negligible() {
        double second = 1e6;
        double day = 86_400e6;

        assertThat(Rounding.wholePermits(2 - 0.9e-9, second)).isEqualTo(2);
        assertThat(Rounding.wholePermits(2 - 1.1e-9, second)).isEqualTo(1);
        assertThat(Rounding.wholePermits(2 - 0.4 / day, day)).isEqualTo(2);
        assertThat(Rounding.wholePermits(2 - 0.6 / day, day)).isEqualTo(1);
    }

    @Test
    void reservations_are_read_as_they_are_written() {
        RedisPermits state =
                new RedisPermits(10, 3.5, 100, 5, 0.25).withReservations(new Reservations(1.5, 2, 3, 4, 5, 6, 7));
        StateCodec codec = new StateCodec();
        byte[] stored = codec.write(state);
        assertThat(new String(stored, StandardCharsets.UTF_8))
                .isEqualTo("{\"maxPermits\":10.0,\"storedPermits\":3.5,\"intervalMillis\":100.0,"
                        + "\"nextFreeTicketMillis\":5.0,\"remainderMicros\":0.25,\"reservations\":{\"lastTicketMicros\":1.5,"
                        + "\"overlapMicros\":2.0,\"cancelledFromMicros\":3.0,\"cancelledMicros\":4.0,\"furthestMicros\":5.0,"
                        + "\"fastestMicros\":6.0,\"otherSinceMicros\":7.0}}");
        assertThat(codec.read("k", stored, TokenBucket.perSecond(10), 0, -1)).isEqualTo(state);
    }
}
