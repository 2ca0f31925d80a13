package io.limiter.console.internal.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.util.stream.Stream;

/**
 * Reads and writes the JSON of the page, by a mapper of its own: that of the application may have other names, and another major
 * version.
 */
public final class WireMapper {

    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // A value of another type is an error of the caller: 1.9 is not 1.
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(
                    LogicalType.Textual,
                    text -> Stream.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)
                            .forEach(shape -> text.setCoercion(shape, CoercionAction.Fail)))
            .build();

    private WireMapper() {}

    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @throws IllegalArgumentException if the body cannot be read */
    public static <T> T read(byte[] body, Class<T> type) {
        try {
            T read = MAPPER.readValue(body, type);
            if (read == null) {
                throw new IllegalArgumentException("the body must be a JSON object");
            }
            return read;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the body cannot be read: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IllegalArgumentException("the body cannot be read", e);
        }
    }
}
