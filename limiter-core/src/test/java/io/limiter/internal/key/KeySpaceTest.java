package io.limiter.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.testing.Seed;
import io.limiter.testing.Steps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySpaceTest {

    private static final String PREFIX = "rateLimit:";

    /** Characters with a meaning in keys, characters of encodings, and characters that are easily confused. */
    private static final String[] PIECES = {
        ":",
        "{",
        "}",
        "%",
        "#",
        "%3A",
        "%7B",
        "%u00E4",
        "u",
        "a",
        "b",
        "0",
        "3A",
        "}:lock",
        "#ab",
        " ",
        "\n",
        "\0",
        "\u007f",
        "ä",
        "é",
        "e\u0301",
        "\u20ac",
        "\ud83d\ude00",
        "\ud83d",
        "\ude00",
        "\u00a0",
        "x"
    };

    private final KeySpace keys = new KeySpace(PREFIX, "sms", "");
    private final Random random = Seed.random();

    @ParameterizedTest
    @CsvSource({
        "198.51.100.7,   rateLimit:{198.51.100.7}{sms}",
        "2001:db8::1,    rateLimit:{2001:db8::1}{sms}",
        "a b,            rateLimit:{a%20b}{sms}",
        "{x},            rateLimit:{%7Bx%7D}{sms}",
        "100%,           rateLimit:{100%25}{sms}",
        "'#1',           rateLimit:{%231}{sms}",
        "jürgen,         rateLimit:{j%u00FCrgen}{sms}",
        "~!,             rateLimit:{~!}{sms}",
        "x}:lock,        rateLimit:{x%7D:lock}{sms}",
    })
    void encodes_reserved_characters(String key, String expected) {
        assertThat(keys.of(key)).isEqualTo(expected);
    }

    @Test
    void encodes_characters_outside_printable_ascii() {
        assertThat(keys.of("a\nb")).isEqualTo("rateLimit:{a%0Ab}{sms}");
        assertThat(keys.of("\u007f")).isEqualTo("rateLimit:{%7F}{sms}");
        assertThat(keys.of("\u0080")).isEqualTo("rateLimit:{%u0080}{sms}");
        assertThat(keys.of("\ud83d\ude00")).isEqualTo("rateLimit:{%uD83D%uDE00}{sms}");
        assertThat(keys.of("\ud83d")).isEqualTo("rateLimit:{%uD83D}{sms}");
    }

    @Test
    void the_limiters_own_key_has_no_colon() {
        assertThat(keys.own()).isEqualTo("rateLimit:{sms}");
        assertThat(new KeySpace(PREFIX, "a:b", "").own()).isEqualTo("rateLimit:{a%3Ab}");
        assertThat(new KeySpace("", "sms", "").own()).isEqualTo("{sms}");
    }

    @Test
    void the_first_key_is_the_hash_tag() {
        assertThat(keys.of(List.of("acme", "alice"))).isEqualTo("rateLimit:{acme}{sms:alice}");
        assertThat(keys.of(List.of("acme", "alice", "a#b"))).isEqualTo("rateLimit:{acme}{sms:alice#a%23b}");
        assertThat(keys.of(List.of("acme"))).isEqualTo("rateLimit:{acme}{sms}");
        assertThat(keys.of("a:b}{%")).isEqualTo("rateLimit:{a:b%7D%7B%25}{sms}");
        assertThat(keys.of(List.of("acme", "k".repeat(129)))).matches("rateLimit:\\{acme}\\{sms:#[0-9a-f]{64}}");
        KeySpace log = new KeySpace(PREFIX, "sms", ":log");
        assertThat(log.of(List.of("acme", "alice"))).isEqualTo("rateLimit:{acme}{sms:alice}:log");
        assertThat(new KeySpace("shop", PREFIX, "sms", ":log", true, () -> HashTags.NONE).of("acme"))
                .isEqualTo("shop:rateLimit:{acme}{sms}:log");
    }

    @Test
    void own_permits_of_names_with_one_start_are_in_one_slot() {
        assertThat(new KeySpace(PREFIX, "api/second", "").own()).isEqualTo("rateLimit:{api}{api/second:}");
        assertThat(new KeySpace("countLimit:", "api/a b/c", ":window").own())
                .isEqualTo("countLimit:{api}{api/a%20b/c:}:window");
        assertThat(new KeySpace(PREFIX, "/api", "").own()).isEqualTo("rateLimit:{/api}");
        assertThat(new KeySpace(PREFIX, "api/second", "").of("api")).isEqualTo("rateLimit:{api}{api/second}");
        assertThat(KeySpace.limiterOf("rateLimit:{api}{api/second:}")).isEqualTo("rateLimit:api/second");
    }

    @Test
    void several_keys_are_separated_by_a_character_that_is_encoded() {
        KeySpace whole = new KeySpace("", PREFIX, "sms", "", false, () -> HashTags.NONE);
        assertThat(whole.of(List.of("acme", "alice"))).isEqualTo("rateLimit:{sms:acme#alice}");
        assertThat(whole.of(List.of("alice"))).isEqualTo(whole.of("alice")).isEqualTo("rateLimit:{sms:alice}");
        assertThat(whole.of(List.of("a#b", "c"))).isEqualTo("rateLimit:{sms:a%23b#c}");
        assertThat(whole.of(List.of("k".repeat(100), "k".repeat(28)))).matches("rateLimit:\\{sms:#[0-9a-f]{64}}");
    }

    @Test
    void no_hash_tag_name_or_key_can_be_forged() {
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < Steps.of(30_000); i++) {
            String name = random.nextInt(4) > 0 ? text(2) : text(2) + "/" + text(2);
            String key = text(2);
            String slot = text(2);
            if (name.isBlank() || key.isBlank() || slot.isBlank()) {
                continue;
            }
            String suffix = random.nextBoolean() ? "" : ":log";
            KeySpace space = new KeySpace("", PREFIX, name, suffix, false, () -> HashTags.NONE);
            KeySpace tagged = new KeySpace(PREFIX, name, suffix);
            String kind = space.own().endsWith("}") ? "" : "log";
            String owner = kind + "\u0001" + name;
            checkOwner(owners, space.own(), owner);
            checkOwner(owners, space.of(key), owner + "\u0001of" + key);
            checkOwner(owners, space.of(List.of(slot, key)), owner + "\u0001of" + slot + "\u0001of" + key);
            checkOwner(owners, tagged.of(slot), owner + "\u0001in" + slot);
            checkOwner(owners, tagged.of(List.of(slot, key)), owner + "\u0001of" + key + "\u0001in" + slot);
        }
        assertThat(owners.size()).isGreaterThan(5_000);
    }

    @Test
    void a_long_key_is_hashed() {
        String longest = "k".repeat(KeySpace.MAX_KEY_LENGTH);

        assertThat(keys.of(longest)).isEqualTo("rateLimit:{" + longest + "}{sms}");
        assertThat(keys.of(longest + "k")).matches("rateLimit:\\{#[0-9a-f]{64}}\\{sms}");
        assertThat(keys.of(longest + "k")).isEqualTo(keys.of(longest + "k")).isNotEqualTo(keys.of(longest + "l"));
        assertThat(keys.of("k".repeat(1_000_000)))
                .hasSize(keys.of(longest + "k").length());
    }

    @Test
    void a_long_key_is_not_kept_in_memory() {
        String longest = "k".repeat(KeySpace.MAX_KEY_LENGTH);

        assertThat(keys.of(longest)).as("made once").isSameAs(keys.of(longest));
        assertThat(keys.of(longest + "k")).as("made again").isNotSameAs(keys.of(longest + "k"));
    }

    @Test
    void the_length_counts_as_encoded() {
        assertThat(keys.of("ä".repeat(21))).doesNotContain("#");
        assertThat(keys.of("ä".repeat(22))).contains("#");
    }

    @Test
    void long_keys_that_differ_only_in_half_a_surrogate_pair_are_two() {
        String start = "k".repeat(200);

        assertThat(keys.of(start + "\ud83d")).isNotEqualTo(keys.of(start + "\ud83c"));
        assertThat(keys.of(start + "?")).isNotEqualTo(keys.of(start + "\ud83c"));
    }

    @Test
    void no_key_can_be_forged_to_equal_a_hash() {
        String hashed = keys.of("k".repeat(129));
        String hash = hashed.substring(hashed.indexOf('#'), hashed.indexOf('}'));

        assertThat(keys.of(hash))
                .isEqualTo("rateLimit:{%23" + hash.substring(1) + "}{sms}")
                .isNotEqualTo(hashed);
    }

    @Test
    void no_name_can_be_forged_to_reach_other_keys() {
        assertThat(new KeySpace(PREFIX, "sms:alice", "").own()).isNotEqualTo(keys.of("alice"));
        assertThat(new KeySpace(PREFIX, "sms:a", "").of("b")).isNotEqualTo(keys.of("a:b"));
        assertThat(new KeySpace(PREFIX, "sms%3Aa", "").of("b")).isNotEqualTo(new KeySpace(PREFIX, "sms:a", "").of("b"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n", "\u2003"})
    void a_blank_key_is_rejected(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.of(blank))
                .withMessage("key must not be null or blank, was " + quoted(blank));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n"})
    void a_blank_name_is_rejected(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeySpace(PREFIX, blank, ""))
                .withMessage("name must not be null or blank, was " + quoted(blank));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "}", "a{b}:", "rateLimit:}"})
    void a_prefix_with_braces_is_rejected(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeySpace(prefix, "sms", ""))
                .withMessageStartingWith("prefix must not contain braces, was '" + prefix + "'")
                .withMessageContaining("slot");
    }

    private void checkOwner(Map<String, String> owners, String redisKey, String owner) {
        String other = owners.putIfAbsent(redisKey, owner);
        assertThat(other == null || other.equals(owner))
                .as(() -> Seed.hint() + redisKey + " belongs to " + other + " and " + owner)
                .isTrue();
    }

    private String text(int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(pieces + 1); i > 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    private static String quoted(String text) {
        return text == null ? "null" : "'" + text + "'";
    }

    /** Their hashes are close together. Two keys find room in a place; each further one displaces another. */
    @Test
    void numbered_keys_hardly_ever_displace_each_other() {
        Map<Integer, Long> keysAtPlace = IntStream.range(0, 10_000)
                .mapToObj(i -> keys.place("198.51." + i))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

        long displaced = keysAtPlace.values().stream()
                .mapToLong(count -> Math.max(0, count - 2))
                .sum();

        assertThat(displaced).isLessThan(500);
    }

    @Test
    void the_cache_never_mixes_up_keys() {
        KeySpace other = new KeySpace(PREFIX, "login", "");
        for (int round = 0; round < 3; round++) {
            // One hash code, one place.
            for (String key : new String[] {"Aa", "BB", "AaAa", "BBBB", "AaBB"}) {
                assertThat(keys.of(key)).isEqualTo("rateLimit:{" + key + "}{sms}");
                assertThat(other.of(key)).isEqualTo("rateLimit:{" + key + "}{login}");
                assertThat(keys.of(key)).isSameAs(keys.of(key));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ann, ann", "a#b, a%23b", "50%, 50%25"})
    void a_key_is_kept_together_with_its_text(String key, String text) {
        KeySpace.BuiltKey built = keys.built(key);
        assertThat(built.text()).isEqualTo(text);
        assertThat(built.storedKey()).isEqualTo(keys.of(key));
        assertThat(keys.built(key)).isSameAs(built);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "}",
                "{x}",
                " ",
                ":a b",
                ":ä",
                ":lock",
                ":log:lock",
                ":ban",
                "\n",
                "123456789012345678901234567890123"
            })
    void an_ambiguous_suffix_is_rejected(String suffix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeySpace(PREFIX, "sms", suffix))
                .withMessageContaining("was '" + suffix + "'")
                .withMessageContaining("at most 32 of A-Z")
                .withMessageContaining("return one such as ':log'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":log", ":my-own_2.0", ":lock2", ":log:ban"})
    void other_suffixes_follow_the_key(String suffix) {
        assertThat(new KeySpace(PREFIX, "sms", suffix).of("a")).isEqualTo("rateLimit:{a}{sms}" + suffix);
    }
}
