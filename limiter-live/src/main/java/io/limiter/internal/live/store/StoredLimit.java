package io.limiter.internal.live.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A live limit and how it is stored: {@code version since expires json}, the times in microseconds since the epoch and 0 for never, so
 * that Lua need not parse the JSON; after it was removed, {@code version since until removed note}.
 *
 * @param stored the value in Redis
 * @param limit with {@link LiveSettings#NONE} if it was removed or cannot be read
 * @param expiresMicros when it expires, in microseconds since the epoch; 0 for never
 * @param removed whether it was removed, and is kept so that an older copy does not bring it back
 * @param problem why it cannot be read; empty if it can
 * @param newer whether it cannot because a newer version of this library has written it
 */
public record StoredLimit(
        String stored, LiveLimit limit, long expiresMicros, boolean removed, String problem, boolean newer) {

    private static final Pattern STORED =
            Pattern.compile("(\\d{1,15}) (\\d{1,16}) (\\d{1,16}) (removed )?(.*)", Pattern.DOTALL);

    /** A live limit without version and times. */
    public static String encode(LiveSettings settings, ChangeNote note) {
        ObjectNode json = Json.formatted().put("who", note.who()).put("why", note.why());
        return Json.write(json.set("settings", Json.of(settings)));
    }

    /** Who made a change, and why. */
    public static String note(String who, String why) {
        return Json.write(Json.object().put("who", who).put("why", why));
    }

    /**
     * The live limit of a field, as {@link #parse}.
     *
     * @param hash the key in Redis, for operators
     */
    public static StoredLimit ofField(String hash, String field, String stored) {
        try {
            return parse(Fields.name(field), Fields.key(field), stored);
        } catch (IllegalArgumentException e) {
            String problem = "no live limit has such a field; delete it: HDEL " + hash + " '" + field + "'";
            return unreadable(field, Optional.empty(), stored, 0, 0, problem, false);
        }
    }

    /**
     * A stored live limit, with a problem if it cannot be read.
     */
    public static StoredLimit parse(String name, Optional<LiveKey> key, String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return unreadable(
                    name,
                    key,
                    stored,
                    0,
                    0,
                    replaceable("it does not start with a version of at most 15 digits and times", 0),
                    false);
        }
        long version = Long.parseLong(parts.group(1));
        long expiresMicros = Long.parseLong(parts.group(3));
        boolean removed = parts.group(4) != null;
        try {
            JsonNode json = Json.read(parts.group(5));
            if (Json.isNewer(json)) {
                String problem = Json.newer(json) + ": update it; until then it leaves the live limit as it is";
                return unreadable(name, key, stored, version, expiresMicros, problem, true);
            }
            LiveSettings settings = removed ? LiveSettings.NONE : Json.settings(json.path("settings"));
            if (!removed && settings.isEmpty()) {
                throw new IllegalArgumentException("it sets nothing");
            }
            LiveLimit limit = LiveLimit.of(
                    name,
                    key,
                    settings,
                    version,
                    Micros.toInstant(Long.parseLong(parts.group(2))),
                    expiresMicros == 0 ? Optional.empty() : Optional.of(Micros.toInstant(expiresMicros)),
                    json.path("who").asText(),
                    json.path("why").asText());
            return new StoredLimit(stored, limit, expiresMicros, removed, "", false);
        } catch (IllegalArgumentException e) {
            String problem = replaceable(String.valueOf(e.getMessage()), version);
            return unreadable(name, key, stored, version, expiresMicros, problem, false);
        }
    }

    private static String replaceable(String problem, long version) {
        return "this instance does not understand the live limit: " + problem
                + "; put another one, or remove it, with the expected version " + version;
    }

    private static StoredLimit unreadable(
            String name,
            Optional<LiveKey> key,
            String stored,
            long version,
            long expiresMicros,
            String problem,
            boolean newer) {
        LiveLimit limit = LiveLimit.of(name, key, LiveSettings.NONE, version, Instant.EPOCH, Optional.empty(), "", "");
        return new StoredLimit(stored, limit, expiresMicros, false, problem, newer);
    }

    public String field() {
        return Fields.of(limit.name(), limit.key());
    }

    public boolean isExpired(long nowMicros) {
        return expiresMicros != 0 && expiresMicros <= nowMicros;
    }

    /** Whether it sets something, until it expires. */
    public boolean isSet() {
        return !removed && problem.isEmpty();
    }

    /** Whether Redis has it until it expires, also if it cannot be read. */
    public boolean isStored(long nowMicros) {
        return !removed && !isExpired(nowMicros);
    }

    public boolean isInEffect(long nowMicros) {
        return isSet() && !isExpired(nowMicros);
    }
}
