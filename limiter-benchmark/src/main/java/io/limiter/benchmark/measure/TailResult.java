package io.limiter.benchmark.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Latencies of a contender at one rate of requests.
 *
 * @param contender its name
 * @param kind the rate, and whether this JVM was paused
 * @param perSecond requests
 * @param rounds one for each
 */
public record TailResult(String contender, Kind kind, double perSecond, List<Latency> rounds) {

    /** A rate, as a share of the one at which the floor is saturated. */
    public enum Kind {
        FIFTH(0.2, false),
        HALF(0.5, false),
        /** With one pause of this JVM. */
        PAUSED(0.2, true);

        /** How long the JVM is paused. */
        public static final int PAUSE_MILLIS = 150;

        private final double share;
        private final boolean paused;

        Kind(double share, boolean paused) {
            this.share = share;
            this.paused = paused;
        }

        public double share() {
            return share;
        }

        boolean paused() {
            return paused;
        }
    }

    /** A figure of each round. */
    public Spread spread(ToDoubleFunction<Latency> figure) {
        return Spread.of(rounds.stream().mapToDouble(figure));
    }
}
