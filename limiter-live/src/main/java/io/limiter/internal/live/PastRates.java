package io.limiter.internal.live;

import com.google.common.collect.EvictingQueue;
import io.limiter.LimiterTotals;
import io.limiter.internal.live.store.Micros;
import io.limiter.live.LimitReport.Rate;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The rates of the last ten minutes in this instance, in steps of 20 s by server time, so that those of all instances add up.
 * They take some 0.3 MB at most: 30 steps for each of the 200 limits of a report. For one thread at a time.
 */
final class PastRates {

    static final int STEPS = 30;
    static final long STEP_MICROS = TimeUnit.SECONDS.toMicros(20);

    /** The shortest time that has a rate. */
    private static final long SHORTEST_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** The rates of the last steps, the oldest first, and the totals at their end. */
    private static final class Line {

        final Queue<Rate> steps = EvictingQueue.create(STEPS);
        long granted;
        long rejected;

        Line(LimiterTotals totals) {
            end(totals);
        }

        void end(LimiterTotals totals) {
            granted = totals.granted();
            rejected = totals.rejected();
        }

        Rate rate(LimiterTotals totals, long micros) {
            return Rate.of(
                    perSecond(totals.granted() - granted, micros), perSecond(totals.rejected() - rejected, micros));
        }

        private static double perSecond(long count, long micros) {
            return Math.round(count * 1e8 / micros) / 100.0;
        }
    }

    private Map<List<String>, Line> lines = new HashMap<>();
    private long atMicros;

    /** Whether a step has ended since the last {@link #add}. */
    boolean isDue(long nowMicros) {
        return step(nowMicros) != step(atMicros) && Math.abs(nowMicros - atMicros) >= SHORTEST_MICROS;
    }

    /** Ends the steps since the last call, which all have the mean rate since then. */
    void add(long nowMicros, List<LimiterTotals> busiest) {
        long ended = step(nowMicros) - step(atMicros);
        if (ended < 0) {
            // Another Redis, whose clock is behind.
            lines.clear();
        }
        Map<List<String>, Line> next = new HashMap<>();
        for (LimiterTotals totals : busiest) {
            List<String> id = id(totals);
            Line line = lines.get(id);
            if (line == null) {
                line = new Line(totals);
            } else {
                Rate rate = line.rate(totals, nowMicros - atMicros);
                for (long i = Math.max(0, ended - STEPS); i < ended; i++) {
                    line.steps.add(rate);
                }
                line.end(totals);
            }
            next.put(id, line);
        }
        lines = next;
        atMicros = nowMicros;
    }

    /** The rates by the start of their step; the last step is the one that has not ended. */
    Map<Instant, Rate> of(LimiterTotals totals, long nowMicros) {
        Line line = lines.get(id(totals));
        if (line == null) {
            return Map.of();
        }
        Map<Instant, Rate> rates = new TreeMap<>();
        long step = step(atMicros) - line.steps.size();
        for (Rate rate : line.steps) {
            rates.put(start(step++), rate);
        }
        if (nowMicros - atMicros >= SHORTEST_MICROS) {
            rates.put(start(step), line.rate(totals, nowMicros - atMicros));
        }
        return rates;
    }

    private static List<String> id(LimiterTotals totals) {
        return List.of(totals.prefix(), totals.name());
    }

    private static long step(long micros) {
        return Math.floorDiv(micros, STEP_MICROS);
    }

    private static Instant start(long step) {
        return Micros.toInstant(step * STEP_MICROS);
    }
}
