package io.limiter.internal.live.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times in microseconds since the epoch, as Redis has them. */
public final class Micros {

    private Micros() {}

    public static Instant toInstant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    public static long of(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
