package io.limiter.algorithm;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.limiter.internal.arithmetic.Ranges;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bans keys that a limit rejects too often, each time twice as long. {@link io.limiter.LimiterOptions#withBan} adds it to a limit.
 *
 * <p>A key is banned as soon as {@code after} of its requests were rejected within {@code within}. Rejections by the ban itself
 * do not count. The first ban lasts {@code lasting}, and each further one twice as long as the one before, up to {@code atMost}.
 * A key that was not banned for {@code atMost} starts again with {@code lasting}. A changed definition does not change a ban that
 * has begun. If the clock steps back, no ban lasts longer than it would have from then on.
 *
 * <p>As a {@link Limit}, it grants unless the key is banned. A charge counts that many rejections, and is granted unless the key is banned at that
 * moment. The decision on the charge that bans the key has a ticket. Nothing else changes the state.
 */
public final class Ban implements LimitStep<Ban.State> {

    /** The most rejections, because every decision reads the times of all of them. */
    public static final int MAX_AFTER = 100;

    private final int after;
    private final Duration within;
    private final Duration lasting;
    private final Duration atMost;

    private Ban(int after, Duration within, Duration lasting, Duration atMost) {
        Ranges.range("after", after, 1, MAX_AFTER);
        Ranges.duration("within", within, Duration.ofMillis(1));
        Ranges.duration("atMost", atMost, Duration.ofMillis(1));
        Ranges.duration("lasting", lasting, Duration.ofMillis(1));
        if (lasting.compareTo(atMost) > 0) {
            throw new IllegalArgumentException("lasting must be at most atMost, which is " + atMost + ", was " + lasting
                    + ": make the first ban shorter, or the longest one longer");
        }

        this.after = after;
        this.within = within;
        this.lasting = lasting;
        this.atMost = atMost;
    }

    /** A ban after this many rejections within a minute, for 5 minutes at first and 1 day at most. */
    public static Ban after(int rejections) {
        return after(rejections, Duration.ofMinutes(1));
    }

    /** A ban after this many rejections in an interval of this length, for 5 minutes at first and 1 day at most. */
    public static Ban after(int rejections, Duration within) {
        return new Ban(rejections, within, Duration.ofMinutes(5), Duration.ofDays(1));
    }

    /** This ban with other lengths. */
    public Ban withLengths(Duration newLasting, Duration newAtMost) {
        return new Ban(after, within, newLasting, newAtMost);
    }

    public long withinMicros() {
        return Ranges.micros(within);
    }

    public long lastingMicros() {
        return Ranges.micros(lasting);
    }

    public long atMostMicros() {
        return Ranges.micros(atMost);
    }

    /** How many rejections, from 1 to 100. */
    public int after() {
        return after;
    }

    /** The length of the interval in which they are counted, from 1 ms to 1,000 days. */
    public Duration within() {
        return within;
    }

    /** The length of the first ban, from 1 ms to {@code atMost}. */
    public Duration lasting() {
        return lasting;
    }

    /** The longest ban, and the time without one after which a key has a good record, at most 1,000 days. */
    public Duration atMost() {
        return atMost;
    }

    @Override
    public Class<State> stateType() {
        return State.class;
    }

    @Override
    public long capacity() {
        return after;
    }

    /** The same: each instance bans whom it rejects itself. */
    @Override
    public Ban scaled(double share) {
        return this;
    }

    @Override
    public String keySuffix() {
        return ":ban";
    }

    @Override
    public Step<State> step(@Nullable State state, long nowMicros, Request request) {
        request.checkNoId(this);
        double now = nowMicros;
        State found = state == null ? State.NONE : state;
        State known = found.notAfter(now);
        boolean counts = request.action() == Request.Action.CHARGE && !known.bansAt(now);
        State changed = counts ? counted(known, now, request.permits()) : known;
        boolean banned = changed.bansAt(now);
        // A ban that was moved only in memory would move along with the clock.
        boolean save = counts || known.untilMicros != found.untilMicros && !request.isPeek();
        boolean granted = !banned || request.action() == Request.Action.REFUND;
        long retry = granted ? 0 : (long) Math.ceil(changed.untilMicros - now);
        long full = (long) Math.ceil(Math.max(0.0, goodAtMicros(changed) - now));
        return Step.of(
                save ? changed : state,
                Verdicts.of(granted, after, banned ? 0 : after, retry, full, counts && banned ? nowMicros : 0));
    }

    private State counted(State known, double now, long rejections) {
        List<Double> times = new ArrayList<>();
        for (double time : known.rejectedMicros) {
            if (time > now - withinMicros()) {
                times.add(time);
            }
        }
        if (times.size() + rejections < after) {
            times.addAll(Collections.nCopies((int) rejections, now));
            return new State(known.untilMicros, known.lengthMicros, times);
        }
        double before = now < known.untilMicros + atMostMicros() ? known.lengthMicros : 0.0;
        double length = Math.min(Math.max(2.0 * before, lastingMicros()), atMostMicros());
        return new State(now + length, length, List.of());
    }

    /** When a key is as if never rejected. */
    private double goodAtMicros(State state) {
        double afterBan = state.lengthMicros > 0.0 ? state.untilMicros + atMostMicros() : 0.0;
        List<Double> times = state.rejectedMicros;
        return times.isEmpty() ? afterBan : Math.max(afterBan, times.get(times.size() - 1) + withinMicros());
    }

    @Override
    public long lifetimeMillis(State state, long nowMicros) {
        return Ranges.lifetimeMillis(goodAtMicros(state) - nowMicros);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || other instanceof Ban that
                        && after == that.after
                        && within.equals(that.within)
                        && lasting.equals(that.lasting)
                        && atMost.equals(that.atMost);
    }

    @Override
    public int hashCode() {
        int hash = Integer.hashCode(after);
        hash = 31 * hash + within.hashCode();
        hash = 31 * hash + lasting.hashCode();
        hash = 31 * hash + atMost.hashCode();
        return hash;
    }

    @Override
    public String toString() {
        return "Ban[after=" + after + ", within=" + within + ", lasting=" + lasting + ", atMost=" + atMost + "]";
    }

    /**
     * The state of a {@link Ban}, with times in microseconds since the epoch.
     *
     * @param untilMicros when the last ban ends or has ended, or 0 if there was none
     * @param lengthMicros how long the last ban lasts, or has lasted
     * @param rejectedMicros when the requests since were rejected, the oldest first
     */
    public record State(
            @JsonProperty(required = true) double untilMicros,
            @JsonProperty(required = true) double lengthMicros,
            @JsonProperty(required = true) List<Double> rejectedMicros) {

        static final State NONE = new State(0, 0, List.of());

        public State {
            Objects.requireNonNull(rejectedMicros, "rejectedMicros");
            double earlier = 0.0;
            boolean valid = Ranges.isTime(untilMicros) && Ranges.isTime(lengthMicros);
            for (double time : rejectedMicros) {
                valid &= Ranges.isTime(time) && time >= earlier;
                earlier = time;
            }
            if (!valid) {
                throw new IllegalArgumentException("not a ban's state: untilMicros " + untilMicros + ", lengthMicros "
                        + lengthMicros + ", rejectedMicros " + rejectedMicros);
            }
            rejectedMicros = List.copyOf(rejectedMicros);
        }

        boolean bansAt(double nowMicros) {
            return untilMicros > nowMicros;
        }

        /** This state without times that lie in the future because the clock stepped back, or the same object if there are none. */
        private State notAfter(double nowMicros) {
            double until = Math.min(untilMicros, nowMicros + lengthMicros);
            int size = rejectedMicros.size();
            if (until == untilMicros && (size == 0 || rejectedMicros.get(size - 1) <= nowMicros)) {
                return this;
            }
            return new State(
                    until,
                    lengthMicros,
                    rejectedMicros.stream()
                            .map(time -> Math.min(time, nowMicros))
                            .toList());
        }
    }
}
