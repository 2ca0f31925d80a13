package io.limiter.live;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who changes a live limit, why, and for how long.
 */
public final class ChangeNote {

    private static final int MAX_WHO = 100;
    private static final int MAX_WHY = 500;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1000);

    private final String who;
    private final String why;
    private final @Nullable Duration expiresIn;

    private ChangeNote(String who, String why, @Nullable Duration expiresIn) {
        this.who = Objects.requireNonNull(who, "who");
        this.why = Objects.requireNonNull(why, "why");
        this.expiresIn = expiresIn;
        if (who.isBlank() || who.length() > MAX_WHO) {
            throw new IllegalArgumentException("who must have 1 to " + MAX_WHO + " characters, had "
                    + (who.isBlank() ? "none" : String.valueOf(who.length())));
        }
        if (why.length() > MAX_WHY) {
            throw new IllegalArgumentException("why must have at most " + MAX_WHY + " characters, had " + why.length());
        }
        if (expiresIn != null && (expiresIn.compareTo(SHORTEST) < 0 || expiresIn.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    "expiresIn must be between " + SHORTEST + " and " + LONGEST + ", was " + expiresIn);
        }
    }

    /** Who makes the change, from 1 to 100 characters. */
    public String who() {
        return who;
    }

    /** Why, at most 500 characters. */
    public String why() {
        return why;
    }

    /** The time after which the live limit ends by itself, from 1 s to 1,000 days, or {@code null} for never. */
    public @Nullable Duration expiresIn() {
        return expiresIn;
    }

    /** A change that stays until the next one. */
    public static ChangeNote of(String who, String why) {
        return new ChangeNote(who, why, null);
    }

    /** This note for a live limit that ends by itself. */
    public ChangeNote withExpiry(@Nullable Duration newExpiresIn) {
        return new ChangeNote(who, why, newExpiresIn);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChangeNote that
                && who.equals(that.who)
                && why.equals(that.why)
                && Objects.equals(expiresIn, that.expiresIn);
    }

    @Override
    public int hashCode() {
        return Objects.hash(who, why, expiresIn);
    }

    @Override
    public String toString() {
        return "ChangeNote[who=" + who + ", why=" + why + ", expiresIn=" + expiresIn + "]";
    }
}
