package io.limiter.internal.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
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
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of live limits and reports.
 *
 * <p>A live limit is {@code version since expires json}, the times in microseconds since the epoch and 0 for never, so that
 * Lua need not parse the JSON. A change is a JSON array of strings: version, stamp, time, name, note, and the limits before and
 * after. All is ASCII: names and notes may hold any text, and UTF-8 has no unpaired surrogates.
 */
final class LiveJson {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature(), true)
            .build();

    private static final int PARTS = 4;
    private static final Pattern STORED = Pattern.compile("\\d{1,16} \\d{1,16} \\d{1,16} ");

    private LiveJson() {}

    /** A name as the field of a hash: as it is, if it is printable ASCII without quotes and backslashes. */
    static String field(String name) {
        String quoted = write(JSON.getNodeFactory().textNode(name));
        return quoted.substring(1, quoted.length() - 1);
    }

    static String name(String field) {
        return read('"' + field + '"').asText();
    }

    /** A stored live limit without version and times. */
    static String limit(LiveSettings settings, ChangeNote note) {
        ObjectNode json = noteOf(note);
        json.set("settings", settings(settings));
        return write(json);
    }

    static String note(ChangeNote note) {
        return write(noteOf(note));
    }

    private static ObjectNode noteOf(ChangeNote note) {
        return JSON.createObjectNode().put("who", note.who()).put("why", note.why());
    }

    /**
     * A stored live limit.
     *
     * @return with {@link LiveSettings#NONE} and a problem if this instance does not understand the settings
     */
    static StoredLimit stored(String name, String stored) {
        if (!STORED.matcher(stored).lookingAt()) {
            LiveLimit unreadable = new LiveLimit(name, LiveSettings.NONE, 0, Instant.EPOCH, Optional.empty(), "", "");
            return new StoredLimit(stored, unreadable, 0, "this instance does not understand the live limit");
        }
        String[] parts = stored.split(" ", PARTS);
        long version = Long.parseLong(parts[0]);
        long expiresMicros = Long.parseLong(parts[2]);
        LiveSettings settings = LiveSettings.NONE;
        String who = "";
        String why = "";
        String problem = "";
        try {
            JsonNode json = read(parts[PARTS - 1]);
            who = json.path("who").asText();
            why = json.path("why").asText();
            settings = settings(json.path("settings"));
        } catch (IllegalArgumentException | DateTimeParseException e) {
            problem = "this instance does not understand the live limit: " + e.getMessage();
        }
        LiveLimit limit = new LiveLimit(
                name,
                settings,
                version,
                instant(Long.parseLong(parts[1])),
                expiresMicros == 0 ? Optional.empty() : Optional.of(instant(expiresMicros)),
                who,
                why);
        return new StoredLimit(stored, limit, expiresMicros, problem);
    }

    /** An entry of the history. */
    static StoredChange change(String entry) {
        JsonNode json = read(entry);
        String name = name(json.path(3).asText());
        JsonNode note = read(json.path(4).asText());
        Function<Integer, @Nullable StoredLimit> limit =
                at -> json.path(at).asText().isEmpty()
                        ? null
                        : stored(name, json.path(at).asText());
        StoredLimit before = limit.apply(5);
        StoredLimit after = limit.apply(6);
        LiveChange change = new LiveChange(
                json.path(0).asLong(),
                name,
                Optional.ofNullable(before).map(StoredLimit::limit),
                Optional.ofNullable(after).map(StoredLimit::limit),
                instant(json.path(2).asLong()),
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
        if (settings.rate() != null) {
            json.put("rate", settings.rate());
        }
        if (settings.capacity() != null) {
            json.put("capacity", settings.capacity());
        }
        put(json, "burst", settings.burst());
        if (settings.limit() != null) {
            json.put("limit", settings.limit());
        }
        put(json, "period", settings.period());
        put(json, "timeout", settings.timeout());
        if (settings.enforce() != null) {
            json.put("enforce", settings.enforce());
        }
        put(json, "failurePolicy", settings.failurePolicy());
        if (settings.failureShare() != null) {
            json.put("failureShare", settings.failureShare());
        }
        return json;
    }

    private static void put(ObjectNode json, String name, @Nullable Object value) {
        if (value != null) {
            json.put(name, value.toString());
        }
    }

    /** A newer version of this library may have more settings; a part of them would be another limit. */
    private static LiveSettings settings(JsonNode json) {
        LiveSettings settings = LiveSettings.NONE;
        for (Iterator<Map.Entry<String, JsonNode>> all = json.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> each = all.next();
            JsonNode value = each.getValue();
            settings = switch (each.getKey()) {
                case "kind" -> settings.kind(LiveKind.of(value.asText()));
                case "rate" -> settings.rate(value.asDouble());
                case "capacity" -> settings.capacity(value.asDouble());
                case "burst" -> settings.burst(Duration.parse(value.asText()));
                case "limit" -> settings.limit(value.asInt());
                case "period" -> settings.period(Duration.parse(value.asText()));
                case "timeout" -> settings.timeout(Duration.parse(value.asText()));
                case "enforce" -> settings.enforce(value.asBoolean());
                case "failurePolicy" -> settings.failurePolicy(OnFailure.valueOf(value.asText()));
                case "failureShare" -> settings.failureShare(value.asDouble());
                default -> throw new IllegalArgumentException("it has no setting '" + each.getKey() + "'");
            };
        }
        return settings;
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
        return json;
    }

    /**
     * @param report the time and the report
     * @throws IllegalArgumentException if an instance of another version has written it
     */
    static InstanceReport report(String report) {
        int space = report.indexOf(' ');
        JsonNode json = read(report.substring(space + 1));
        List<LimitReport> limits = new ArrayList<>();
        json.path("limits").forEach(limit -> limits.add(limit(limit)));
        return new InstanceReport(
                json.path("instance").asText(),
                instant(Long.parseLong(report.substring(0, space))),
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
                json.path("notApplied").asText());
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
     * @param problem why its settings are not understood; empty if they are
     */
    record StoredLimit(String stored, LiveLimit limit, long expiresMicros, String problem) {

        boolean isExpired(long nowMicros) {
            return expiresMicros != 0 && expiresMicros <= nowMicros;
        }
    }

    /**
     * A change and how its result is stored.
     *
     * @param after {@code null} if the change removed it
     */
    record StoredChange(LiveChange change, @Nullable StoredLimit after) {}
}
