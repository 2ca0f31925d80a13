package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How live limits are stored: every text and setting survives, and what cannot be read is reported. */
class LiveStorageTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "with space",
                "quote\" back\\slash / slash",
                "%d %s {limiter:live} ':' 1 2 3 x",
                "line\nbreak\r\ttab\u0000null\u001f\u007f",
                "umläut ☃ 漢字 \uD83D\uDE00",
                "unpaired \uD83D and \uDE00",
                "'; redis.call('FLUSHALL') --",
                "<script>alert(1)</script>"
            })
    void names_and_notes_survive_unchanged(String text) {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        put(one, "another", TEN);
        other.pollLiveLimits();
        live(one).put(text, TEN, ChangeNote.of(text, text), 0);
        other.pollLiveLimits();
        LiveInstance fresh = FLEET.instance();
        for (LiveInstance each : List.of(one, other, fresh)) {
            LiveLimit found = live(each).get(text).orElseThrow();
            assertThat(found.name()).isEqualTo(text);
            assertThat(found.who()).isEqualTo(text);
            assertThat(found.why()).isEqualTo(text);
            assertThat(live(each).history().get(0).name()).isEqualTo(text);
            assertThat(each.build(text, TokenBucket.perSecond(100)).getRate()).isEqualTo(10);
        }
    }

    @Test
    void all_settings_survive_unchanged() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        LiveSettings settings = TEN.withRate(1 / 3.0)
                .withCapacity(2.5)
                .withTimeout(Duration.ofNanos(1_500_000_001))
                .withEnforce(false)
                .withFailurePolicy(FailurePolicy.local(0.1));
        put(one, "a", settings);
        put(one, "b", LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(7).withPeriod(Duration.ofMillis(1)));
        put(one, "c", LiveSettings.NONE.withFailurePolicy(FailurePolicy.DENY).withEnforce(true));
        other.pollLiveLimits();
        assertThat(live(other).list()).isEqualTo(live(one).list());
        assertThat(live(other).get("a").orElseThrow().settings()).isEqualTo(settings);
    }

    @Test
    void settings_of_a_newer_version_are_not_applied_in_part() {
        LiveInstance one = FLEET.instance();
        RateLimiter limiter = search(one);
        put(one, "search", TEN);
        FLEET.commands(commands -> {
            commands.hset(
                    "{limiter:live}:limits",
                    "search",
                    "2 1763650000123456 0 {\"who\":\"new\",\"why\":\"\",\"settings\":{\"rate\":5,\"colour\":\"red\"}}");
            return commands.set("{limiter:live}:version", "2 newer");
        });
        assertThat(logged(one::pollLiveLimits))
                .containsExactly(
                        "The limiters 'search' keep their own limit: this instance does not understand the live"
                                + " limit: there is no setting 'colour', use some of kind, rate, capacity, burst, limit, period,"
                                + " timeout, enforce, onFailure, access; put another one, or remove it, with the expected"
                                + " version 2.");
        assertThat(limiter.getRate()).isEqualTo(100);
        assertThat(live(one).list()).isEmpty();
        assertThat(live(one).unreadable()).singleElement().satisfies(unreadable -> {
            assertThat(unreadable.name()).isEqualTo("search");
            assertThat(unreadable.version()).isEqualTo(2);
            assertThat(unreadable.problem()).contains("there is no setting 'colour'");
        });
        assertThat(live(one).put("search", TEN, NOTE, 2).version()).isEqualTo(3);
        assertThat(limiter.getRate()).isEqualTo(10);
    }

    /** Also not by an instance that writes back what Redis has lost. */
    @Test
    void a_newer_format_is_said_once_and_left_alone() {
        LiveInstance one = FLEET.instance();
        RateLimiter limiter = search(one);
        put(one, "search", TEN);
        String newer = " 1763650000123456 0 {\"format\":2,\"who\":\"new\",\"settings\":{\"rate\":5}}";
        FLEET.commands(commands -> {
            commands.hset("{limiter:live}:limits", Map.of("search", "2" + newer, "other", "3" + newer));
            return commands.set("{limiter:live}:version", "3 newer");
        });
        assertThat(logged(one::pollLiveLimits))
                .singleElement()
                .asString()
                .contains(
                        "keep their own limit: it has the format 2 of a newer version of this library, and this instance"
                                + " reads 1 at most: update it; until then it leaves the live limit as it is.");
        assertThat(limiter.getRate()).isEqualTo(100);
        assertThat(live(one).list()).isEmpty();
        assertThat(live(one).unreadable()).extracting(Unreadable::name).containsExactly("other", "search");
        FLEET.commands(commands -> {
            commands.hset("{limiter:live}:limits", "third", "4" + newer);
            return commands.set("{limiter:live}:version", "4 newer");
        });
        assertThat(logged(one::pollLiveLimits)).isEmpty();
        assertThat(FLEET.<Map<String, String>>commands(commands -> commands.hgetall("{limiter:live}:limits")))
                .containsEntry("search", "2" + newer)
                .containsEntry("other", "3" + newer)
                .containsEntry("third", "4" + newer);
    }

    @Test
    void there_can_be_ten_thousand() {
        Map<String, String> stored = new HashMap<>();
        for (int i = 1; i <= 10_000; i++) {
            stored.put(
                    "limit" + i,
                    i
                            + " 1763650000123456 0 {\"who\":\"ann\",\"why\":\"\",\"settings\":{\"kind\":\"token-bucket\",\"rate\":"
                            + i + "}}");
        }
        FLEET.commands(commands -> {
            commands.hset("{limiter:live}:limits", stored);
            return commands.set("{limiter:live}:version", "10000 stamp");
        });
        LiveInstance factory = FLEET.instance();
        assertThat(live(factory).list()).hasSize(10_000);
        RateLimiter limiter = factory.build("limit7000", TokenBucket.perSecond(100));
        assertThat(limiter.getRate()).isEqualTo(7000);
        LiveInstance other = FLEET.instance();
        live(other).put("limit7000", TEN, NOTE, 7000);
        factory.pollLiveLimits();
        assertThat(limiter.getRate()).isEqualTo(10);
        assertThat(live(factory).version()).isEqualTo(10_001);
        assertThat(live(factory).list()).isEqualTo(live(other).list());
    }

    @Test
    void one_that_cannot_be_read_does_not_hold_up_the_others() {
        LiveInstance one = FLEET.instance();
        RateLimiter limiter = search(one);
        FLEET.<Boolean>commands(commands -> commands.hset("{limiter:live}:limits", "broken", "by hand"));
        logged(() -> put(one, "search", TEN));
        assertThat(limiter.getRate()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 2                                                            | 0",
                "7 garbage                                                      | 0",
                "12345678901234567890 1763650000123456 0 {}                     | 0",
                "7 1763650000123456 0 garbage                                   | 7",
                "7 1763650000123456 0 {}                                        | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":18446744073709551623}} | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":\"7\"}}            | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":null}}             | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":7,\"rate\":\" \"}} | 7",
                "7 1763650000123456 0 {\"settings\":{\"rate\":5}} and more       | 7",
            })
    void one_that_cannot_be_read_is_named_and_can_be_replaced_or_removed(String stored, long version) {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        for (String name : List.of("search", "gone")) {
            FLEET.<Boolean>commands(commands -> commands.hset("{limiter:live}:limits", name, stored));
        }
        logged(() -> put(one, "another", TEN));
        List<LiveInstance> built = new ArrayList<>();
        assertThat(logged(() -> built.add(FLEET.instance())))
                .hasSize(2)
                .allMatch(line -> line.endsWith("with the expected version " + version + "."));
        LiveInstance fresh = built.get(0);
        Limiter window = fresh.build("search", FixedWindow.of(5, Duration.ofHours(1)));
        assertThat(window.limit()).isEqualTo(FixedWindow.of(5, Duration.ofHours(1)));
        assertThat(live(fresh).list()).extracting(LiveLimit::name).containsExactly("another");
        assertThat(live(fresh).unreadable())
                .hasSize(2)
                .allMatch(each -> each.version() == version)
                .allMatch(each -> each.problem().endsWith("with the expected version " + version))
                .extracting(Unreadable::name)
                .containsExactly("gone", "search");
        LiveSettings two = LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(2);
        live(fresh).put("search", two, NOTE, version);
        live(fresh).remove("gone", NOTE, version);
        assertThat(window.limit()).isEqualTo(FixedWindow.of(2, Duration.ofHours(1)));
        assertThat(live(fresh).unreadable()).isEmpty();
        other.pollLiveLimits();
        assertThat(live(other).list()).isEqualTo(live(fresh).list());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> live(fresh).rollBack(2, NOTE, 2))
                .withMessageContaining("what version 2 of 'search' replaced cannot be read");
    }

    @Test
    void no_text_writes_a_second_line_into_the_log() {
        LiveInstance one = FLEET.instance();
        live(one).subscribe(change -> {
            throw new IllegalStateException("a listener's own mistake");
        });
        String forged = "ann\n12:00:00 INFO all is well\u2028\u0085\u001b[2J";
        assertThat(logged(() -> live(one).put(forged, TEN, ChangeNote.of(forged, forged), 0)))
                .singleElement()
                .asString()
                .contains("ann?12:00:00 INFO")
                .doesNotContainPattern("[\\p{Cc}\\u2028]");
    }
}
