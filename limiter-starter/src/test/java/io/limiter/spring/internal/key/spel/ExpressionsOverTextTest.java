package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.InvalidLimitArgumentException;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers send text. Operators over it do what they say, or the application fails to start. */
class ExpressionsOverTextTest {

    /** A rule, and an annotation whose method has arguments of no such names. */
    private static final List<BiFunction<String, String, CallPermits>> PARSERS = List.of(
            CallPermits::ofRequest,
            (cost, condition) -> CallPermits.parse(
                    cost == null ? "" : cost, condition == null ? "" : condition, ExpressionsOverTextTest.method()));

    private static void forEach(
            @Nullable String cost, @Nullable String condition, Consumer<Supplier<CallPermits>> test) {
        PARSERS.forEach(parser -> test.accept(() -> parser.apply(cost, condition)));
    }

    @SuppressWarnings("unused")
    static void call(String text, int number, Object any, List<String> texts) {}

    private static final Object[] ARGUMENTS = {"3", 7, 5, List.of("x")};

    private static Method method() {
        try {
            return ExpressionsOverTextTest.class.getDeclaredMethod(
                    "call", String.class, int.class, Object.class, List.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{param('n') * 2}",
                "#{2 * param('n')}",
                "#{param('n') + 1}",
                "#{1 + param('n')}",
                "#{param('n') / 2}",
                "#{param('n') - 1}",
                "#{-param('n')}",
                "#{param('n') % 7}",
                "#{param('n') ^ 2}",
                "#{(param('n') ?: 1) * 2}",
                "#{(param('n') != null ? param('n') : 1) * 2}",
                "#{param('n').trim() * 2}",
                "#{number(param('m')) * param('n')}"
            })
    void an_arithmetic_operator_over_a_text_fails_at_startup(String cost) {
        forEach(
                cost,
                null,
                permits -> assertThatIllegalArgumentException()
                        .isThrownBy(permits::get)
                        .withMessageContaining("which is a text: write number(")
                        .withMessageContaining("param('n')"));
        assertThatIllegalArgumentException().isThrownBy(() -> RuleKey.ofRule(List.of(cost)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{param('n') > 100}",
                "#{100 > param('n')}",
                "#{param('n') <= 1.5}",
                "#{param('n') == 3}",
                "#{param('n') != 3}",
                "#{param('n') > '100'}",
                "#{param('n') < param('m')}",
                "#{!(param('n') > 100)}",
                "#{method() == 'GET' and param('n') > 100}"
            })
    void a_comparison_of_a_text_with_a_number_fails_at_startup(String condition) {
        forEach(
                null,
                condition,
                permits -> assertThatIllegalArgumentException()
                        .isThrownBy(permits::get)
                        .withMessageContaining("which is a text: write number(param('n'))"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    param('debug')                   | compare it, such as param('debug') == 'true'
                    !param('debug')                  | compare it, such as param('debug') == 'true'
                    param('debug') or path() == '/'    | compare it, such as param('debug') == 'true'
                    param('debug') == true           | compare it with 'true' or 'false'
                    param('debug') ? true : false    | compare it, such as param('debug') == 'true'
                    path().length()                    | is a number, and must be true or false
                    path() matches '[a-z'              | has a broken pattern
                    path() matches param('p')          | must match a pattern that is written there
                    """)
    void a_condition_that_cannot_be_one_fails_at_startup(String condition, String problem) {
        forEach(
                null,
                "#{" + condition + "}",
                permits -> assertThatIllegalArgumentException()
                        .isThrownBy(permits::get)
                        .withMessageContaining(problem));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    'a' + param('n')              | is a text, and must be a number
                    param('m') + param('n')       | is a text, and must be a number
                    method() == 'GET'             | is true or false, and must be a number
                    2 ^ number(param('n'))        | must not raise to the power of
                    'ab' * 3                      | which is a text
                    """)
    void a_cost_that_cannot_be_one_fails_at_startup(String cost, String problem) {
        forEach(
                "#{" + cost + "}",
                null,
                permits -> assertThatIllegalArgumentException()
                        .isThrownBy(permits::get)
                        .withMessageContaining(problem));
    }

    @ParameterizedTest
    @CsvSource({
        "#{number(param('n'))}, 3, 3",
        "#{number(param('n')) * 2}, 3, 6",
        "#{number(param('n')) + 1}, 3, 4",
        "#{number(param('n')) / 2}, 3, 1",
        "#{number(param('n')) * 2}, 1.5, 3",
        "#{number(param('n')) ^ 2}, 3, 9",
        "#{(number(param('n')) ?: 1) * 2}, , 2",
        "#{param('n')}, 3, 3",
        "#{param('n') ?: 1}, , 1",
        "#{param('n').length() + 1}, abc, 4"
    })
    void a_cost_is_the_number_that_a_text_is(String cost, @Nullable String sent, int permits) {
        forEach(
                cost,
                null,
                parsed -> assertThat(parsed.get().of(ARGUMENTS, sent(sent))).isEqualTo(permits));
    }

    @ParameterizedTest
    @CsvSource({
        "#{number(param('n')) > 100}, 101, true",
        "#{number(param('n')) > 100}, 99, false",
        "#{number(param('n')) == 3}, 3, true",
        "#{number(param('n')) == 3}, 3.0, true",
        "#{number(param('n')) > number(param('n'))}, 3, false",
        "#{param('n') == '3'}, 3, true",
        "#{param('n') >= '2024-05-01'}, 2024-10-01, true",
        "#{param('n') == 'true'}, abc, false",
        "#{param('n') matches '[0-9]+'}, 12, true"
    })
    void a_condition_compares_what_a_caller_sent(String condition, String sent, boolean applies) {
        forEach(
                null,
                condition,
                parsed -> assertThat(parsed.get().of(ARGUMENTS, sent(sent))).isEqualTo(applies ? 1 : 0));
    }

    /** Each of these was an error of the server, or a cost that the caller chose. */
    @ParameterizedTest
    @CsvSource({
        "#{number(param('n'))}, abc",
        "#{number(param('n'))}, 12345678901234567890",
        "#{number(param('n'))}, 1e9",
        "#{number(param('n'))}, ''",
        "#{number(param('n'))}, 9007199254740992",
        "#{number(param('n'))}, -1",
        "#{number(param('n')) * 2}, ",
        "#{number(param('n')) * 4611686018427387904L}, 4",
        "#{number(param('n')) * number(param('n')) * number(param('n'))}, 999999999999999999",
        "#{100 / number(param('n'))}, 0",
        "#{100 % number(param('n'))}, 0",
        "#{param('n')}, abc",
        "#{param('n').length()}, "
    })
    void a_cost_that_a_caller_makes_invalid_names_the_parameter(String cost, @Nullable String sent) {
        forEach(
                cost,
                null,
                permits -> assertThatExceptionOfType(InvalidLimitArgumentException.class)
                        .isThrownBy(() -> permits.get().of(ARGUMENTS, sent(sent)))
                        .satisfies(e -> assertThat(e.sent()).isEqualTo("parameter n")));
    }

    @ParameterizedTest
    @CsvSource({"#{number(param('n')) > 100}, abc", "#{number(param('n')) + param('m').length() > 100}, 1"})
    void a_condition_that_a_caller_makes_invalid_names_the_parameters(String condition, String sent) {
        forEach(
                null,
                condition,
                permits -> assertThatExceptionOfType(InvalidLimitArgumentException.class)
                        .isThrownBy(() -> permits.get().of(ARGUMENTS, sent(sent)))
                        .satisfies(e -> assertThat(e.sent()).startsWith("parameter n")));
    }

    @ParameterizedTest
    @CsvSource({"#{number(param('n'))}, abc", "#{param('n')}, ", "#{param('n')}, ' '", "x#{param('n').trim()}, "})
    void a_key_that_a_caller_makes_invalid_names_the_parameter(String key, @Nullable String sent) {
        for (RuleKey path :
                List.of(RuleKey.ofRule(List.of(key)), RuleKey.ofMethod(LimitType.CUSTOM, List.of(key), method()))) {
            assertThatExceptionOfType(MissingLimitKeyException.class)
                    .isThrownBy(() -> path.of(ARGUMENTS, sent(sent)))
                    .withMessage("the request has no valid parameter n, which is part of the key of its limit")
                    .satisfies(e -> assertThat(e.isForCaller()).isTrue());
        }
    }

    /** The pattern tries all divisions of a text, or calls itself for each character. */
    @ParameterizedTest
    @ValueSource(strings = {"(a+)+", "(a|aa)+", "(a|b)*", "(.*)*x"})
    void a_catastrophic_pattern_over_a_long_text_is_bounded(String pattern) {
        CallPermits permits = CallPermits.ofRequest(null, "#{param('n') matches '" + pattern + "'}");
        String text = "a".repeat(8192) + "!";
        assertThatCode(() -> {
                    try {
                        permits.of(sent(text));
                    } catch (InvalidLimitArgumentException e) {
                        assertThat(e.sent()).isEqualTo("parameter n");
                    }
                })
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    text * 2              | which is a text: write number(text)
                    text                  | is a text, and must be a number from 0 on: write number(text)
                    #text + 1             | which is a text: write number(#text)
                    number + text         | which is a text: write number(text)
                    any.length() ^ number | must not raise to the power of
                    """)
    void an_argument_that_is_a_text_is_no_number(String cost, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallPermits.parse("#{" + cost + "}", "", method()))
                .withMessageContaining(problem);
    }

    @ParameterizedTest
    @CsvSource({
        "#{number(text) * 2}, 6",
        "#{number(#p0) + number}, 10",
        "#{number * 2}, 14",
        "#{number(any)}, 5",
        "#{texts.size()}, 1",
        "#{any - number(text)}, 2"
    })
    void arguments_are_numbers(String cost, int permits) {
        CallPermits parsed = CallPermits.parse(cost, "", method());
        assertThat(parsed.of(new Object[] {"3", 7, 5, List.of("x")}, TestRequest.EMPTY))
                .isEqualTo(permits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{100 / number}", "#{number(text)}", "#{any * 2}", "#{number(texts[7])}"})
    void arguments_that_callers_make_invalid_are_theirs(String cost) {
        CallPermits parsed = CallPermits.parse(cost, "", method());
        assertThatExceptionOfType(InvalidLimitArgumentException.class)
                .isThrownBy(() -> parsed.of(new Object[] {"abc", 0, List.of(), List.of("x")}, TestRequest.EMPTY));
    }

    @Test
    void texts_are_still_put_together_in_keys() {
        assertThat(ofRule("#{'a' + param('n')}", "x")).isEqualTo("ax");
        assertThat(ofRule("#{method() + ' ' + path()}", "x")).isEqualTo("GET /");
        assertThat(ofMethod("#{'v' + number}", new Object[] {"a", 7, "b", List.of()}))
                .isEqualTo("v7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ann",
                "Ann",
                " ann",
                "ann\t",
                "\uff21\uff2e\uff2e",
                "a\u200bnn",
                "\ufeffann",
                "an\u00adn",
                "\u2067ann",
                "\u3000ann",
                "\ud835\udc1ann"
            })
    void what_looks_like_one_user_has_one_key(String user) {
        assertThat(ofRule("#{normalize(param('n'))}", user)).isEqualTo("ann");
        assertThat(ofMethod("#{normalize(text)}", new Object[] {user, 1, user, List.of()}))
                .isEqualTo("ann");
        assertThat(ofRule("#{param('n')}", user))
                .as("unasked, nothing is normalized")
                .isEqualTo(user);
    }

    @ParameterizedTest
    @CsvSource({
        "m\u00fcller, mu\u0308ller",
        "M\u00dcLLER, m\u00fcller",
        "stra\u00dfe, STRASSE",
        "\u039f\u0394\u039f\u03a3, \u03bf\u03b4\u03bf\u03c2",
        "\ufb01n, FIN"
    })
    void composed_and_other_forms_of_letters_have_one_key(String one, String other) {
        assertThat(ofRule("#{normalize(param('n'))}", one)).isEqualTo(ofRule("#{normalize(param('n'))}", other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u200b", " ", "\u3164"})
    void an_invisible_key_is_none(String sent) {
        assertThatExceptionOfType(MissingLimitKeyException.class)
                .isThrownBy(() -> ofRule("#{normalize(param('n'))}", sent));
    }

    private static String ofRule(String key, String sent) {
        return RuleKey.ofRule(List.of(key)).of(sent(sent)).get(0);
    }

    private static String ofMethod(String key, Object[] arguments) {
        return RuleKey.ofMethod(key, method()).of(arguments, TestRequest.EMPTY);
    }

    private static KeyRequest sent(@Nullable String n) {
        return new TestRequest(null, n == null ? Map.of("path", "/") : Map.of("path", "/", "param n", n));
    }
}
