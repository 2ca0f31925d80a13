package io.limiter.internal.live.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import java.util.Optional;

/**
 * An entry of the history: a JSON array of strings, which are version, stamp, time, field, note, and the limits before and after.
 *
 * @param after the limit, or its removal
 */
public record StoredChange(LiveChange change, StoredLimit after) {

    private static final int PARTS = 7;

    /** @throws IllegalArgumentException if it cannot be read; the limits before and after may have problems of their own */
    public static StoredChange parse(String entry) {
        JsonNode json = Json.read(entry);
        if (json.size() != PARTS) {
            throw new IllegalArgumentException("it is not a change of a live limit");
        }
        String field = json.path(3).asText();
        String name = Fields.name(field);
        Optional<LiveKey> key = Fields.key(field);
        JsonNode note = Json.read(json.path(4).asText());
        String replaced = json.path(5).asText();
        Optional<StoredLimit> before =
                replaced.isEmpty() ? Optional.empty() : Optional.of(StoredLimit.parse(name, key, replaced));
        StoredLimit after = StoredLimit.parse(name, key, json.path(6).asText());
        LiveChange change = LiveChange.of(
                Long.parseLong(json.path(0).asText()),
                name,
                key,
                before.map(StoredLimit::limit),
                after.isSet() ? Optional.of(after.limit()) : Optional.empty(),
                Micros.toInstant(Long.parseLong(json.path(2).asText())),
                note.path("who").asText(),
                note.path("why").asText());
        return new StoredChange(change, after);
    }
}
