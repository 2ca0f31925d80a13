package io.limiter.spring.actuate;

import io.limiter.algorithm.Limit;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.util.ReflectionUtils;

/** The numbers of limits, by their names in Java; times are in seconds. */
final class LimitNumbers {

    private LimitNumbers() {}

    /** Of a limit that is no record, its text and its capacity. */
    static Map<String, Object> of(Limit<?> limit) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        numbers.put("capacity", limit.capacity());
        if (limit instanceof Record components) {
            numbers.putAll(of(components));
        } else {
            numbers.put("text", limit.toString());
        }
        return numbers;
    }

    private static Map<String, Object> of(Record values) {
        Map<String, Object> numbers = new LinkedHashMap<>();
        for (RecordComponent component : values.getClass().getRecordComponents()) {
            ReflectionUtils.makeAccessible(component.getAccessor());
            Object value = ReflectionUtils.invokeMethod(component.getAccessor(), values);
            if (value != null) {
                numbers.put(component.getName(), shown(value));
            }
        }
        return numbers;
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
