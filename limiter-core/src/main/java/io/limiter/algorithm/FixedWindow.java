package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import io.limiter.step.Verdict;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * At most {@code limit} permits in a window of length {@code period}, which opens with its first request, or in each {@link
 * CalendarPeriod}, for example a quota for each month.
 *
 * <p>It is exact within each window. Across a boundary, up to twice the limit can be granted in one period, namely all permits of the first window
 * at its end and all permits of the second at its start. A {@link TokenBucket} has no boundaries.
 *
 * <p>A rejected request does not change the window. A changed limit applies to the open window immediately. When the clock steps back, a window ends
 * at most one period from now, or two if it is one of the calendar.
 *
 * <p>Limiters with different periods can share permits, such as the plans of one limit, or an old and a new definition while a new version is rolled
 * out. Each period has its own window, and a permit counts in all windows that are open, whoever takes it. So the used permits of a day stay used after
 * a visit to a limit for a minute. If the first of the other windows opened within the period of a new window, the new one counts as opened at the same
 * time, and begins with the same count. If a longer window opened earlier, it is unknown when its permits were taken, so the new one begins with 0.
 *
 * <p>Limiters with the same unit of the calendar share one window. If they name different ends for it, because their time zones or anchors differ, it
 * ends at the earliest of these ends. So for each unit, no more than one limit is granted between two of the boundaries that any of them names, and
 * changing the anchor gives no permits back early.
 */
public final class FixedWindow implements Limit, LimitStep<FixedWindow.State> {

    /** Over so long, so that not all keys of one period expire at its end. */
    private static final long EXPIRY_SPREAD_MILLIS = Duration.ofHours(1).toMillis();

    private final long limit;
    private final Duration period;
    private final @Nullable CalendarPeriod calendar;
    private final long warnAt;

    private FixedWindow(long limit, Duration period, @Nullable CalendarPeriod calendar, long warnAt) {
        Ranges.limit(limit);
        Ranges.duration("period", period, Duration.ofMillis(1));
        this.limit = limit;
        this.period = period;
        this.calendar = calendar;
        this.warnAt = warnAt;
    }

    /** Windows that open with their first request. */
    public static FixedWindow of(long limit, Duration period) {
        return new FixedWindow(limit, period, null, 0);
    }

    /** Windows that begin and end with each period of the calendar. */
    public static FixedWindow of(long limit, CalendarPeriod period) {
        return new FixedWindow(limit, Objects.requireNonNull(period, "period").length(), period, 0);
    }

    /**
     * This window as the step of a limiter that warns, which is built with {@code LimiterOptions.withWarnAt}: once in each window,
     * when so many permits are used. It is no definition; a factory rejects it.
     *
     * @param used from 1 to the limit
     * @throws IllegalArgumentException if it is out of range
     */
    public FixedWindow withWarnAt(long used) {
        Ranges.range("warn-at", used, 1, limit);
        return new FixedWindow(limit, period, calendar, used);
    }

    /**
     * This step as it cancels a grant that warned, and that nobody learns of: the window has not warned then.
     *
     * @param cancelled the verdict of the grant
     */
    public FixedWindow withWarningForgotten(Verdict cancelled) {
        return Objects.requireNonNull(cancelled, "cancelled").usedAtWarning() == 0
                ? this
                : new FixedWindow(limit, period, calendar, -warnAt);
    }

    /** When it warns, negative if it {@linkplain #withWarningForgotten forgets} a warning, and 0 if it does neither. */
    public long warnAt() {
        return warnAt;
    }

    public long periodMicros() {
        return Ranges.micros(period);
    }

    /** The most permits in one window, from 1 to 2<sup>53</sup> - 1. */
    public long limit() {
        return limit;
    }

    /** The length of a window, from 1 ms to 1,000 days; of the calendar, the longest one of its unit. */
    public Duration period() {
        return period;
    }

    /** The period of the calendar that a window is for, or {@code null} if it opens with its first request. */
    public @Nullable CalendarPeriod calendar() {
        return calendar;
    }

    @Override
    public FixedWindow asStep() {
        return this;
    }

    @Override
    public Class<State> stateType() {
        return State.class;
    }

    @Override
    public long capacity() {
        return limit;
    }

    /** Without warnings: what one instance counts is not what the fleet has used. */
    @Override
    public FixedWindow scaled(double share) {
        return share == 1.0 && warnAt == 0 ? this : new FixedWindow(Ranges.share(limit, share), period, calendar, 0);
    }

    @Override
    public String keySuffix() {
        return ":window";
    }

    @Override
    public boolean takesFewer() {
        return true;
    }

    @Override
    public boolean leavesPermits() {
        return true;
    }

    /** Windows have no reservations, so the timeout is ignored. */
    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        request.checkNoId(this);
        double now = nowMicros;
        double period = periodMicros();
        double latestEnd =
                calendar == null ? now + period : calendar.at(nowMicros).endMicros();
        State own = own(state, now);
        double start = now;
        double count = 0.0;
        double left = 0.0;
        double busyUntil = 0.0;
        double freeAt = 0.0;
        boolean outdated = false;
        boolean refunded = false;
        double warnedAt = own == null ? 0.0 : own.warned();
        for (State window = state; window != null; window = window.next()) {
            if (!window.isOpen(now)) {
                continue;
            }
            double windowStart = window.startAt(now);
            double end = window == own ? Math.min(own.endAt(now), latestEnd) : window.endAt(now);
            outdated |= end < window.endMicros() || window.unitMicros() == 0.0;
            double removed = window == own
                    ? own.removed(request, calendar == null ? end - period : windowStart, end)
                    : window.removed(request, now);
            refunded |= removed > 0.0;
            // Nothing changes for windows that warned at fewer permits.
            warnedAt = window == own && removed > 0.0 && warnAt < 0 && warnedAt == -warnAt ? warnedAt - 1 : warnedAt;
            // Until then it counts: as the window of this limit, or in one that opens.
            double until = window == own ? end : Math.min(end, windowStart + period);
            if (until > now) {
                busyUntil = Math.max(busyUntil, until);
                freeAt = window.count() + request.needed() > limit ? Math.max(freeAt, until) : freeAt;
                if (own == null || own == window) {
                    start = Math.min(start, windowStart);
                    count = Math.max(count, window.count());
                    left = Math.max(left, window.count() - removed);
                }
            }
        }
        long permits = request.takenOf(limit - count - request.leave());
        long needed = request.neededFor(permits);
        boolean granted = !request.mayBeRejected() || count + needed <= limit;
        boolean taken = granted && request.takes();
        double after = taken ? State.sum(count, permits) : left;
        double newEnd = calendar == null ? start + period : latestEnd;
        double end = own == null ? newEnd : Math.min(own.endAt(now), latestEnd);
        double since = calendar == null ? end - period : own == null ? start : own.startAt(now);
        busyUntil = taken ? Math.max(busyUntil, end) : busyUntil;
        boolean warns = taken && warnAt > 0 && after >= warnAt && warnedAt < warnAt;
        warnedAt = warns ? warnAt : warnedAt;
        long retry = granted ? 0 : needed > limit ? Verdict.NEVER_MICROS : (long) (freeAt - now);
        long untilReset = busyUntil == 0.0 ? 0 : (long) (busyUntil - now);
        State changed = state;
        if (taken || refunded || outdated && !request.isPeek()) {
            State others = others(state, own, now, request, taken ? permits : 0.0);
            changed = own == null && !taken
                    ? others
                    : new State(unitMicros(), after, end, calendar == null ? null : (Double) since, warnedAt, others);
        }
        // Later than the start, so that it differs from permits that were taken in this microsecond before the window
        // opened.
        long ticket = taken ? Math.max(nowMicros, (long) since + 1) : 0;
        Verdict verdict = Verdicts.of(request, permits, granted, limit, limit - after, retry, untilReset, ticket);
        boolean isOpen = own != null || taken || calendar != null;
        verdict = isOpen ? verdict.withPeriodEndMicros((long) end) : verdict;
        return Step.of(changed, warns ? verdict.withWarning((long) after) : verdict);
    }

    /** The value in the state that marks a window of this limit. */
    private double unitMicros() {
        return calendar == null ? periodMicros() : -(double) periodMicros();
    }

    /** The open window of this limit. */
    private @Nullable State own(@Nullable State state, double now) {
        for (State window = state; window != null; window = window.next()) {
            double unit = window.unitMicros();
            if (window.isOpen(now) && (unit == 0.0 || unit == unitMicros())) {
                return window;
            }
        }
        return null;
    }

    /** The other windows that are open, with what the request takes or returns. */
    private static @Nullable State others(
            @Nullable State window, @Nullable State own, double now, Request request, double taken) {
        if (window == null) {
            return null;
        }
        State next = others(window.next(), own, now, request, taken);
        if (window == own || !window.isOpen(now)) {
            return next;
        }
        double count = State.sum(window.count(), taken) - window.removed(request, now);
        return new State(window.unitMicros(), count, window.endAt(now), window.sinceMicros(), window.warnedAt(), next);
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        double end = 0.0;
        for (State window = state; window != null; window = window.next()) {
            end = Math.max(end, window.endMicros());
        }
        return Ranges.lifetimeMillis(end - nowMicros) + spreadMillis(nowMicros);
    }

    /** Depends on the time of the last change, which differs for most keys. */
    private long spreadMillis(long nowMicros) {
        return calendar == null || period.compareTo(CalendarPeriod.DAY.length()) < 0
                ? 0
                : nowMicros / 1000 % EXPIRY_SPREAD_MILLIS;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof FixedWindow that
                        && limit == that.limit
                        && warnAt == that.warnAt
                        && period.equals(that.period)
                        && Objects.equals(calendar, that.calendar);
    }

    @Override
    public int hashCode() {
        int hash = Long.hashCode(limit);
        hash = 31 * hash + Long.hashCode(warnAt);
        hash = 31 * hash + period.hashCode();
        hash = 31 * hash + Objects.hashCode(calendar);
        return hash;
    }

    @Override
    public String toString() {
        return "FixedWindow[limit=" + limit + ", period=" + (calendar == null ? period : calendar)
                + (warnAt == 0 ? "" : ", warnAt=" + warnAt) + "]";
    }

    /**
     * The state of a {@link FixedWindow}: a window, and while limiters with other periods share its permits, theirs.
     *
     * @param unitMicros the length of the window in whole microseconds, negative if it is a period of the calendar (then the longest
     *     one of its unit), or 0 if it is unknown, as of a plain counter: the limit that counts in it next makes
     *     it its own
     * @param count permits taken in the window, a whole number from 0 to 2<sup>53</sup> - 1
     * @param endMicros when the window ends, in whole microseconds since the epoch
     * @param sinceMicros of a window of the calendar, since when it counts: when it was used first, or the window whose count
     *     it began with, or {@code null} for others, which begin their length before their end
     * @param warnedAt the highest number of used permits at which the window has warned, or {@code null} if it has not
     * @param next a window of another length, or {@code null} if there is none
     */
    public record State(
            @JsonProperty(required = true) double unitMicros,
            @JsonProperty(required = true) double count,
            @JsonProperty(required = true) double endMicros,

            @Nullable @JsonInclude(JsonInclude.Include.NON_NULL)
            Double sinceMicros,

            @Nullable @JsonInclude(JsonInclude.Include.NON_NULL)
            Double warnedAt,

            @Nullable @JsonInclude(JsonInclude.Include.NON_NULL)
            State next) {

        public State {
            double since = sinceMicros == null ? 0.0 : sinceMicros;
            double warned = warnedAt == null ? 0.0 : warnedAt;
            if (!(Ranges.isTime(Math.abs(unitMicros))
                    && unitMicros % 1.0 == 0.0
                    && Ranges.isCount(count, Ranges.MAX_PERMITS)
                    && Ranges.isTime(endMicros)
                    && endMicros % 1.0 == 0.0
                    && Ranges.isTime(since)
                    && since % 1.0 == 0.0
                    && (unitMicros < 0.0 || since == 0.0)
                    && Ranges.isCount(warned, Ranges.MAX_PERMITS))) {
                throw new IllegalArgumentException("not a window's state: unitMicros " + unitMicros + ", count " + count
                        + ", endMicros " + endMicros + ", sinceMicros " + since + ", warnedAt " + warned);
            }
            sinceMicros = since == 0.0 ? null : sinceMicros;
            warnedAt = warned == 0.0 ? null : warnedAt;
        }

        /** A single window. */
        public State(double unitMicros, double count, double endMicros) {
            this(unitMicros, count, endMicros, null);
        }

        /** A window that is not of the calendar. */
        public State(double unitMicros, double count, double endMicros, @Nullable State next) {
            this(unitMicros, count, endMicros, null, null, next);
        }

        /** More permits than can be counted are as many as can be. */
        private static double sum(double count, double permits) {
            return Math.min(count + permits, Ranges.MAX_PERMITS);
        }

        private double warned() {
            return warnedAt == null ? 0.0 : warnedAt;
        }

        private boolean isOpen(double now) {
            return endMicros > now;
        }

        /** When it ends, by a clock that may have stepped back. A day of 25 hours is shorter than two. */
        private double endAt(double now) {
            return unitMicros == 0.0
                    ? endMicros
                    : Math.min(endMicros, now + (unitMicros > 0.0 ? unitMicros : -2.0 * unitMicros));
        }

        /** Since when all permits count in it, also those of other limits. */
        private double startAt(double now) {
            return Math.min(now, sinceMicros != null ? sinceMicros : endAt(now) - Math.abs(unitMicros));
        }

        /** How many of the permits that the request returns this window has counted, in addition to the window of the limit. */
        private double removed(Request request, double now) {
            return removed(request, startAt(now), endAt(now));
        }

        /** How many of the permits that the request returns this window has counted. Their ticket is later than its start. */
        private double removed(Request request, double start, double end) {
            boolean counted = request.action() == Request.Action.REFUND
                    && (request.ticketMicros() == 0 || request.ticketMicros() > start && request.ticketMicros() < end);
            return counted ? Math.min(count, request.permits()) : 0.0;
        }
    }
}
