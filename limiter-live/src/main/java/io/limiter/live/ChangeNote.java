package io.limiter.live;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who changes a live limit, why, and for how long.
 *
 * @param who from 1 to 100 characters
 * @param why at most 500 characters
 * @param expiresIn after which the live limit ends by itself, from 1 s to 1,000 days; {@code null} for never
 */
public record ChangeNote(String who, String why, @Nullable Duration expiresIn) {

    private static final int MAX_WHO = 100;
    private static final int MAX_WHY = 500;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1000);

    public ChangeNote {
        Objects.requireNonNull(who, "who");
        Objects.requireNonNull(why, "why");
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

    /** A change that stays until the next one. */
    public static ChangeNote of(String who, String why) {
        return new ChangeNote(who, why, null);
    }

    /** This note for a live limit that ends by itself. */
    public ChangeNote withExpiry(@Nullable Duration newExpiresIn) {
        return new ChangeNote(who, why, newExpiresIn);
    }
}
