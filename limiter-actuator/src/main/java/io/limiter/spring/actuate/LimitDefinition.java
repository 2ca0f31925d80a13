package io.limiter.spring.actuate;

import io.limiter.Prefetch;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Limit definitions as maps, with the names in Java. Durations are in seconds. */
final class LimitDefinition {

    private LimitDefinition() {}

    /** A limit, how it is prefetched, and its ban. A limit that is no record has only its capacity and its text. */
    static Map<String, @Nullable Object> of(AnyLimit limit, @Nullable Prefetch prefetch, @Nullable Ban ban) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        definition.put("capacity", limit.capacity());
        if (limit instanceof Record components) {
            definition.putAll(of(components));
        } else {
            definition.put("text", limit.toString());
        }
        if (prefetch != null) {
            definition.put(
                    "prefetch", Map.of("time", shown(prefetch.time()), "callsPerSecond", prefetch.callsPerSecond()));
        }
        if (ban != null) {
            definition.put("ban", of(ban));
        }
        return definition;
    }

    /** The components that are not {@code null}. */
    private static Map<String, @Nullable Object> of(Record values) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        for (RecordComponent component : values.getClass().getRecordComponents()) {
            ReflectionUtils.makeAccessible(component.getAccessor());
            Object value = ReflectionUtils.invokeMethod(component.getAccessor(), values);
            if (value != null) {
                definition.put(component.getName(), shown(value));
            }
        }
        return definition;
    }

    private static Object shown(Object value) {
        if (value instanceof Duration time) {
            return time.toSeconds() + time.getNano() / 1e9;
        }
        if (value instanceof Record values) {
            return of(values);
        }
        return value instanceof Number || value instanceof Boolean ? value : value.toString();
    }
}
