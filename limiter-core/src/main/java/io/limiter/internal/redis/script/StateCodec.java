package io.limiter.internal.redis.script;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.limiter.internal.redis.client.RedisErrors;
import io.limiter.spi.LimitScript;
import io.limiter.step.LimitStep;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes states in Redis. There are two encodings, distinguished by the first byte: JSON, which Java writes
 * for every kind of limit, and a packed one, which the scripts write because it is smaller and faster to read. Both
 * are read everywhere.
 *
 * <p>Uses a mapper of its own, because the application's may be configured to write numbers with fewer digits.
 */
public final class StateCodec {

    // One for all: it keeps what it has found out about the classes of states.
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            // Otherwise a blank text is a missing number.
            .withCoercionConfig(
                    LogicalType.Float,
                    config -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
            .build();

    public byte[] write(Object state) {
        try {
            return JSON.writeValueAsBytes(state);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "a state must be a value that Jackson can write, such as a record, was " + state, e);
        }
    }

    /**
     * Decodes a state in any encoding.
     *
     * @param value {@code null} if there is none; then the result is {@code null}
     * @throws io.limiter.LimiterBackendException if it is none: never a fresh bucket instead
     */
    public <S> @Nullable S read(
            String key, byte @Nullable [] value, LimitStep<S> limit, long nowMicros, long ttlMillis) {
        return read(key, value, limit, LimitScripts.find(limit), nowMicros, ttlMillis);
    }

    /**
     * @param script of this kind of limit; {@code null} if there is none
     */
    <S> @Nullable S read(
            String key,
            byte @Nullable [] value,
            LimitStep<S> limit,
            @Nullable LimitScript<LimitStep<Object>, Object> script,
            long nowMicros,
            long ttlMillis) {
        if (value == null) {
            return null;
        }
        try {
            S state = null;
            if (value.length > 0 && value[0] == '{') {
                state = JSON.readValue(value, limit.stateType());
            } else if (value.length > 0 && script != null) {
                state = limit.stateType()
                        .cast(script.readPacked(value, LimitScripts.erased(limit), nowMicros, ttlMillis));
            }
            if (state != null) {
                return state;
            }
        } catch (IOException | IllegalArgumentException e) {
            throw RedisErrors.unreadable(key, e);
        }
        throw RedisErrors.unreadable(key);
    }
}
