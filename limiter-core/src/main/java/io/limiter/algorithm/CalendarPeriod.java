package io.limiter.algorithm;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A minute, hour, day, week, month or year of the calendar, for a {@link FixedWindow}: {@code CalendarPeriod.MONTH.in(zone)}.
 *
 * <p>It follows the calendar of a time zone, which is UTC unless you set another one. A day begins with the first moment that its date
 * has there, so it may have 23 or 25 hours. A week begins on Monday, a month on its first day and a year on the first of January,
 * or all of them on the day of an {@linkplain #from anchor}. A minute or an hour that the zone interrupts, because its clock is changed,
 * ends there.
 *
 * <p>Immutable.
 */
public final class CalendarPeriod {

    private static final ZoneId UTC = ZoneId.of("UTC");

    /** From 00 to 59 seconds. */
    public static final CalendarPeriod MINUTE = new CalendarPeriod(ChronoUnit.MINUTES, Duration.ofMinutes(1));

    /** From 00 to 59 minutes. */
    public static final CalendarPeriod HOUR = new CalendarPeriod(ChronoUnit.HOURS, Duration.ofHours(1));

    /** From midnight to midnight. */
    public static final CalendarPeriod DAY = new CalendarPeriod(ChronoUnit.DAYS, Duration.ofDays(1));

    /** From Monday to Sunday. */
    public static final CalendarPeriod WEEK = new CalendarPeriod(ChronoUnit.WEEKS, Duration.ofDays(7));

    /** From the first day of a month to its last. */
    public static final CalendarPeriod MONTH = new CalendarPeriod(ChronoUnit.MONTHS, Duration.ofDays(31));

    /** From the first of January to the last day of December. */
    public static final CalendarPeriod YEAR = new CalendarPeriod(ChronoUnit.YEARS, Duration.ofDays(366));

    private static final List<CalendarPeriod> ALL = List.of(MINUTE, HOUR, DAY, WEEK, MONTH, YEAR);

    private final ChronoUnit unit;
    private final Duration length;
    private final ZoneId zone;
    private final @Nullable LocalDate anchor;

    // Mostly the next moment is in the same period, and the calendar is slow.
    private volatile @Nullable Bounds last;

    /**
     * A period around a moment, in microseconds since the epoch.
     *
     * @param startMicros when it begins
     * @param endMicros when it ends, and the next one begins
     * @param nextEndMicros when the next one ends
     */
    public record Bounds(long startMicros, long endMicros, long nextEndMicros) {

        boolean contains(long micros) {
            return startMicros <= micros && micros < endMicros;
        }
    }

    private CalendarPeriod(ChronoUnit unit, Duration length) {
        this(unit, length, UTC, null);
    }

    private CalendarPeriod(ChronoUnit unit, Duration length, ZoneId zone, @Nullable LocalDate anchor) {
        this.unit = unit;
        this.length = length;
        this.zone = zone;
        this.anchor = anchor;
    }

    /**
     * The period of a unit, in UTC.
     *
     * @param unit {@code minute}, {@code hour}, {@code day}, {@code week}, {@code month} or {@code year}
     * @throws IllegalArgumentException if it is another text
     */
    public static CalendarPeriod of(String unit) {
        return ALL.stream()
                .filter(period -> period.unit().equals(unit))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unit of the calendar must be minute, hour, day, week, month or year, was '" + unit + "'"));
    }

    /** This period in the calendar of a time zone. All names of UTC are the same. */
    public CalendarPeriod in(ZoneId newZone) {
        boolean isUtc = Objects.requireNonNull(newZone, "zone").normalized().equals(ZoneOffset.UTC);
        return new CalendarPeriod(unit, length, isUtc ? UTC : newZone, anchor);
    }

    /**
     * This period counted from a date: weeks that begin on its day of the week, months on its day of the month, or years on that day of
     * the year. A month that is too short begins on its last day, and the next ones begin on the day of the anchor again. Periods before
     * the anchor are counted back from it.
     *
     * @throws IllegalArgumentException if this is a minute, an hour or a day, which no anchor changes
     */
    public CalendarPeriod from(LocalDate newAnchor) {
        if (!hasAnchors()) {
            throw new IllegalArgumentException("anchor " + newAnchor + " has no effect on a " + unit()
                    + ": set it for a week, month or year, or leave it out");
        }
        return new CalendarPeriod(unit, length, zone, Objects.requireNonNull(newAnchor, "anchor"));
    }

    /** Whether an anchor changes when it begins: a week, a month or a year. */
    public boolean hasAnchors() {
        return length.compareTo(WEEK.length) >= 0;
    }

    /** {@code minute}, {@code hour}, {@code day}, {@code week}, {@code month} or {@code year}. */
    public String unit() {
        String plural = unit.name().toLowerCase(Locale.ROOT);
        return plural.substring(0, plural.length() - 1);
    }

    /** How long a period of this unit is at most, not counting changes of the clock: 31 days for a month. */
    public Duration length() {
        return length;
    }

    /** The time zone whose calendar it follows. */
    public ZoneId zone() {
        return zone;
    }

    /** The date from which periods are counted, or {@code null} if they begin where the calendar begins them. */
    public @Nullable LocalDate anchor() {
        return anchor;
    }

    /** The period around a moment, in microseconds since the epoch. */
    public Bounds at(long micros) {
        Bounds known = last;
        if (known != null && known.contains(micros)) {
            return known;
        }
        Bounds bounds = unit.isDateBased() ? dates(micros) : clock(micros);
        last = bounds;
        return bounds;
    }

    /** The bounds of a period of dates, each of which begins with its first moment. */
    private Bounds dates(long micros) {
        LocalDate date = LocalDate.ofInstant(instant(micros), zone);
        LocalDate from = anchor != null ? origin(anchor) : first(date);
        long n = unit.between(from, date);
        // Where a month is too short, the anchor's day comes earlier; and dates may begin before a clock that is set
        // back shows them.
        while (begins(from, n) > micros) {
            n--;
        }
        while (begins(from, n + 1) <= micros) {
            n++;
        }
        return new Bounds(begins(from, n), begins(from, n + 1), begins(from, n + 2));
    }

    /**
     * The first date that has the anchor's day of the week, of the month or of the year since 1970, or 1972, which is a leap year. It has
     * the same boundaries, and is not so far away that its moments could not be counted.
     */
    private LocalDate origin(LocalDate date) {
        return switch (unit) {
            case WEEKS -> LocalDate.EPOCH.with(TemporalAdjusters.nextOrSame(date.getDayOfWeek()));
            case MONTHS -> LocalDate.EPOCH.withDayOfMonth(date.getDayOfMonth());
            default -> LocalDate.of(1972, date.getMonth(), date.getDayOfMonth());
        };
    }

    private LocalDate first(LocalDate date) {
        return switch (unit) {
            case WEEKS -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTHS -> date.withDayOfMonth(1);
            case YEARS -> date.withDayOfYear(1);
            default -> date;
        };
    }

    /** Counted from the anchor, and not from the period before: 31 January, 28 February, 31 March. */
    private long begins(LocalDate from, long n) {
        return micros(from.plus(n, unit).atStartOfDay(zone));
    }

    /** The bounds of a minute or an hour, which a change of the offset ends. */
    private Bounds clock(long micros) {
        long start = clockStart(micros);
        long end = clockEnd(micros);
        return new Bounds(start, end, clockEnd(end));
    }

    private long clockStart(long micros) {
        ZoneRules rules = zone.getRules();
        Instant at = instant(micros);
        long local = micros + offset(rules, at);
        long start = micros - Math.floorMod(local, length.toNanos() / 1000);
        // A transition at this very moment counts as the previous one.
        ZoneOffsetTransition changed = rules.previousTransition(at.plusNanos(1));
        return changed == null ? start : Math.max(start, changed.toEpochSecond() * 1_000_000);
    }

    private long clockEnd(long micros) {
        ZoneRules rules = zone.getRules();
        Instant at = instant(micros);
        long micro = length.toNanos() / 1000;
        long end = micros + micro - Math.floorMod(micros + offset(rules, at), micro);
        ZoneOffsetTransition changes = rules.nextTransition(at);
        return changes == null ? end : Math.min(end, changes.toEpochSecond() * 1_000_000);
    }

    private static long offset(ZoneRules rules, Instant at) {
        return rules.getOffset(at).getTotalSeconds() * 1_000_000L;
    }

    private static long micros(ZonedDateTime at) {
        return at.toEpochSecond() * 1_000_000;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Whether it is the same unit in the same zone, with the same boundaries, whatever the year of its anchor is. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof CalendarPeriod that
                        && unit == that.unit
                        && zone.equals(that.zone)
                        && Objects.equals(origin(), that.origin());
    }

    @Override
    public int hashCode() {
        return 31 * (31 * unit.hashCode() + zone.hashCode()) + Objects.hashCode(origin());
    }

    private @Nullable LocalDate origin() {
        return anchor == null ? null : origin(anchor);
    }

    @Override
    public String toString() {
        return unit() + " in " + zone + (anchor == null ? "" : " from " + anchor);
    }
}
