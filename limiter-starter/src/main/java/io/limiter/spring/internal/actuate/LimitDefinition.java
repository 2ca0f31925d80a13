package io.limiter.spring.internal.actuate;

import io.limiter.LimiterTotals;
import io.limiter.Prefetch;
import io.limiter.Share;
import io.limiter.algorithm.AnyLimit;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.CalendarPeriod;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Limit definitions as maps, with the names in Java. Durations are in seconds. */
final class LimitDefinition {

    private LimitDefinition() {}

    /** A limit, and how its limiters prefetch, when they warn, and their ban. */
    static Map<String, @Nullable Object> of(AnyLimit limit, LimiterTotals limiters) {
        return of(
                limit,
                limiters.prefetch().orElse(null),
                limiters.warnAt().orElse(null),
                limiters.ban().orElse(null));
    }

    static Map<String, @Nullable Object> of(
            AnyLimit limit, @Nullable Prefetch prefetch, @Nullable Share warnAt, @Nullable Ban ban) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        definition.put("capacity", limit.capacity());
        definition.putAll(parameters(limit));
        if (warnAt != null) {
            definition.put("warnAt", Math.min(warnAt.of(limit.capacity()), limit.capacity()));
        }
        if (prefetch != null) {
            definition.put(
                    "prefetch", Map.of("time", shown(prefetch.time()), "callsPerSecond", prefetch.callsPerSecond()));
        }
        if (ban != null) {
            definition.put("ban", parameters(ban));
        }
        return definition;
    }

    private static Map<String, @Nullable Object> parameters(AnyLimit limit) {
        Map<String, @Nullable Object> parameters = new LinkedHashMap<>();
        if (limit instanceof TokenBucket bucket) {
            parameters.put("permitsPerSecond", bucket.permitsPerSecond());
            parameters.put("burstSeconds", bucket.burstSeconds());
            parameters.put("minCapacity", bucket.minCapacity());
            if (bucket.warmUp() != null) {
                parameters.put(
                        "warmUp",
                        Map.of(
                                "period", shown(bucket.warmUp().period()),
                                "coldFactor", bucket.warmUp().coldFactor()));
            }
            parameters.put("whoWaits", bucket.whoWaits().toString());
            parameters.put("startsFull", bucket.startsFull());
            parameters.put("maxWait", shown(bucket.maxWait()));
            parameters.put("expire", shown(bucket.expire()));
            parameters.put("kind", bucket.kind().name());
        } else if (limit instanceof FixedWindow window) {
            parameters.put("limit", window.limit());
            CalendarPeriod calendar = window.calendar();
            if (calendar == null) {
                parameters.put("period", shown(window.period()));
            } else {
                parameters.put("per", calendar.unit());
                parameters.put("zone", calendar.zone().toString());
                if (calendar.anchor() != null) {
                    parameters.put("anchor", calendar.anchor().toString());
                }
            }
        } else if (limit instanceof SlidingLog log) {
            parameters.put("limit", log.limit());
            parameters.put("period", shown(log.period()));
        } else if (limit instanceof SlidingCounter counter) {
            parameters.put("limit", counter.limit());
            parameters.put("period", shown(counter.period()));
        } else if (limit instanceof ConcurrencyLimit held) {
            parameters.put("limit", held.limit());
            parameters.put("leaseTime", shown(held.leaseTime()));
        } else if (limit instanceof Record components) {
            parameters.putAll(of(components));
        } else {
            parameters.put("text", limit.toString());
        }
        return parameters;
    }

    private static Map<String, @Nullable Object> parameters(Ban ban) {
        Map<String, @Nullable Object> parameters = new LinkedHashMap<>();
        parameters.put("after", ban.after());
        parameters.put("within", shown(ban.within()));
        parameters.put("lasting", shown(ban.lasting()));
        parameters.put("atMost", shown(ban.atMost()));
        return parameters;
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
