package io.limiter.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AnnotationDefaultsTest {

    @Test
    void defaults_of_a_rate_limit() {
        assertThat(defaults(RateLimit.class))
                .isEqualTo(Map.ofEntries(
                        Map.entry("name", ""),
                        Map.entry("key", List.of()),
                        Map.entry("prefix", ""),
                        Map.entry("expire", Double.NaN),
                        Map.entry("rate", Double.NaN),
                        Map.entry("per", ""),
                        Map.entry("burst", Double.NaN),
                        Map.entry("kind", RateLimit.Kind.TOKEN_BUCKET),
                        Map.entry("capacity", -1L),
                        Map.entry("timeout", Double.NaN),
                        Map.entry("cost", ""),
                        Map.entry("condition", ""),
                        Map.entry("chargeOn", ""),
                        Map.entry("settle", ""),
                        Map.entry("leave", ""),
                        Map.entry("plan", ""),
                        Map.entry("message", ""),
                        Map.entry("onFailure", ""),
                        Map.entry("limitType", LimitType.METHOD)));
    }

    @Test
    void defaults_of_a_count_limit() {
        assertThat(defaults(CountLimit.class))
                .isEqualTo(Map.ofEntries(
                        Map.entry("name", ""),
                        Map.entry("key", List.of()),
                        Map.entry("prefix", ""),
                        Map.entry("limit", -1L),
                        Map.entry("period", Double.NaN),
                        Map.entry("per", ""),
                        Map.entry("kind", CountLimit.Kind.FIXED_WINDOW),
                        Map.entry("timeout", Double.NaN),
                        Map.entry("zone", ""),
                        Map.entry("anchor", ""),
                        Map.entry("cost", ""),
                        Map.entry("condition", ""),
                        Map.entry("chargeOn", ""),
                        Map.entry("settle", ""),
                        Map.entry("leave", ""),
                        Map.entry("plan", ""),
                        Map.entry("message", ""),
                        Map.entry("onFailure", ""),
                        Map.entry("limitType", LimitType.METHOD)));
    }

    @Test
    void defaults_of_a_concurrent_limit() {
        assertThat(defaults(ConcurrentLimit.class))
                .isEqualTo(Map.ofEntries(
                        Map.entry("name", ""),
                        Map.entry("key", List.of()),
                        Map.entry("prefix", ""),
                        Map.entry("limit", -1L),
                        Map.entry("lease", Double.NaN),
                        Map.entry("timeout", Double.NaN),
                        Map.entry("cost", ""),
                        Map.entry("condition", ""),
                        Map.entry("plan", ""),
                        Map.entry("message", ""),
                        Map.entry("onFailure", ""),
                        Map.entry("limitType", LimitType.METHOD)));
    }

    private static Map<String, Object> defaults(Class<? extends Annotation> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .collect(Collectors.toMap(
                        Method::getName,
                        method -> method.getDefaultValue() instanceof Object[] values
                                ? List.of(values)
                                : method.getDefaultValue()));
    }
}
