package io.limiter.internal.live.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.limiter.live.BannedKey;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKey;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reports of instances as JSON, short because each instance sends one every second. */
public final class ReportJson {

    private ReportJson() {}

    /** A report without its time, which Redis adds. */
    public static String write(InstanceReport report) {
        ObjectNode json = Json.formatted()
                .put("instance", report.instance())
                .put("version", report.liveVersion())
                .put("backend", report.backendState());
        ArrayNode limits = json.putArray("limits");
        report.limits().forEach(limit -> limits.add(limit(limit)));
        ArrayNode bans = json.putArray("bans");
        report.bans().forEach(ban -> {
            bans.addArray()
                    .add(ban.prefix())
                    .add(ban.limiter())
                    .add(ban.key().value())
                    .add(ban.key().hashed())
                    .add(ban.ends().toEpochMilli());
        });
        return Json.write(json);
    }

    private static ObjectNode limit(LimitReport limit) {
        ObjectNode json = Json.object()
                .put("prefix", limit.prefix())
                .put("name", limit.name())
                .put("limiter", limit.limiter())
                .put("kind", limit.kind())
                .put("limit", limit.limit())
                .put("granted", limit.granted())
                .put("rejected", limit.rejected())
                .put("errors", limit.errors())
                .put("waits", limit.waits())
                .put("waitedNanos", limit.waited().toNanos())
                .put("notApplied", limit.notApplied());
        json.set("settings", Json.of(limit.settings()));
        json.set("sources", Json.of(limit.bySource()));
        ArrayNode hottest = json.putArray("hottest");
        limit.hottest().forEach(key -> hottest.addArray().add(key.key()).add(key.requests()));
        ArrayNode rejected = json.putArray("rejectedKeys");
        limit.rejectedKeys().forEach(key -> {
            ArrayNode entry = rejected.addArray().add(key.key()).add(key.rejections());
            key.last().forEach(at -> entry.add(at.toEpochMilli()));
        });
        if (!limit.past().isEmpty()) {
            ArrayNode past = json.putArray("past");
            limit.past()
                    .forEach((start, rate) ->
                            past.add(start.getEpochSecond()).add(rate.granted()).add(rate.rejected()));
        }
        return json;
    }

    /**
     * @param report the time and the report
     * @throws IllegalArgumentException if it cannot be read, for example because an instance of another version has written it
     */
    public static InstanceReport parse(String report) {
        String[] parts = report.split(" ", 2);
        JsonNode json = Json.read(parts[parts.length - 1]);
        if (!json.isObject()) {
            throw new IllegalArgumentException("it has no time and JSON object");
        }
        if (Json.isNewer(json)) {
            throw new IllegalArgumentException(Json.newer(json));
        }
        List<LimitReport> limits = new ArrayList<>();
        try {
            json.path("limits").forEach(limit -> limits.add(limit(limit)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return InstanceReport.of(
                json.path("instance").asText(),
                Micros.toInstant(Long.parseLong(parts[0])),
                json.path("version").asLong(),
                json.path("backend").asText(),
                limits,
                bans(json.path("bans")));
    }

    private static List<BannedKey> bans(JsonNode json) {
        List<BannedKey> bans = new ArrayList<>();
        json.forEach(ban -> bans.add(BannedKey.of(
                ban.path(0).asText(),
                ban.path(1).asText(),
                LiveKey.parse(ban.path(2).asText(), ban.path(3).asBoolean()),
                Instant.ofEpochMilli(ban.path(4).asLong()))));
        return bans;
    }

    private static LimitReport limit(JsonNode json) {
        Map<String, Long> sources = new TreeMap<>();
        json.path("sources")
                .properties()
                .forEach(each -> sources.put(each.getKey(), each.getValue().asLong()));
        List<LimitReport.HotKey> hottest = new ArrayList<>();
        json.path("hottest")
                .forEach(key -> hottest.add(
                        LimitReport.HotKey.of(key.path(0).asText(), key.path(1).asLong())));
        List<LimitReport.RejectedKey> rejected = new ArrayList<>();
        json.path("rejectedKeys").forEach(key -> {
            List<Instant> last = new ArrayList<>();
            for (int i = 2; i < key.size(); i++) {
                last.add(Instant.ofEpochMilli(key.get(i).asLong()));
            }
            rejected.add(
                    LimitReport.RejectedKey.of(key.path(0).asText(), key.path(1).asLong(), last));
        });
        Map<Instant, LimitReport.Rate> past = new TreeMap<>();
        JsonNode rates = json.path("past");
        for (int i = 0; i + 2 < rates.size(); i += 3) {
            past.put(
                    Instant.ofEpochSecond(rates.get(i).asLong()),
                    LimitReport.Rate.of(
                            rates.get(i + 1).asDouble(), rates.get(i + 2).asDouble()));
        }
        String name = json.path("name").asText();
        return LimitReport.of(
                json.path("prefix").asText(),
                name,
                json.path("limiter").asText(name),
                json.path("kind").asText(),
                json.path("limit").asText(),
                Json.settings(json.path("settings")),
                json.path("granted").asLong(),
                json.path("rejected").asLong(),
                json.path("errors").asLong(),
                json.path("waits").asLong(),
                Duration.ofNanos(json.path("waitedNanos").asLong()),
                sources,
                hottest,
                rejected,
                json.path("notApplied").asText(),
                past);
    }
}
