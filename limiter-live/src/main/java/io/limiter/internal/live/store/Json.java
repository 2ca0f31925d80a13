package io.limiter.internal.live.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.limiter.live.LiveSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The JSON that Redis has. All is ASCII: names and notes may hold any text, and UTF-8 has no unpaired surrogates. Settings are those of
 * {@link LiveSettings}, by name.
 */
final class Json {

    /**
     * The format of live limits and of reports that this version writes, and the newest that it reads. It grows with each change that
     * instances of an older version would misunderstand.
     */
    static final int FORMAT = 1;

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature(), true)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ObjectNode formatted() {
        return object().put("format", FORMAT);
    }

    /** Whether a newer version has written it. What was written by hand has this format. */
    static boolean isNewer(JsonNode json) {
        return json.path("format").asInt(FORMAT) > FORMAT;
    }

    /** Why it cannot be read then. */
    static String newer(JsonNode json) {
        return "it has the format " + json.path("format")
                + " of a newer version of this library, and this instance reads " + FORMAT + " at most";
    }

    static JsonNode of(LiveSettings settings) {
        ObjectNode json = object();
        settings.values().forEach((name, value) -> {
            if (value instanceof Double number) {
                json.put(name, number);
            } else if (value instanceof Long number) {
                json.put(name, number);
            } else if (value instanceof Boolean flag) {
                json.put(name, flag);
            } else {
                json.put(name, value.toString());
            }
        });
        return json;
    }

    static JsonNode of(Map<String, Long> numbers) {
        return MAPPER.valueToTree(numbers);
    }

    static String write(JsonNode json) {
        try {
            return MAPPER.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            // A tree of strings and numbers can always be written.
            throw new IllegalStateException(e);
        }
    }

    /** @throws IllegalArgumentException if it is none */
    static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /**
     * Settings. A newer version of this library may have more of them; a part of them would be another limit.
     *
     * @throws IllegalArgumentException if one of them is unknown or cannot be read
     */
    static LiveSettings settings(JsonNode json) {
        if (!json.isObject()) {
            return LiveSettings.NONE;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        json.properties().forEach(setting -> values.put(setting.getKey(), value(setting.getKey(), setting.getValue())));
        return LiveSettings.of(values);
    }

    private static Object value(String setting, JsonNode json) {
        if (json.isNull()) {
            throw new IllegalArgumentException(setting + " cannot be null");
        }
        return json.isNumber()
                ? json.numberValue()
                : json.isBoolean() ? json.booleanValue() : json.isTextual() ? json.textValue() : json;
    }
}
