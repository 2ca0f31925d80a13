package io.limiter.spring.internal.actuate;

import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Live limits and their changes as maps, with the names in Java. Durations are in seconds, and what is missing is {@code null}. */
public final class LiveDefinition {

    private LiveDefinition() {}

    public static Map<String, @Nullable Object> of(LiveLimit limit) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        definition.put("name", limit.name());
        definition.put("key", key(limit.key()));
        definition.put("settings", of(limit.settings()));
        definition.put("version", limit.version());
        definition.put("since", limit.since().toString());
        definition.put("expiresAt", limit.expiresAt().map(Object::toString).orElse(null));
        definition.put("who", limit.who());
        definition.put("why", limit.why());
        return definition;
    }

    public static Map<String, @Nullable Object> of(LiveChange change) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        definition.put("version", change.version());
        definition.put("name", change.name());
        definition.put("key", key(change.key()));
        definition.put("before", change.before().map(LiveDefinition::of).orElse(null));
        definition.put("after", change.after().map(LiveDefinition::of).orElse(null));
        definition.put("at", change.at().toString());
        definition.put("who", change.who());
        definition.put("why", change.why());
        return definition;
    }

    /** What the settings override, by name. */
    public static Map<String, @Nullable Object> of(LiveSettings settings) {
        Map<String, @Nullable Object> definition = new LinkedHashMap<>();
        settings.values().forEach((name, value) -> definition.put(name, shown(value)));
        return definition;
    }

    private static Object shown(Object value) {
        if (value instanceof Duration time) {
            return time.toSeconds() + time.getNano() / 1e9;
        }
        return value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    private static @Nullable Map<String, Object> key(Optional<LiveKey> key) {
        return key.map(each -> {
                    Map<String, Object> definition = new LinkedHashMap<>();
                    definition.put("value", each.value());
                    definition.put("hashed", each.hashed());
                    return definition;
                })
                .orElse(null);
    }
}
