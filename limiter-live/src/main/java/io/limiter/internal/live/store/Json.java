package io.limiter.internal.live.store;

import com.fasterxml.jackson.annotation.JsonInclude;
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
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.limiter.live.LiveSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

    private static final JsonDeserializer<Duration> DURATION = new JsonDeserializer<>() {
        @Override
        public Duration deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return Duration.parse(parser.getText());
        }
    };

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature(), true)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // A value of another type is a mistake: 1.9 and "1" are not 1.
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            // The name of a kind in configuration is its toString.
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .addModule(new SimpleModule()
                    .addSerializer(Duration.class, ToStringSerializer.instance)
                    .addDeserializer(Duration.class, DURATION))
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
        return MAPPER.valueToTree(StoredSettings.of(settings));
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
        for (Iterator<Map.Entry<String, JsonNode>> all = json.fields(); all.hasNext(); ) {
            Map.Entry<String, JsonNode> setting = all.next();
            if (setting.getValue().asText().isBlank() || setting.getValue().isNull()) {
                throw cannotBe(setting.getKey(), setting.getValue(), null);
            }
        }
        try {
            return MAPPER.treeToValue(json, StoredSettings.class).toLive();
        } catch (UnrecognizedPropertyException e) {
            throw new IllegalArgumentException("it has no setting '" + e.getPropertyName() + "'", e);
        } catch (JsonMappingException e) {
            if (e.getPath().isEmpty()) {
                throw new IllegalArgumentException(e.getOriginalMessage(), e);
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
}
