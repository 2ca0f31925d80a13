package io.limiter.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.cluster.SlotHash;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HashTagsTest {

    private static final int SLOTS = 16_384;
    private static final int KEYS = 100_000;

    static KeySpace spread(String suffix, int count) {
        HashTags tags = new HashTags(count, SlotHash::getSlot);
        return new KeySpace("", "rateLimit:", "sms", suffix, true, () -> tags);
    }

    /** What a page says and other tools may rely on. */
    @ParameterizedTest
    @CsvSource({
        "ann,          rateLimit:{#33}{ann}{sms}",
        "0171,         rateLimit:{#8}{0171}{sms}",
        "198.51.100.7, rateLimit:{#21}{198.51.100.7}{sms}",
    })
    void a_key_has_one_hash_tag_for_ever(String key, String redisKey) {
        assertThat(spread("", 64).of(key)).isEqualTo(redisKey);
    }

    @Test
    void the_hash_tag_is_that_of_the_part_of_the_slots_in_which_the_key_would_be_alone() {
        KeySpace spread = spread("", 64);
        for (int i = 0; i < 1000; i++) {
            String key = "user-" + i;
            int slot = SlotHash.getSlot(spread.of(key));
            assertThat(slot * 64 / SLOTS).isEqualTo(SlotHash.getSlot(key) * 64 / SLOTS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void all_limits_of_a_first_key_are_in_one_slot(int count) {
        HashTags tags = new HashTags(count, SlotHash::getSlot);
        for (String first : List.of("ann", "a:b}{", "k".repeat(200))) {
            KeySpace bucket = new KeySpace("", "rateLimit:", "second", "", true, () -> tags);
            KeySpace window = new KeySpace("shop", "countLimit:", "day", ":window", true, () -> tags);
            assertThat(SlotHash.getSlot(bucket.of(first)))
                    .isEqualTo(SlotHash.getSlot(window.of(first)))
                    .isEqualTo(SlotHash.getSlot(window.of(List.of(first, "phone"))))
                    .isEqualTo(SlotHash.getSlot(bucket.of(List.of(first, "phone", "k".repeat(200)))));
        }
    }

    @Test
    void all_limits_of_a_whole_path_are_in_one_slot_on_request() {
        HashTags tags = new HashTags(64, SlotHash::getSlot);
        KeySpace bucket = new KeySpace("", "rateLimit:", "second", "", false, () -> tags);
        KeySpace window = new KeySpace("shop", "countLimit:", "day", ":window", false, () -> tags);
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            List<String> keys = List.of("acme", "user-" + i);
            slots.add(SlotHash.getSlot(bucket.of(keys)));
            assertThat(SlotHash.getSlot(bucket.of(keys))).isEqualTo(SlotHash.getSlot(window.of(keys)));
        }
        assertThat(slots).as("of one tenant").hasSizeGreaterThan(20);
        assertThat(window.of(List.of("acme", "ann"))).matches("shop:countLimit:\\{#\\d+}\\{day:acme#ann}:window");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 6, 8, 12, 16, 32, 64})
    void masters_with_equally_many_slots_have_equally_many_keys(int masters) {
        KeySpace spread = spread("", 64);
        Map<Integer, Integer> keys = new HashMap<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            int slot = SlotHash.getSlot(spread.of("198.51." + i % 256 + "." + i / 256));
            slots.add(slot);
            keys.merge(slot * masters / SLOTS, 1, Integer::sum);
        }
        assertThat(slots).hasSize(64);
        assertThat(keys.values())
                .hasSize(masters)
                .allSatisfy(found ->
                        assertThat(found).isBetween((int) (0.85 * KEYS / masters), (int) (1.15 * KEYS / masters)));
    }

    @Test
    void without_hash_tags_and_for_own_permits_keys_are_as_everywhere() {
        assertThat(spread("", 0).of("ann")).isEqualTo("rateLimit:{ann}{sms}");
        assertThat(spread(":log", 64).own()).isEqualTo("rateLimit:{sms}:log");
    }

    @Test
    void a_key_that_is_the_hash_tag_itself_cannot_reach_keys_that_are_spread() {
        KeySpace spread = spread("", 64);
        KeySpace first = new KeySpace("rateLimit:", "sms", "");
        String redisKey = spread.of("ann");
        String tag = redisKey.substring(redisKey.indexOf('{') + 1, redisKey.indexOf('}'));
        assertThat(first.of(List.of(tag, "ann"))).isNotEqualTo(redisKey);
        assertThat(HashTags.isSpread(redisKey)).isTrue();
        assertThat(IntStream.of(1, 63, 129).mapToObj("k"::repeat).map(key -> first.of(List.of(key, "ann"))))
                .noneMatch(HashTags::isSpread);
        assertThat(HashTags.isSpread(first.of(List.of(tag, "ann")))).isFalse();
        assertThat(HashTags.isSpread(spread.own())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1025})
    void an_impossible_number_is_rejected(int count) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HashTags(count, SlotHash::getSlot))
                .withMessageStartingWith("hashTags must be between 0 and 1024, was " + count);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 1024})
    void there_are_as_many_hash_tags_as_configured(int count) {
        KeySpace spread = spread("", count);
        assertThat(IntStream.range(0, KEYS)
                        .mapToObj(i -> SlotHash.getSlot(spread.of("k" + i)))
                        .distinct())
                .hasSize(count);
    }
}
