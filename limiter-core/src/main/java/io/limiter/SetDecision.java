package io.limiter;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The decision of a {@link LimitSet}.
 *
 * @param parts what the limits decided, in the order of the set. If all grant, the permits are taken from all of them;
 *     otherwise nothing is taken, and a limit that grants says what it would have granted. A rejection by the rejection
 *     cache has only the limits that are known to reject
 */
public record SetDecision(List<OfPart> parts) {

    /**
     * @param limiter one of the set's, or its view of a key
     * @param decision what it decided
     */
    public record OfPart(Limiter limiter, Decision decision) {

        public OfPart {
            Objects.requireNonNull(limiter, "limiter");
            Objects.requireNonNull(decision, "decision");
        }
    }

    /**
     * @throws IllegalArgumentException if there are no parts
     */
    public SetDecision {
        parts = List.copyOf(Objects.requireNonNull(parts, "parts"));
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a decision must have at least one part");
        }
    }

    /** Whether all parts granted, so that the permits are taken. */
    public boolean isGranted() {
        return parts.stream().allMatch(part -> part.decision().isGranted());
    }

    /** The name of the limiter that rejected, of several the one with the longest retry-after; empty if granted. */
    public Optional<String> rejectedBy() {
        return rejection().map(rejection -> rejection.limiter().name());
    }

    /** The part that rejected, of several the one with the longest retry-after, then the first; empty if granted. */
    public Optional<OfPart> rejection() {
        return parts.stream()
                .filter(part -> !part.decision().isGranted())
                .max(Comparator.comparingLong((OfPart part) -> part.decision().retryAfterMicros())
                        .thenComparing(
                                Comparator.<OfPart>comparingInt(parts::indexOf).reversed()));
    }

    /**
     * Combines the parts into one decision: the longest wait, retry-after and full-after of all parts, with the limit,
     * the source and what remains of the part that rejected, or, if granted, of the one with the fewest remaining.
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
                tightest.source());
    }

    private Decision longest(Comparator<Decision> by) {
        return parts.stream().map(OfPart::decision).max(by).orElseThrow();
    }

    /** How long the caller of a granted request waits; the longest of all parts. */
    public Duration timeToWait() {
        return decision().timeToWait();
    }

    /** As {@link Decision#retryAfter()}; the longest of all parts. */
    public Optional<Duration> retryAfter() {
        return decision().retryAfter();
    }
}
