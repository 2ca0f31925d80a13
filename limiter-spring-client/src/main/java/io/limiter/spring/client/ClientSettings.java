package io.limiter.spring.client;

import io.limiter.algorithm.LimitKind;
import io.limiter.spring.internal.settings.LimitSettings;
import io.limiter.spring.internal.settings.SettingChecks;
import io.limiter.spring.settings.InvalidSettingException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

/**
 * Limits of the outgoing calls of one client, all or nothing.
 *
 * @param hosts Hosts whose calls are limited, such as api.example.com, localhost:8080 or *.example.com. If none is given, only
 *     clients built with the name are limited.
 * @param limits At least one by name, each with the settings of limiter.limits. A single one has the name of the client, several
 *     have it before their own: maps/day.
 * @param timeout How long a call waits for permits at most. With 0, it is rejected immediately.
 * @param pauseAtMost Longest pause of all calls that a response of the third party may request; 0 for none.
 * @param pauseStatuses Statuses of the responses that can request a pause, each from 400 to 599.
 * @param pauseHeaders Headers that say until when the calls pause. One with Reset in its name counts if the one with Remaining in its
 *     place is 0 or, for a 429, missing.
 * @param internal Whether a rejection that escapes from a controller answers 503 and stays out of the RateLimit headers. If not,
 *     it answers 429, as if the quota were the caller's.
 * @param enforce Whether it rejects calls. If not, it is in shadow mode: the log and the meters report rejections.
 */
record ClientSettings(
        @DefaultValue List<String> hosts,
        @DefaultValue Map<String, LimitSettings> limits,

        @DefaultValue("1s") @DurationUnit(ChronoUnit.SECONDS)
        Duration timeout,

        @DefaultValue("1m") @DurationUnit(ChronoUnit.SECONDS)
        Duration pauseAtMost,

        @DefaultValue({"403", "429", "503", "529"}) Set<Integer> pauseStatuses,

        @DefaultValue({
            "Retry-After",
            "Retry-After-Ms",
            "RateLimit",
            "RateLimit-Reset",
            "X-RateLimit-Reset",
            "X-RateLimit-Reset-After",
            "X-Rate-Limit-Reset"
        })
        List<String> pauseHeaders,

        @DefaultValue("true") boolean internal,
        @DefaultValue("true") boolean enforce) {

    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    ClientSettings {
        // The same order in all instances.
        limits = new TreeMap<>(limits);
    }

    /**
     * Checks that each setting is allowed.
     *
     * @param property with which the names of the settings start
     * @throws InvalidSettingException naming an invalid setting
     */
    void check(String property) {
        if (limits.isEmpty()) {
            throw new InvalidSettingException(
                    property, ".limits must have at least one limit, such as " + property + ".limits.second.rate=10");
        }
        SettingChecks.range(property + ".timeout", timeout, Duration.ZERO, SettingChecks.LONGEST);
        SettingChecks.range(property + ".pause-at-most", pauseAtMost, Duration.ZERO, SettingChecks.LONGEST);
        pauseStatuses.stream().filter(status -> status < 400 || status > 599).forEach(status -> {
            throw new InvalidSettingException(
                    property + ".pause-statuses",
                    " must be statuses from 400 to 599, such as 429,503, was " + status
                            + ": to have no pauses, set pause-at-most=0");
        });
        pauseHeaders.stream()
                .filter(name -> !HEADER_NAME.matcher(name).matches())
                .forEach(name -> {
                    throw new InvalidSettingException(
                            property + ".pause-headers",
                            " must be names of headers, such as Retry-After, was '" + name + "'");
                });
    }

    /**
     * Checks one of the limits, with its name in messages.
     *
     * @throws InvalidSettingException if a setting is out of its range, or has no effect on outgoing calls
     */
    void check(String property, LimitSettings limit) {
        set(property + ".timeout", limit.timeout(), "set timeout of the client");
        set(property + ".enforce", limit.enforce(), "set enforce of the client");
        set(property + ".internal", limit.internal(), "set internal of the client");
        set(property + ".plans", limit.plans(), "outgoing calls have no callers with plans, leave it out");
        set(property + ".ban", limit.ban(), "outgoing calls have no callers to ban, leave it out");
        if (limit.kind() == LimitKind.CONCURRENT) {
            throw new InvalidSettingException(
                    property + ".kind", " must be one of permits that are spent, such as token-bucket, was concurrent");
        }
        if (limits.size() > 1) {
            set(
                    property + ".prefetch-time",
                    limit.prefetchTime(),
                    "several limits are decided atomically in Redis, leave it out");
        }
        limit.check(property);
    }

    private static void set(String setting, @Nullable Object value, String remedy) {
        if (value != null) {
            throw new InvalidSettingException(setting, " has no effect on a client: " + remedy);
        }
    }
}
