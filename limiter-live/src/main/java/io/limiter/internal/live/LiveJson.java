package io.limiter.internal.live;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
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

    private static final JsonDeserializer<Duration> DURATION = new JsonDeserializer<>() {
        @Override
        public Duration deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Duration.parse(parser.getText());
        }
    };

    private static final ObjectMapper JSON = JsonMapper.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature(), true)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // A value of another type is a mistake: 1.9 and "1" are not 1.
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            // The name of a kind in configuration is its toString.
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
            // LiveSettings.isEmpty() is no setting.
            .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .addModule(new SimpleModule()
                    .addSerializer(Duration.class, ToStringSerializer.instance)
                    .addDeserializer(Duration.class, DURATION))
            .build();

    private static final Pattern STORED =
            Pattern.compile("(\\d{1,15}) (\\d{1,16}) (\\d{1,16}) (removed )?(.*)", Pattern.DOTALL);

    private LiveJson() {}

    /** A name as the field of a hash: as it is, if it is printable ASCII without quotes and backslashes. */
    static String field(String name) {
        String quoted = write(JSON.getNodeFactory().textNode(name));
        return quoted.substring(1, quoted.length() - 1);
    }

    /** The field of a name, or of one of its keys: control characters are escaped in both, so a tab separates them, and two if it is hashed. */
    static String field(String name, Optional<LiveKey> key) {
        return field(name)
                + key.map(each -> (each.hashed() ? "\t\t" : "\t") + field(each.value()))
                        .orElse("");
    }

    /** @throws IllegalArgumentException if no key has this field */
    private static Optional<LiveKey> key(String field) {
        int tab = field.indexOf('\t');
        if (tab < 0) {
            return Optional.empty();
        }
        boolean hashed = field.startsWith("\t", tab + 1);
        return Optional.of(new LiveKey(name(field.substring(hashed ? tab + 2 : tab + 1)), hashed));
    }

    private static String nameOf(String field) {
        int tab = field.indexOf('\t');
        return name(tab < 0 ? field : field.substring(0, tab));
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
        return write(json.set("settings", JSON.valueToTree(settings)));
    }

    static String note(String who, String why) {
        return write(noteOf(who, why));
    }

    private static ObjectNode noteOf(String who, String why) {
        return JSON.createObjectNode().put("who", who).put("why", why);
    }

    /**
     * The live limit of a field, as {@link #stored}.
     *
     * @param hash the key in Redis, for operators
     */
    static StoredLimit ofField(String hash, String field, String stored) {
        try {
            return stored(nameOf(field), key(field), stored);
        } catch (IllegalArgumentException e) {
            String problem = "no live limit has such a field; delete it: HDEL " + hash + " '" + field + "'";
            return unreadable(field, Optional.empty(), stored, 0, 0, problem);
        }
    }

    /**
     * A stored live limit.
     *
     * @return with {@link LiveSettings#NONE} if it was removed, and with a problem, too, if it cannot be read
     */
    static StoredLimit stored(String name, Optional<LiveKey> key, String stored) {
        Matcher parts = STORED.matcher(stored);
        if (!parts.matches()) {
            return unreadable(
                    name,
                    key,
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
                    key,
                    settings,
                    version,
                    instant(Long.parseLong(parts.group(2))),
                    expiresMicros == 0 ? Optional.empty() : Optional.of(instant(expiresMicros)),
                    json.path("who").asText(),
                    json.path("why").asText());
            return new StoredLimit(stored, limit, expiresMicros, removed, "");
        } catch (IllegalArgumentException e) {
            return unreadable(
                    name, key, stored, version, expiresMicros, replaceable(String.valueOf(e.getMessage()), version));
        }
    }

    private static String replaceable(String problem, long version) {
        return "this instance does not understand the live limit: " + problem
                + "; put another one, or remove it, with the expected version " + version;
    }

    private static StoredLimit unreadable(
            String name, Optional<LiveKey> key, String stored, long version, long expiresMicros, String problem) {
        LiveLimit limit = new LiveLimit(name, key, LiveSettings.NONE, version, Instant.EPOCH, Optional.empty(), "", "");
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
        String field = json.path(3).asText();
        String name = nameOf(field);
        Optional<LiveKey> key = key(field);
        JsonNode note = read(json.path(4).asText());
        String replaced = json.path(5).asText();
        Optional<StoredLimit> before = replaced.isEmpty() ? Optional.empty() : Optional.of(stored(name, key, replaced));
        StoredLimit after = stored(name, key, json.path(6).asText());
        LiveChange change = new LiveChange(
                Long.parseLong(json.path(0).asText()),
                name,
                key,
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

    /** A newer version of this library may have more settings; a part of them would be another limit. */
    private static LiveSettings settings(JsonNode json) {
        if (!json.isObject()) {
            return LiveSettings.NONE;
        }
        for (Iterator<Map.Entry<String, JsonNode>> all = json.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> setting = all.next();
            if (setting.getValue().asText().isBlank() || setting.getValue().isNull()) {
                throw cannotBe(setting.getKey(), setting.getValue(), null);
            }
        }
        try {
            return JSON.treeToValue(json, LiveSettings.class);
        } catch (UnrecognizedPropertyException e) {
            throw new IllegalArgumentException("it has no setting '" + e.getPropertyName() + "'", e);
        } catch (JsonMappingException e) {
            if (e.getPath().isEmpty()) {
                // Thrown by the settings themselves.
                Throwable why = e.getCause() == null ? e : e.getCause();
                throw new IllegalArgumentException(why.getMessage(), e);
            }
            String setting = e.getPath().get(0).getFieldName();
            throw cannotBe(setting, json.path(setting), e);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        }
    }

    private static IllegalArgumentException cannotBe(String setting, JsonNode value, @Nullable Throwable cause) {
        return new IllegalArgumentException(setting + " cannot be " + value, cause);
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
                .put("limiter", limit.limiter())
                .put("kind", limit.kind())
                .put("limit", limit.limit())
                .put("granted", limit.granted())
                .put("rejected", limit.rejected())
                .put("errors", limit.errors())
                .put("waits", limit.waits())
                .put("waitedNanos", limit.waited().toNanos())
                .put("notApplied", limit.notApplied());
        json.set("settings", JSON.valueToTree(limit.settings()));
        json.set("sources", JSON.valueToTree(limit.bySource()));
        ArrayNode hottest = json.putArray("hottest");
        limit.hottest().forEach(key -> hottest.addArray().add(key.key()).add(key.requests()));
        ArrayNode rejected = json.putArray("rejectedKeys");
        limit.rejectedKeys().forEach(key -> {
            ArrayNode entry = rejected.addArray().add(key.key()).add(key.rejections());
            key.last().forEach(at -> entry.add(at.toEpochMilli()));
        });
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
                .properties()
                .forEach(each -> sources.put(each.getKey(), each.getValue().asLong()));
        List<LimitReport.HotKey> hottest = new ArrayList<>();
        json.path("hottest")
                .forEach(key -> hottest.add(
                        new LimitReport.HotKey(key.path(0).asText(), key.path(1).asLong())));
        List<LimitReport.RejectedKey> rejected = new ArrayList<>();
        json.path("rejectedKeys").forEach(key -> {
            List<Instant> last = new ArrayList<>();
            for (int i = 2; i < key.size(); i++) {
                last.add(Instant.ofEpochMilli(key.get(i).asLong()));
            }
            rejected.add(new LimitReport.RejectedKey(
                    key.path(0).asText(), key.path(1).asLong(), last));
        });
        Map<Instant, LimitReport.Rate> past = new TreeMap<>();
        JsonNode rates = json.path("past");
        for (int i = 0; i + 2 < rates.size(); i += 3) {
            past.put(
                    Instant.ofEpochSecond(rates.get(i).asLong()),
                    new LimitReport.Rate(
                            rates.get(i + 1).asDouble(), rates.get(i + 2).asDouble()));
        }
        String name = json.path("name").asText();
        return new LimitReport(
                json.path("prefix").asText(),
                name,
                json.path("limiter").asText(name),
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
                rejected,
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

        String field() {
            return LiveJson.field(limit.name(), limit.key());
        }

        boolean isExpired(long nowMicros) {
            return expiresMicros != 0 && expiresMicros <= nowMicros;
        }

        /** Whether it sets something, until it expires. */
        boolean isSet() {
            return !removed && problem.isEmpty();
        }

        /** Whether Redis has it until it expires, also if it cannot be read. */
        boolean isStored(long nowMicros) {
            return !removed && !isExpired(nowMicros);
        }

        boolean isInEffect(long nowMicros) {
            return isSet() && !isExpired(nowMicros);
        }
    }

    /**
     * A change and how its result is stored.
     *
     * @param after the limit, or its removal
     */
    record StoredChange(LiveChange change, StoredLimit after) {}
}
