package io.limiter.internal.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.live.OnFailure;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of live limits and reports.
 *
 * <p>A live limit is {@code version since expires json}, the times in microseconds since the epoch and 0 for never, so that
 * Lua need not parse the JSON; after it was removed, {@code version since until removed note}. A change is a JSON array of
 * strings: version, stamp, time, name, note, and the limits before and after. All is ASCII: names and notes may hold any text,
 * and UTF-8 has no unpaired surrogates.
 */
final class LiveJson {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature(), true)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final Pattern STORED =
            Pattern.compile("(\\d{1,15}) (\\d{1,16}) (\\d{1,16}) (removed )?(.*)", Pattern.DOTALL);

    private LiveJson() {}

    /** A name as the field of a hash: as it is, if it is printable ASCII without quotes and backslashes. */
    static String field(String name) {
        String quoted = write(JSON.getNodeFactory().textNode(name));
        return quoted.substring(1, quoted.length() - 1);
    }

    /** @throws IllegalArgumentException if no name has this field */
    static String name(String field) {
        String name = read('"' + field + '"').asText();
        if (!field(name).equals(field)) {
            throw new IllegalArgumentException("no name is written like this");
        }
        return name;
    }

    /** A stored live limit without version and times. */
    static String limit(LiveSettings settings, ChangeNote note) {
        ObjectNode json = noteOf(note.who(), note.why());
        json.set("settings", settings(settings));
        return write(json);
    }

    static String note(String who, String why) {
        return write(noteOf(who, why));
    }

    private static ObjectNode noteOf(String who, String why) {
        return JSON.createObjectNode().put("who", who).put("why", why);
    }

    /** The live limit of a field, as {@link #stored}. */
    static StoredLimit ofField(String field, String stored) {
        try {
            return stored(name(field), stored);
        } catch (IllegalArgumentException e) {
            String problem = "no live limit has such a field; delete it: HDEL " + LiveStore.LIMITS + " '" + field + "'";
            return unreadable(field, stored, 0, 0, problem);
        }
    }

    /**
     * A stored live limit.
     *
     * @return with {@link LiveSettings#NONE} if it was removed, and with a problem, too, if it cannot be read
     */
    static StoredLimit stored(String name, String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return unreadable(
                    name,
                    stored,
                    0,
                    0,
                    replaceable("it does not start with a version of at most 15 digits and times", 0));
        }
        long version = Long.parseLong(parts.group(1));
        long expiresMicros = Long.parseLong(parts.group(3));
        boolean removed = parts.group(4) != null;
        try {
            JsonNode json = read(parts.group(5));
            LiveSettings settings = removed ? LiveSettings.NONE : settings(json.path("settings"));
            if (!removed && settings.isEmpty()) {
                throw new IllegalArgumentException("it sets nothing");
            }
            LiveLimit limit = new LiveLimit(
                    name,
                    settings,
                    version,
                    instant(Long.parseLong(parts.group(2))),
                    expiresMicros == 0 ? Optional.empty() : Optional.of(instant(expiresMicros)),
                    json.path("who").asText(),
                    json.path("why").asText());
            return new StoredLimit(stored, limit, expiresMicros, removed, "");
        } catch (IllegalArgumentException | DateTimeParseException e) {
            return unreadable(
                    name, stored, version, expiresMicros, replaceable(String.valueOf(e.getMessage()), version));
        }
    }

    private static String replaceable(String problem, long version) {
        return "this instance does not understand the live limit: " + problem
                + "; put another one, or remove it, with the expected version " + version;
    }

    private static StoredLimit unreadable(
            String name, String stored, long version, long expiresMicros, String problem) {
        LiveLimit limit = new LiveLimit(name, LiveSettings.NONE, version, Instant.EPOCH, Optional.empty(), "", "");
        return new StoredLimit(stored, limit, expiresMicros, false, problem);
    }

    /**
     * An entry of the history.
     *
     * @throws IllegalArgumentException if it cannot be read; the limits before and after may have problems of their own
     */
    static StoredChange change(String entry) {
        JsonNode json = read(entry);
        if (json.size() != 7) {
            throw new IllegalArgumentException("it is no change of a live limit");
        }
        String name = name(json.path(3).asText());
        JsonNode note = read(json.path(4).asText());
        String replaced = json.path(5).asText();
        Optional<StoredLimit> before = replaced.isEmpty() ? Optional.empty() : Optional.of(stored(name, replaced));
        StoredLimit after = stored(name, json.path(6).asText());
        LiveChange change = new LiveChange(
                Long.parseLong(json.path(0).asText()),
                name,
                before.map(StoredLimit::limit),
                after.isSet() ? Optional.of(after.limit()) : Optional.empty(),
                instant(Long.parseLong(json.path(2).asText())),
                note.path("who").asText(),
                note.path("why").asText());
        return new StoredChange(change, after);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    private static ObjectNode settings(LiveSettings settings) {
        ObjectNode json = JSON.createObjectNode();
        put(json, "kind", settings.kind());
        put(json, "rate", settings.rate());
        put(json, "capacity", settings.capacity());
        put(json, "burst", settings.burst());
        put(json, "limit", settings.limit());
        put(json, "period", settings.period());
        put(json, "timeout", settings.timeout());
        put(json, "enforce", settings.enforce());
        put(json, "failurePolicy", settings.failurePolicy());
        put(json, "failureShare", settings.failureShare());
        return json;
    }

    /** Durations and names as text. */
    private static void put(ObjectNode json, String name, @Nullable Object value) {
        if (value instanceof Number || value instanceof Boolean) {
            json.putPOJO(name, value);
        } else if (value != null) {
            json.put(name, value.toString());
        }
    }

    /** A newer version of this library may have more settings; a part of them would be another limit. */
    private static LiveSettings settings(JsonNode json) {
        LiveSettings settings = LiveSettings.NONE;
        for (Iterator<Map.Entry<String, JsonNode>> all = json.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> each = all.next();
            settings = switch (each.getKey()) {
                case "kind" -> settings.kind(LiveKind.of(text(each)));
                case "rate" -> settings.rate(number(each));
                case "capacity" -> settings.capacity(number(each));
                case "burst" -> settings.burst(Duration.parse(text(each)));
                case "limit" -> settings.limit(whole(each));
                case "period" -> settings.period(Duration.parse(text(each)));
                case "timeout" -> settings.timeout(Duration.parse(text(each)));
                case "enforce" -> settings.enforce(flag(each));
                case "failurePolicy" -> settings.failurePolicy(OnFailure.valueOf(text(each)));
                case "failureShare" -> settings.failureShare(number(each));
                default -> throw new IllegalArgumentException("it has no setting '" + each.getKey() + "'");
            };
        }
        return settings;
    }

    private static String text(Map.Entry<String, JsonNode> setting) {
        return checked(setting, setting.getValue().isTextual(), "a text").asText();
    }

    private static double number(Map.Entry<String, JsonNode> setting) {
        return checked(setting, setting.getValue().isNumber(), "a number").asDouble();
    }

    private static int whole(Map.Entry<String, JsonNode> setting) {
        JsonNode value = setting.getValue();
        return checked(
                        setting,
                        value.isIntegralNumber() && value.canConvertToInt(),
                        "a whole number of at most " + Integer.MAX_VALUE)
                .asInt();
    }

    private static boolean flag(Map.Entry<String, JsonNode> setting) {
        return checked(setting, setting.getValue().isBoolean(), "true or false").asBoolean();
    }

    private static JsonNode checked(Map.Entry<String, JsonNode> setting, boolean fits, String allowed) {
        if (!fits) {
            throw new IllegalArgumentException(
                    setting.getKey() + " must be " + allowed + ", was " + setting.getValue());
        }
        return setting.getValue();
    }

    /** A report without its time, which Redis adds. */
    static String report(InstanceReport report) {
        ObjectNode json = JSON.createObjectNode()
                .put("instance", report.instance())
                .put("version", report.liveVersion())
                .put("backend", report.backendState());
        ArrayNode limits = json.putArray("limits");
        report.limits().forEach(limit -> limits.add(limit(limit)));
        return write(json);
    }

    private static ObjectNode limit(LimitReport limit) {
        ObjectNode json = JSON.createObjectNode()
                .put("prefix", limit.prefix())
                .put("name", limit.name())
                .put("kind", limit.kind())
                .put("limit", limit.limit())
                .put("granted", limit.granted())
                .put("rejected", limit.rejected())
                .put("errors", limit.errors())
                .put("waits", limit.waits())
                .put("waitedNanos", limit.waited().toNanos())
                .put("notApplied", limit.notApplied());
        json.set("settings", settings(limit.settings()));
        ObjectNode sources = json.putObject("sources");
        limit.bySource().forEach(sources::put);
        ArrayNode hottest = json.putArray("hottest");
        limit.hottest().forEach(key -> hottest.addArray().add(key.key()).add(key.requests()));
        if (!limit.past().isEmpty()) {
            ArrayNode past = json.putArray("past");
            limit.past()
                    .forEach((start, rate) ->
                            past.add(start.getEpochSecond()).add(rate.granted()).add(rate.rejected()));
        }
        return json;
    }

    /**
     * @param report the time and the report
     * @throws IllegalArgumentException if it cannot be read, for example because an instance of another version has written it
     */
    static InstanceReport report(String report) {
        String[] parts = report.split(" ", 2);
        JsonNode json = read(parts[parts.length - 1]);
        if (!json.isObject()) {
            throw new IllegalArgumentException("it has no time and JSON object");
        }
        List<LimitReport> limits = new ArrayList<>();
        try {
            json.path("limits").forEach(limit -> limits.add(limit(limit)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return new InstanceReport(
                json.path("instance").asText(),
                instant(Long.parseLong(parts[0])),
                json.path("version").asLong(),
                json.path("backend").asText(),
                limits);
    }

    private static LimitReport limit(JsonNode json) {
        Map<String, Long> sources = new TreeMap<>();
        json.path("sources")
                .fields()
                .forEachRemaining(
                        each -> sources.put(each.getKey(), each.getValue().asLong()));
        List<LimitReport.HotKey> hottest = new ArrayList<>();
        json.path("hottest")
                .forEach(key -> hottest.add(
                        new LimitReport.HotKey(key.path(0).asText(), key.path(1).asLong())));
        Map<Instant, LimitReport.Rate> past = new TreeMap<>();
        JsonNode rates = json.path("past");
        for (int i = 0; i + 2 < rates.size(); i += 3) {
            past.put(
                    Instant.ofEpochSecond(rates.get(i).asLong()),
                    new LimitReport.Rate(
                            rates.get(i + 1).asDouble(), rates.get(i + 2).asDouble()));
        }
        return new LimitReport(
                json.path("prefix").asText(),
                json.path("name").asText(),
                json.path("kind").asText(),
                json.path("limit").asText(),
                settings(json.path("settings")),
                json.path("granted").asLong(),
                json.path("rejected").asLong(),
                json.path("errors").asLong(),
                json.path("waits").asLong(),
                Duration.ofNanos(json.path("waitedNanos").asLong()),
                sources,
                hottest,
                json.path("notApplied").asText(),
                past);
    }

    private static String write(JsonNode json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            // A tree of strings and numbers can always be written.
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * A live limit and how it is stored.
     *
     * @param stored the value in Redis
     * @param expiresMicros when it expires, in microseconds since the epoch; 0 for never
     * @param removed whether it was removed, and is kept so that an older copy does not bring it back
     * @param problem why it cannot be read; empty if it can
     */
    record StoredLimit(String stored, LiveLimit limit, long expiresMicros, boolean removed, String problem) {

        boolean isExpired(long nowMicros) {
            return expiresMicros != 0 && expiresMicros <= nowMicros;
        }

        /** Whether it sets something, until it expires. */
        boolean isSet() {
            return !removed && problem.isEmpty();
        }
    }

    /**
     * A change and how its result is stored.
     *
     * @param after the limit, or its removal
     */
    record StoredChange(LiveChange change, StoredLimit after) {}
}
