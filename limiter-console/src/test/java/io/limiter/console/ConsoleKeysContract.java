package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.BannedKey;
import io.limiter.live.ChangeNote;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveSettings;
import io.limiter.testing.Eventually;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationListener;

/** One key with its permits, its rejections and its ban, and what support does for it. */
abstract class ConsoleKeysContract extends ConsoleRequests {

    @Test
    void a_key_has_its_permits_its_live_limit_and_its_rejections() throws Exception {
        Limiter login = server.getBean(LimiterFactory.class).build("login", FixedWindow.of(3, Duration.ofHours(1)));
        login.on("ann").tryAcquire(2);
        limits(server).put("login", LiveKey.of("ann"), LiveSettings.EXEMPT, ChangeNote.of("maria", "a partner"), 0);
        limits(server)
                .reports(() -> List.of(
                        ofLogin("one", "login", "ann", REJECTED),
                        ofLogin("two", "login.pro", "ann", REJECTED.plusMillis(5))));
        // A page that was open before has the reports of a second ago.
        JsonNode ann = eventually(
                KEY + "ann",
                answer -> assertThat(answer.get("rejections").asInt()).isEqualTo(4));
        assertThat(ann.get("name").asText()).isEqualTo("login");
        assertThat(ann.at("/live/who").asText()).isEqualTo("maria");
        assertThat(ann.at("/last/0/instance").asText()).isEqualTo("two");
        assertThat(ann.at("/last/1/at").asLong()).isEqualTo(REJECTED.toEpochMilli());
        assertThat(ann.get("plan").asText()).as("of the calls of the key").isEqualTo("pro");
        assertThat(ann.get("problem").asText()).contains("has not built the limit 'login.pro'");
        assertThat(json("/api/key?prefix=countLimit:&name=login.pro&key=bob", "viewer")
                        .get("name")
                        .asText())
                .as("the limit of the plan")
                .isEqualTo("login");

        limits(server).reports(List::of);
        JsonNode quiet = eventually(
                KEY + "ann",
                answer -> assertThat(answer.get("rejections").asInt()).isZero());
        assertThat(quiet.at("/permits/remaining").asInt()).isEqualTo(1);
        assertThat(quiet.at("/permits/periodEnd").asLong())
                .as("of its window")
                .isGreaterThan(System.currentTimeMillis());
        assertThat(json(KEY + "bob", "viewer").at("/permits/remaining").asInt()).isEqualTo(3);
        assertThat(json(KEY + "4f0c9a31be77d210&hashed=true", "viewer")
                        .get("problem")
                        .asText())
                .contains("only the hash of the key is known");
        assertThat(json("/api/key?prefix=countLimit:&name=unknown&key=ann", "viewer")
                        .get("problem")
                        .asText())
                .contains("has not built the limit 'unknown'");
        for (String bad : List.of("prefix=&key=a", "prefix=&name=n", "name=n&key=a", "prefix=&name=n&key=%20")) {
            assertThat(get("/api/key?" + bad, "viewer").statusCode()).as(bad).isEqualTo(400);
        }
    }

    private JsonNode eventually(String path, Consumer<JsonNode> expected) {
        AtomicReference<JsonNode> last = new AtomicReference<>();
        Eventually.that(() -> {
            last.set(json(path, "viewer"));
            expected.accept(last.get());
        });
        return last.get();
    }

    private static InstanceReport ofLogin(String instance, String name, String key, Instant rejected) {
        return InstanceReport.of(
                instance,
                Instant.now(),
                0,
                "available",
                List.of(LimitReport.of(
                        "countLimit:",
                        name,
                        "login",
                        "fixed-window",
                        "",
                        LiveSettings.NONE,
                        5,
                        2,
                        0,
                        0,
                        Duration.ZERO,
                        Map.of(),
                        List.of(),
                        List.of(LimitReport.RejectedKey.of(key, 2, List.of(rejected))),
                        "",
                        Map.of())),
                List.of());
    }

    @Test
    void a_ban_by_rejections_is_that_of_the_permits_and_ends_with_a_reset() throws Exception {
        Limiter banning = server.getBean(LimiterFactory.class)
                .with(LimiterOptions.NONE.withBan(Ban.after(1)))
                .build("banning", FixedWindow.of(1, Duration.ofHours(1)));
        banning.tryAcquire("eve");
        banning.tryAcquire("eve");
        JsonNode eve = eventually(
                KEY.replace("login", "banning") + "eve",
                answer -> assertThat(answer.at("/permits/source").asText()).isEqualTo("override"));
        assertThat(eve.at("/live").isNull()).as("not by a live limit").isTrue();
        assertThat(eve.at("/permits/granted").asBoolean()).isFalse();
        assertThat(eve.at("/permits/retryAfter").asDouble())
                .as("of the limit, which ends after the ban")
                .isGreaterThan(300.0);
        String reset = "{\"prefix\":\"countLimit:\",\"name\":\"banning\",\"key\":{\"value\":\"eve\",\"hashed\":false}}";
        assertThat(post("/api/keys/reset", "support", reset).statusCode()).isEqualTo(200);
        assertThat(banning.tryAcquire("eve")).isTrue();
    }

    @Test
    void bans_of_all_instances_are_listed_and_each_ends_with_a_reset_as_it_is_shown() throws Exception {
        LimiterFactory limiters = server.getBean(LimiterFactory.class).with(LimiterOptions.NONE.withBan(Ban.after(1)));
        FixedWindow once = FixedWindow.of(1, Duration.ofHours(1));
        Limiter here = limiters.build("listed", once).on("eve");
        Limiter elsewhere = limiters.build("listed", once).on("shop").on("a#1").on("carl");
        here.tryAcquire();
        here.tryAcquire();
        elsewhere.tryAcquire();
        Instant ends = Instant.now().plusSeconds(300);
        BannedKey eve = banned(LiveKey.hashed(FakeLiveLimits.hash(LiveKey.of("eve"))), ends);
        BannedKey carl = banned(LiveKey.of("shop", "a#1", "carl"), ends.plusSeconds(100));
        BannedKey later = banned(eve.key(), ends.plusSeconds(1));
        limits(server).reports(() -> List.of(knowing("one", eve, carl), knowing("two", later)));
        assertThat(bansSeenBy("viewer"))
                .as("who may not change keys could find the hashed one by its end")
                .singleElement()
                .satisfies(ban -> assertThat(ban.get("key").asText()).isEqualTo("shop#a%231#carl"));
        JsonNode bans = bansSeenBy("support");
        assertThat(bans).hasSize(2);
        assertThat(bans.at("/0/key").asText()).isEqualTo("shop#a%231#carl");
        assertThat(bans.at("/0/limiter").asText()).isEqualTo("listed");
        assertThat(bans.at("/1/key").asText()).isEqualTo(eve.key().value());
        assertThat(bans.at("/1/ends").asLong()).isEqualTo(later.ends().toEpochMilli());

        String reset = "{\"prefix\":\"countLimit:\",\"name\":\"listed\",\"ban\":true,"
                + "\"key\":{\"value\":\"%s\",\"hashed\":%s}}";
        for (String user : List.of("viewer", "ann")) {
            assertThat(post("/api/keys/reset", user, reset.formatted(eve.key().value(), true))
                            .statusCode())
                    .isEqualTo(403);
        }
        assertThat(post("/api/keys/reset", "support", reset.formatted("0123456789abcdef", true))
                        .body())
                .contains("this instance does not know whose ban it is");
        assertThat(here.tryAcquire()).isFalse();
        HttpResponse<String> byHash =
                post("/api/keys/reset", "support", reset.formatted(eve.key().value(), true));
        assertThat(byHash.statusCode()).as(byHash.body()).isEqualTo(200);
        assertThat(here.tryAcquire()).isTrue();
        HttpResponse<String> again =
                post("/api/keys/reset", "support", reset.formatted(eve.key().value(), true));
        assertThat(again.statusCode()).as("known no more, and a hash is no key").isEqualTo(400);
        assertThat(elsewhere.peek().isGranted()).isFalse();
        HttpResponse<String> byPath =
                post("/api/keys/reset", "support", reset.formatted(carl.key().value(), false));
        assertThat(byPath.statusCode()).as(byPath.body()).isEqualTo(200);
        assertThat(elsewhere.tryAcquire()).isTrue();
    }

    private JsonNode bansSeenBy(String user) throws Exception {
        try (Events events = new Events(user)) {
            JsonNode bans;
            do {
                bans = events.next().get("bans");
            } while (bans.isEmpty());
            return bans;
        }
    }

    private static BannedKey banned(LiveKey key, Instant ends) {
        return BannedKey.of("countLimit:", "listed", key, ends);
    }

    @Test
    void readers_do_not_find_the_key_of_a_hash() throws Exception {
        String hash = FakeLiveLimits.hash(LiveKey.of("ann"));
        LiveKey hashed = LiveKey.hashed(hash);
        ChangeNote note = ChangeNote.of("maria", "scraping").withExpiry(Duration.ofMinutes(30));
        long version = limits(server)
                .put("login", hashed, LiveSettings.BANNED, note, 0)
                .version();
        limits(server).put("login", LiveKey.of("partner"), LiveSettings.EXEMPT, ChangeNote.of("maria", ""), 0);

        for (String path : List.of("/api/keys", "/api/keys?name=login", "/api/keys?search=maria")) {
            assertThat(keysIn(path, "keys", "viewer")).as(path).containsExactly("partner");
            assertThat(json(path, "viewer").get("all").asInt()).as(path).isOne();
            assertThat(keysIn(path, "keys", "support")).as(path).containsExactly("partner", hash);
        }
        assertThat(keysIn("/api/history", "changes", "viewer")).containsExactly("partner");
        assertThat(keysIn("/api/history", "changes", "support")).containsExactly("partner", hash);
        JsonNode newest = json("/api/history?most=1", "viewer");
        JsonNode older = json("/api/history?most=1&before=" + newest.get("next").asLong(), "viewer");
        assertThat(older.get("changes")).as("a page of which nothing is shown").isEmpty();
        assertThat(older.get("next").asLong()).as("has others after it").isEqualTo(version);

        JsonNode entered = json(KEY + "ann", "viewer");
        assertThat(entered.toString()).doesNotContain(hash);
        assertThat(entered.at("/live/who").asText()).isEqualTo("maria");
        assertThat(entered.at("/live/key/value").asText()).isEqualTo("ann");
        assertThat(json(KEY + "ann", "support").at("/live/key/value").asText()).isEqualTo(hash);

        limits(server).remove("login", hashed, ChangeNote.of("maria", ""), version);
        assertThat(keysIn("/api/history", "changes", "viewer"))
                .as("also without the live limit that was removed")
                .containsExactly("partner");
        assertThat(keysIn("/api/history", "changes", "support")).containsExactly(hash, "partner", hash);
    }

    private List<String> keysIn(String path, String list, String user) throws Exception {
        List<String> keys = new ArrayList<>();
        json(path, user)
                .get(list)
                .forEach(each -> keys.add(each.at("/key/value").asText()));
        return keys;
    }

    /** What an entered hash had in common with an entered key would say that they belong together. */
    @Test
    void readers_get_neither_the_live_limit_nor_the_ban_of_a_hash() throws Exception {
        String hash = FakeLiveLimits.hash(LiveKey.of("ann"));
        String ofHash = KEY + hash + "&hashed=true";
        ChangeNote note = ChangeNote.of("maria", "");
        Instant ends = Instant.now().plusSeconds(300);
        limits(server)
                .reports(() ->
                        List.of(knowing("one", BannedKey.of("countLimit:", "login", LiveKey.hashed(hash), ends))));
        Eventually.that(() ->
                assertThat(json(ofHash, "support").get("bannedUntil").asLong()).isEqualTo(ends.toEpochMilli()));
        assertThat(json(ofHash, "viewer").get("bannedUntil").isNull()).isTrue();
        assertThat(json(KEY + hash, "viewer").get("bannedUntil").isNull())
                .as("entered as if it were a key")
                .isTrue();
        for (LiveKey stored : List.of(LiveKey.hashed(hash), LiveKey.of("ann"))) {
            long version = limits(server)
                    .put("login", stored, LiveSettings.EXEMPT, note, 0)
                    .version();
            assertThat(json(ofHash, "support").at("/live/key/value").asText()).isEqualTo(stored.value());
            assertThat(json(ofHash, "viewer").get("live").isNull()).isTrue();
            limits(server).remove("login", stored, note, version);
        }
    }

    private static InstanceReport knowing(String instance, BannedKey... bans) {
        return InstanceReport.of(instance, Instant.now(), 0, "available", List.of(), List.of(bans));
    }

    @Test
    void support_resets_a_key_which_is_audited() throws Exception {
        List<AuditEvent> audits = new CopyOnWriteArrayList<>();
        ApplicationListener<AuditApplicationEvent> listener = new ApplicationListener<>() {
            @Override
            public void onApplicationEvent(AuditApplicationEvent event) {
                audits.add(event.getAuditEvent());
            }
        };
        server.addApplicationListener(listener);
        Limiter login = server.getBean(LimiterFactory.class).build("login", FixedWindow.of(3, Duration.ofHours(1)));
        login.on("carl").tryAcquire(3);
        String body = "{\"prefix\":\"countLimit:\",\"name\":\"login\",\"key\":{\"value\":\"carl\",\"hashed\":%s}}";
        for (String user : List.of("viewer", "ann")) {
            assertThat(post("/api/keys/reset", user, body.formatted(false)).statusCode())
                    .isEqualTo(403);
        }
        assertThat(post("/api/keys/reset", "support", body.formatted(true).replace("carl", "4f0c9a31be77d210"))
                        .statusCode())
                .as("by its hash")
                .isEqualTo(400);
        assertThat(login.tryAcquire("carl")).isFalse();
        audits.clear();

        HttpResponse<String> reset = post("/api/keys/reset", "support", body.formatted(false));
        assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
        assertThat(MAPPER.readTree(reset.body()).get("remaining").asInt()).isEqualTo(3);
        assertThat(login.on("carl").tryAcquire(3)).isTrue();
        assertThat(audits)
                .filteredOn(audit -> audit.getType().equals("LIMIT_RESET"))
                .singleElement()
                .satisfies(audit -> {
                    assertThat(audit.getPrincipal()).isEqualTo("support");
                    assertThat(audit.getData())
                            .containsEntry("limit", "countLimit:login")
                            .containsEntry("result", "done")
                            .hasEntrySatisfying(
                                    "key", key -> assertThat((String) key).matches("[0-9a-f]{16}"));
                });
        server.removeApplicationListener(listener);
    }
}
