package io.limiter.internal.arithmetic;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of a time zone around a moment. Times are microseconds since the epoch, as doubles; never is {@link
 * #NEVER}, always its negative.
 *
 * @param sinceMicros since when the zone has had its current offset
 * @param offsetMicros the current offset from UTC
 * @param changesAtMicros when the offset changes next
 * @param nextOffsetMicros the offset after that change
 * @param thenUntilMicros when that offset ends
 */
public record ZoneClock(
        double sinceMicros,
        double offsetMicros,
        double changesAtMicros,
        double nextOffsetMicros,
        double thenUntilMicros) {

    /** Later than any time that a limit works with. */
    public static final double NEVER = 0x1p60;

    /** The offsets of this zone around this moment. */
    public static ZoneClock at(ZoneId zone, long nowMicros) {
        Instant now = Instant.ofEpochSecond(
                Math.floorDiv(nowMicros, 1_000_000L), Math.floorMod(nowMicros, 1_000_000L) * 1000);
        ZoneRules rules = Objects.requireNonNull(zone, "zone").getRules();
        double offset = offset(rules, now);
        if (rules.isFixedOffset()) {
            return new ZoneClock(-NEVER, offset, NEVER, offset, NEVER);
        }
        // A transition at this very moment counts as the previous one.
        ZoneOffsetTransition last = rules.previousTransition(now.plusNanos(1));
        ZoneOffsetTransition next = rules.nextTransition(now);
        ZoneOffsetTransition afterNext = next == null ? null : rules.nextTransition(next.getInstant());
        return new ZoneClock(
                last == null ? -NEVER : micros(last),
                offset,
                next == null ? NEVER : micros(next),
                next == null ? offset : next.getOffsetAfter().getTotalSeconds() * 1e6,
                afterNext == null ? NEVER : micros(afterNext));
    }

    private static double offset(ZoneRules rules, Instant at) {
        return rules.getOffset(at).getTotalSeconds() * 1e6;
    }

    private static double micros(@Nullable ZoneOffsetTransition transition) {
        return transition == null ? NEVER : transition.toEpochSecond() * 1e6;
    }
}
