package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.put;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.RateLimiter;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.Unreadable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Changes of live limits are kept, read in pages, and rolled back. */
class LiveHistoryTest {

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void a_change_is_rolled_back() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = search(factory);
        put(factory, "search", TEN);
        put(factory, "search", TEN.withRate(5));
        LiveChange restored = live(factory).rollBack(2, ChangeNote.of("bob", "too low"), 2);
        assertThat(restored.version()).isEqualTo(3);
        assertThat(restored.after().orElseThrow().settings()).isEqualTo(TEN);
        assertThat(restored.who()).isEqualTo("bob");
        assertThat(limiter.getRate()).isEqualTo(10);
        live(factory).rollBack(1, NOTE, 3);
        assertThat(live(factory).list()).isEmpty();
        assertThat(limiter.getRate()).isEqualTo(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> live(factory).rollBack(1, NOTE, 0))
                .withMessageContaining("nothing to restore");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> live(factory).rollBack(99, NOTE, 0))
                .withMessageContaining("no change of version 99");
        assertThatThrownBy(() -> live(factory).rollBack(2, NOTE, 2)).isInstanceOf(LiveConflictException.class);
        live(factory).rollBack(4, NOTE, 0);
        assertThat(limiter.getRate()).isEqualTo(10);
    }

    @Test
    void a_restored_limit_ends_when_it_would_have() {
        LiveInstance factory = FLEET.instance();
        LiveLimit first = live(factory).put("search", TEN, NOTE.withExpiry(Duration.ofMinutes(5)), 0);
        put(factory, "search", TEN.withRate(5));
        FLEET.clock().advance(Duration.ofMinutes(1));
        assertThat(live(factory).rollBack(2, NOTE, 2).after().orElseThrow().expiresAt())
                .isEqualTo(first.expiresAt());
        put(factory, "search", TEN.withRate(5));
        FLEET.clock().advance(Duration.ofMinutes(5));
        assertThat(live(factory).rollBack(4, NOTE, 4).after()).isEmpty();
    }

    @Test
    void the_history_is_read_in_pages_and_has_the_last_changes_of_each_name() {
        LiveInstance factory = FLEET.instance(BY_HAND.withHistory(3));
        put(factory, "first", TEN);
        LiveInstance late = FLEET.instance();
        for (int i = 0; i < 60; i++) {
            put(factory, "limit" + i, TEN.withRate(i + 1));
        }
        for (int i = 0; i < 5; i++) {
            put(factory, "search", TEN.withRate(i + 1));
        }
        live(factory).remove("search", NOTE, 66);
        assertThat(live(factory).history())
                .hasSize(50)
                .extracting(LiveChange::version)
                .startsWith(67L, 66L, 65L, 61L)
                .endsWith(15L);
        List<Long> all = new ArrayList<>();
        LiveHistory page = live(factory).history(7, 0);
        for (; page.next() != 0; page = live(factory).history(7, page.next())) {
            assertThat(page.changes()).hasSize(7);
            page.changes().forEach(change -> all.add(change.version()));
        }
        page.changes().forEach(change -> all.add(change.version()));
        assertThat(all)
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 67)
                        .filter(version -> version < 62 || version > 64)
                        .map(version -> -version)
                        .sorted()
                        .map(version -> -version)
                        .boxed()
                        .toList());
        assertThat(live(factory).history(1, 2).changes())
                .singleElement()
                .extracting(LiveChange::name)
                .isEqualTo("first");
        // More changes than a poll reads one by one.
        late.pollLiveLimits();
        assertThat(live(late).list())
                .hasSize(61)
                .containsExactlyElementsOf(live(factory).list());
        assertThat(live(late).rollBack(1, NOTE, 1).after()).isEmpty();
    }

    @Test
    void a_page_and_what_is_kept_have_bounds() {
        LiveInstance factory = FLEET.instance();
        for (int most : new int[] {0, -1, 1001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> live(factory).history(most, 0))
                    .withMessage("most must be between 1 and 1000, was " + most);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> live(factory).history(1, -1))
                .withMessage("before must be between 0 and 999999999999999, was -1");
        for (int kept : new int[] {0, 10_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> BY_HAND.withHistory(kept))
                    .withMessage("history (changes of each name) must be between 1 and 10000, was " + kept);
        }
        for (long version : new long[] {-1, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> live(factory).put("search", TEN, NOTE, version))
                    .withMessage("expectedVersion must be between 0 and 999999999999999, was " + version);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> live(factory).rollBack(version, NOTE, 0))
                    .withMessage("version must be between 1 and 999999999999999, was " + version);
        }
    }

    @Test
    void a_change_that_cannot_be_read_is_named_and_holds_nothing_up() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        put(one, "search", TEN);
        other.pollLiveLimits();
        // Redis sorts those of one version as text; the first three are before the change that is looked for.
        for (String garbage : List.of(
                "!garbage",
                "2",
                "[\"2\",\"!\",\"1\",\"search\",\"{}\",\"\",\"1 2\"]",
                "[\"2\",\"z\",\"1\",\"search\",\"{}\",\"\",\"2 1 0 {\\\"settings\\\":{\\\"rate\\\":1}}\",\"more\"]",
                "[]",
                "null")) {
            FLEET.<Long>commands(commands -> commands.zadd("{limiter:live}:history", 2, garbage));
        }
        logged(() -> {
            assertThat(live(one).put("search", TEN.withRate(20), NOTE, 1).version())
                    .isEqualTo(2);
            assertThat(live(one).put("search", TEN.withRate(30), NOTE, 2).version())
                    .isEqualTo(3);
            other.pollLiveLimits();
        });
        for (LiveInstance each : List.of(one, other)) {
            assertThat(live(each).get("search").orElseThrow().settings()).isEqualTo(TEN.withRate(30));
            LiveHistory history = live(each).history(50, 0);
            assertThat(history.changes()).extracting(LiveChange::version).containsExactly(3L, 2L, 1L);
            assertThat(history.unreadable())
                    .hasSize(6)
                    .allMatch(
                            change -> change.version() == 2 && !change.problem().isEmpty());
            assertThat(live(each).history(1, 3).changes()).hasSize(1);
            assertThat(live(each).history(1, 3).unreadable())
                    .as("all of one version are on one page")
                    .hasSize(6);
        }
    }

    @Test
    void changes_without_an_end_to_their_version_do_not_hide_the_others() {
        LiveInstance one = FLEET.instance();
        put(one, "search", TEN);
        for (double version : new double[] {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            FLEET.<Long>commands(commands -> commands.zadd("{limiter:live}:history", version, "of " + version));
        }
        LiveHistory history = live(one).history(50, 0);
        assertThat(history.changes()).extracting(LiveChange::version).containsExactly(1L);
        assertThat(history.unreadable()).extracting(Unreadable::version).containsExactly(LiveLimits.MAX_VERSION, 0L);
        assertThat(live(one).history(1, LiveLimits.MAX_VERSION).changes()).hasSize(1);
    }
}
