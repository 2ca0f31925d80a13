package io.limiter.spring.internal.settings;

import io.limiter.algorithm.Ban;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.convert.DurationUnit;

/**
 * The ban of a limit in configuration.
 *
 * @param after how many rejections of a key ban it, from 1 to 100
 * @param within the interval in which they are counted; a minute if not set
 * @param lasting how long the first ban lasts, and each further one twice as long as the one before; 5 minutes if not set
 * @param atMost the longest ban, and the time without one after which the first length applies again; a day if not set
 */
public record BanSettings(
        @Nullable Integer after,
        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration within,

        @Name("for") @DurationUnit(ChronoUnit.SECONDS) @Nullable
        Duration lasting,

        @DurationUnit(ChronoUnit.SECONDS) @Nullable Duration atMost) {

    /**
     * The ban of these settings.
     *
     * @param property what their names start with, such as {@code limiter.limits.login.ban}
     * @throws InvalidSettingException naming the setting that is missing or out of range
     */
    Ban toBan(String property) {
        if (after == null) {
            throw new InvalidSettingException(
                    property, ".after must be set, such as " + property + ".after=10 for a ban after 10 rejections");
        }
        Duration shortest = Duration.ofMillis(1);
        SettingChecks.range(property + ".after", after, 1, Ban.MAX_AFTER);
        SettingChecks.range(property + ".within", within, shortest, SettingChecks.LONGEST);
        SettingChecks.range(property + ".at-most", atMost, shortest, SettingChecks.LONGEST);
        Ban usual = within == null ? Ban.after(after) : Ban.after(after, within);
        Duration longest = atMost == null ? usual.atMost() : atMost;
        if (lasting != null && longest.compareTo(lasting) < 0) {
            throw new InvalidSettingException(
                    property + ".for",
                    " must be at most " + property + ".at-most, which is " + longest + ", was " + lasting
                            + ": set a shorter one, or a longer " + property + ".at-most");
        }
        SettingChecks.range(property + ".for", lasting, shortest, longest);
        Duration first = lasting != null ? lasting : longest.compareTo(usual.lasting()) < 0 ? longest : usual.lasting();
        return usual.withLengths(first, longest);
    }
}
