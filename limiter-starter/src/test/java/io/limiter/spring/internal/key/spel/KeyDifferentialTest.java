package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** A placeholder has the value that the Spring Expression Language gives it, in a context of its own with all arguments. */
class KeyDifferentialTest {

    public record Address(String city, Optional<String> street) {}

    public record User(String id, Address home, Map<Integer, String> phones) {}

    public static class Guest extends HashMap<String, Object> {

        private static final long serialVersionUID = 1L;

        public String getId() {
            return "guest";
        }
    }

    /** Without the array, which has no text and so is no key. */
    private static final int TEXTS = 5;

    @SuppressWarnings("unused")
    interface Service {

        void one(Object value);

        void primitives(int number, long big, double part, char letter, boolean flag, byte[] bytes);

        /** The second is called as the first one's position. */
        void hidden(String first, String p0, String a0, String root);

        void many(String phone, User user, Map<String, Object> params, List<String> list, int level);
    }

    private static final List<Object> VALUES = Arrays.asList(
            null,
            "",
            " ",
            "0171",
            "jürgen #{x} {}",
            42,
            4.5,
            'c',
            true,
            TimeUnit.DAYS,
            new UUID(1, 2),
            new StringBuilder("built"),
            new StringBuilder(),
            Optional.empty(),
            Optional.of("there"),
            Optional.of(" "),
            Optional.of(Optional.of("nested")),
            OptionalInt.of(1),
            new int[] {1},
            new String[] {"a"},
            new Object(),
            String.class,
            List.of(),
            List.of("a", "b"),
            Map.of("id", "entry"),
            new Guest(),
            new Address("Ulm", Optional.empty()),
            new User("bob", new Address("Ulm", Optional.of("Am See 1")), Map.of(1, "0171")));

    @ParameterizedTest
    @MethodSource("ofOne")
    void of_one_argument(String expression) throws Exception {
        Method method = method("one");
        for (Object value : VALUES) {
            check(expression, method, value);
        }
        // What an expression has learnt of one class must not hold for the next.
        for (int i = VALUES.size() - 1; i >= 0; i--) {
            check(expression, method, VALUES.get(i));
        }
    }

    static Stream<String> ofOne() {
        return Stream.of(
                "value",
                "#value",
                "#p0",
                "#a0",
                " value ",
                "(value)",
                "((#p0))",
                "value.id",
                "#value.id",
                "#p0.id",
                "value?.id",
                "value['id']",
                "value.home.city",
                "value.home?.street",
                "value?.home?.city",
                "value[0]",
                "value ?: 'none'",
                "value + ''",
                "value == null ? 'none' : value",
                "value.length",
                "value.empty",
                "value.phones[1]",
                "value.phones['1']",
                "value.class",
                "value.?[#this != 'a']",
                "value.![#this]");
    }

    @Test
    void of_primitives() throws Exception {
        Method method = method("primitives");
        Object[] arguments = {7, 8L, 0.1, 'x', true, new byte[] {1}};
        for (Parameter parameter : List.of(method.getParameters()).subList(0, TEXTS)) {
            check(parameter.getName(), method, arguments);
            check("#" + parameter.getName(), method, arguments);
        }
        for (int i = 0; i < TEXTS; i++) {
            check("#p" + i, method, arguments);
            check("#a" + i, method, arguments);
        }
        check("number + 1", method, arguments);
        check("number > big ? part : letter", method, arguments);
        check("bytes[0]", method, arguments);
    }

    @Test
    void of_names_that_hide_others() throws Exception {
        Method method = method("hidden");
        for (String expression : List.of("first", "p0", "#p0", "a0", "#a0", "#p1", "#a2", "#first", "root", "#p3")) {
            check(expression, method, "1", "2", "3", "4");
            check(expression, method, "1", null, " ", null);
        }
    }

    @Test
    void of_names_that_are_not_there() throws Exception {
        // The JDK's own classes are compiled without.
        Method concat = String.class.getMethod("concat", String.class);
        for (Object value : Arrays.asList("x", " ", null)) {
            check("#p0", concat, value);
            check("#a0", concat, value);
        }
    }

    @Test
    void of_several_arguments() throws Exception {
        Method method = method("many");
        User user = new User("bob", new Address("Ulm", Optional.of("Am See 1")), Map.of(1, "0171"));
        Map<String, Object> params = Map.of("phone", "0172", "0171", "found");
        for (String expression : List.of(
                "params[phone]",
                "params[#phone]",
                "params.phone",
                "list[level - 1]",
                "list.?[#this != #phone][0]",
                "level > 5 ? user.id + '+' + user.home.city : 'few'",
                "{phone, level}",
                "params.![key]",
                "user.phones[level]",
                "user.phones[1] + phone",
                "#user.home.street",
                "list[#p4]")) {
            check(expression, method, "0171", user, params, List.of("0171", "b"), 1);
            check(expression, method, "0173", null, params, List.of(), 6);
            check(expression, method, null, user, null, null, 0);
        }
    }

    private static void check(String expression, Method method, Object... arguments) {
        List<String> expected = outcome(() -> reference(expression, method, arguments));
        KeyTemplate key = RuleKey.ofMethod("#{" + expression + "}", method);
        List<String> actual = outcome(() -> key.of(arguments, TestRequest.EMPTY));
        assertThat(actual.get(0))
                .as(expression + " of " + Arrays.toString(arguments))
                .isEqualTo(expected.get(0));
        assertThat(actual.get(1))
                .as(expression + " of " + Arrays.toString(arguments))
                .endsWith(expected.get(1));
    }

    private static final class Entries extends Values.Properties {

        @Override
        public Class<?>[] getSpecificTargetClasses() {
            return new Class<?>[] {Map.class};
        }
    }

    private static String reference(String expression, Method method, Object[] arguments) {
        Map<String, Object> byName = new HashMap<>();
        SimpleEvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(
                        new Entries(), DataBindingPropertyAccessor.forReadOnlyAccess())
                .withAssignmentDisabled()
                .withRootObject(byName)
                .build();
        for (int i = 0; i < arguments.length; i++) {
            context.setVariable("p" + i, arguments[i]);
            context.setVariable("a" + i, arguments[i]);
        }
        for (int i = 0; i < arguments.length; i++) {
            Parameter parameter = method.getParameters()[i];
            if (parameter.isNamePresent()) {
                context.setVariable(parameter.getName(), arguments[i]);
                byName.put(parameter.getName(), arguments[i]);
            }
        }
        Object value = new SpelExpressionParser().parseExpression(expression).getValue(context);
        String text = Values.textOf(value);
        if (text == null || text.isBlank()) {
            throw new MissingLimitKeyException(text == null ? "null" : "blank");
        }
        return text;
    }

    private static List<String> outcome(Supplier<String> key) {
        try {
            return List.of("key", key.get());
        } catch (MissingLimitKeyException e) {
            return List.of("missing", e.getMessage());
        } catch (SpelEvaluationException e) {
            boolean isOfCaller = Set.of(
                            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
                            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
                            SpelMessage.COLLECTION_INDEX_OUT_OF_BOUNDS,
                            SpelMessage.ARRAY_INDEX_OUT_OF_BOUNDS,
                            SpelMessage.STRING_INDEX_OUT_OF_BOUNDS,
                            SpelMessage.TYPE_CONVERSION_ERROR)
                    .contains(e.getMessageCode());
            return List.of(isOfCaller ? "missing" : "failed", e.getMessage());
        } catch (EvaluationException | IllegalArgumentException | IllegalStateException e) {
            return List.of("failed", String.valueOf(e.getMessage()));
        }
    }

    private static Method method(String name) {
        return Arrays.stream(Service.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
