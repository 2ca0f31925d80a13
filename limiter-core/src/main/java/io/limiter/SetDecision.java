package io.limiter;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The decision of a {@link LimitSet}. An immutable value with {@code equals}. */
public final class SetDecision {

    /** The decision of one limit of the set. An immutable value with {@code equals}. */
    public static final class OfPart {

        private final Limiter limiter;
        private final Decision decision;

        private OfPart(Limiter limiter, Decision decision) {
            Objects.requireNonNull(limiter, "limiter");
            Objects.requireNonNull(decision, "decision");

            this.limiter = limiter;
            this.decision = decision;
        }

        /**
         * @param limiter a limiter of the set, or its view of a key
         * @param decision the decision of that limiter
         */
        public static OfPart of(Limiter limiter, Decision decision) {
            return new OfPart(limiter, decision);
        }

        /** A limiter of the set, or its view of a key. */
        public Limiter limiter() {
            return limiter;
        }

        /** The decision of that limiter. */
        public Decision decision() {
            return decision;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other
                    || other instanceof OfPart that && limiter.equals(that.limiter) && decision.equals(that.decision);
        }

        @Override
        public int hashCode() {
            int hash = limiter.hashCode();
            hash = 31 * hash + decision.hashCode();
            return hash;
        }

        @Override
        public String toString() {
            return "OfPart[limiter=" + limiter + ", decision=" + decision + "]";
        }
    }

    private final List<OfPart> parts;

    private SetDecision(List<OfPart> parts) {
        parts = List.copyOf(Objects.requireNonNull(parts, "parts"));
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a decision must have at least one part");
        }

        this.parts = parts;
    }

    /**
     * A decision of these parts.
     *
     * @throws IllegalArgumentException if there are none
     */
    public static SetDecision of(List<OfPart> parts) {
        return new SetDecision(parts);
    }

    /**
     * The decisions of the limits, in the order of the set. If all grant, the permits are taken from all of them. Otherwise nothing is taken,
     * and the decision of a limit that grants is the one that it would have made. A rejection from the rejection cache has only the limits that
     * are known to reject.
     */
    public List<OfPart> parts() {
        return parts;
    }

    /** Whether all parts granted, so that the permits are taken. */
    public boolean isGranted() {
        return parts.stream().allMatch(part -> part.decision().isGranted());
    }

    /** The name of the limiter that rejected, or of the one with the longest retry-after if several did. Empty if granted. */
    public Optional<String> rejectedBy() {
        return rejection().map(rejection -> rejection.limiter().name());
    }

    /** The part that rejected, or the first one with the longest retry-after if several did. Empty if granted. */
    public Optional<OfPart> rejection() {
        return parts.stream()
                .filter(part -> !part.decision().isGranted())
                .max(Comparator.comparingLong((OfPart part) -> part.decision().retryAfterMicros())
                        .thenComparing(
                                Comparator.<OfPart>comparingInt(parts::indexOf).reversed()));
    }

    /**
     * Combines the parts into one decision. It has the longest wait, retry-after and full-after of all parts. The limit, the source and the
     * remaining permits are those of the part that rejected, or, if granted, of the part with the fewest remaining permits.
     */
    public Decision decision() {
        Decision tightest = rejection()
                .orElseGet(() -> parts.stream()
                        .min(Comparator.comparingLong(part -> part.decision().remaining()))
                        .orElseThrow())
                .decision();
        return new Decision(
                isGranted(),
                tightest.limit(),
                tightest.remaining(),
                longest(Comparator.comparingLong(Decision::waitMicros)).waitMicros(),
                longest(Comparator.comparingLong(Decision::retryAfterMicros)).retryAfterMicros(),
                longest(Comparator.comparingLong(Decision::fullAfterMicros)).fullAfterMicros(),
                tightest.periodEndMicros(),
                tightest.source());
    }

    private Decision longest(Comparator<Decision> by) {
        return parts.stream().map(OfPart::decision).max(by).orElseThrow();
    }

    /** How long the caller of a granted request waits, which is the longest wait of all parts. */
    public Duration timeToWait() {
        return decision().timeToWait();
    }

    /** As {@link Decision#retryAfter()}, the longest of all parts. */
    public Optional<Duration> retryAfter() {
        return decision().retryAfter();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof SetDecision that && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    @Override
    public String toString() {
        return "SetDecision[parts=" + parts + "]";
    }
}
