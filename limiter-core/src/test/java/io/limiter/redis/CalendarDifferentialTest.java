package io.limiter.redis;

import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.FixedWindow;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of the calendar around the ends of their periods and changes of the clock, which random times hardly ever hit. */
class CalendarDifferentialTest extends DifferentialContract {

    private static final int TIMES = 100;

    // Two skip midnight or have it twice, and one changes by half an hour.
    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "Asia/Beirut", "America/Havana", "Australia/Lord_Howe"})
    void a_window_ends_at_the_same_moment_in_java_and_in_lua(ZoneId zone) {
        Backend script = redis.scriptBackend();
        String key = redis.prefix() + "{k}:window";
        for (String unit : List.of("minute", "hour", "day", "week", "month", "year")) {
            CalendarPeriod natural = CalendarPeriod.of(unit).in(zone);
            for (int i = 0; i < TIMES; i++) {
                Instant change = changeOf(zone);
                CalendarPeriod period = random.nextBoolean() || natural.length().toDays() < 7
                        ? natural
                        : natural.from(LocalDate.ofInstant(change, zone).minusDays(random.nextInt(2000)));
                // The second call is made with the period of the first, which may be one of the past or the future.
                for (int call = 0; call < 2; call++) {
                    redis.clock().set(around(random.nextBoolean() ? micros(change) : end(period, change), period));
                    decide(
                            script,
                            List.of(KeyRequests.of(key, warning(FixedWindow.of(1, period)), Request.take(1, 0))));
                    if (random.nextBoolean()) {
                        delete(key);
                    }
                }
            }
            delete(key);
        }
    }

    private Instant changeOf(ZoneId zone) {
        Instant before = Instant.parse("2020-01-01T00:00:00Z").plus(Duration.ofDays(random.nextInt(3000)));
        return zone.getRules().nextTransition(before).getInstant();
    }

    private static long end(CalendarPeriod period, Instant at) {
        return period.at(micros(at)).endMicros();
    }

    /** Up to two periods before a moment or after it, in eighths of a period, give or take a microsecond. */
    private long around(long moment, CalendarPeriod period) {
        int eighths = random.nextInt(4) == 0 ? 0 : random.nextInt(33) - 16;
        return moment + eighths * (period.length().toNanos() / 8000) + random.nextInt(3) - 1;
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000;
    }
}
