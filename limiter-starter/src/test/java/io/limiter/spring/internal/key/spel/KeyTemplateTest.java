package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTemplateTest {

    @TempDir
    private Path folder;

    record Address(String city) {}

    public static final class User {

        private final String id;
        private final Address home = new Address("Ulm");
        private boolean touched;

        User(String id) {
            this.id = id;
        }

        public String getId() {
            return id;
        }

        public Address getHome() {
            return home;
        }

        public String getSpaced() {
            return " Bob ";
        }

        public boolean isTouched() {
            return touched;
        }

        public void setTouched(boolean touched) {
            this.touched = touched;
        }

        public String touch() {
            touched = true;
            return id;
        }
    }

    @SuppressWarnings("unused")
    interface Service {

        void send(String phone, User user, Map<String, Object> params, int p1, List<String> list);

        void one(Object value);

        void two(String a, String b);

        void none();
    }

    static final Object[] CALL = {
        "0171", new User("bob"), Map.of("phone", "0172", "a b", "x"), 7, List.of("first", "second")
    };

    @ParameterizedTest
    @MethodSource("templates")
    void reads_arguments(String template, String expected) throws Exception {
        Method send = method("send");
        assertThat(ofMethod(template, send).of(CALL)).isEqualTo(expected);
    }

    /** A rule has no arguments, so that its expressions can name none. */
    @ParameterizedTest
    @MethodSource("expressionsOfAnnotations")
    void a_rule_rejects_what_names_an_argument(String template) {
        assertThatIllegalArgumentException().isThrownBy(() -> RuleKey.ofRule(List.of(template)));
    }

    static Stream<Object> expressionsOfAnnotations() {
        return Stream.concat(templates(), rejections())
                .map(row -> row.get()[0])
                .filter(template -> template.toString().contains("#{"));
    }

    @Test
    void an_index_below_0_into_a_set_is_a_missing_key() throws Exception {
        Key key = ofMethod("#{value[-1]}", method("one"));
        assertThatThrownBy(() -> key.of(new Object[] {Set.of("a")})).isInstanceOf(MissingLimitKeyException.class);
        assertThatThrownBy(() -> key.of(new Object[] {List.of("a")})).isInstanceOf(MissingLimitKeyException.class);
    }

    @Test
    void an_arguments_name_hides_a_position() throws Exception {
        assertThat(ofMethod("#{#p1}", method("send")).of(CALL)).isEqualTo("7");
    }

    @ParameterizedTest
    @MethodSource("rejections")
    void rejects_what_cannot_work_or_must_not(String template, String problem) throws Exception {
        Method send = method("send");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofMethod(template, send))
                .withMessageContaining(problem)
                .withMessageContaining(template.strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{list[2]}",
                "#{list[-1]}",
                "#{list[p1]}",
                "#{phone[9]}",
                "#{phone[-1]}",
                "#{list.?[#this == 'x'][0]}"
            })
    void an_index_out_of_range_is_a_missing_key(String template) throws Exception {
        Key key = ofMethod(template, method("send"));
        assertThatThrownBy(() -> key.of(CALL))
                .isInstanceOf(MissingLimitKeyException.class)
                .hasMessageContaining(template);
    }

    @Test
    void evaluation_only_reads() throws Exception {
        User user = new User("bob");
        assertThat(ofMethod("#{user.id}", method("send")).of(new Object[] {"1", user, Map.of(), 1, List.of()}))
                .isEqualTo("bob");
        assertThat(user.isTouched()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{value.touch}", "#{value['touch']}", "#{value?.touch}", "#{{value}.![touch][0]}"})
    void no_property_is_a_method_with_an_effect(String template) throws Exception {
        User user = new User("bob");
        Key key = ofMethod(template, method("one"));
        assertThatThrownBy(() -> key.of(new Object[] {user}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no value");
        assertThat(user.isTouched()).isFalse();
    }

    @Test
    void what_changes_as_it_is_read_is_no_property() throws Exception {
        Key key = ofMethod("#{value.andIncrement}", method("one"));
        AtomicInteger count = new AtomicInteger();
        assertThatThrownBy(() -> key.of(new Object[] {count})).isInstanceOf(IllegalStateException.class);
        assertThat(count).hasValue(0);
        Path file = Files.createFile(folder.resolve("x"));
        Key delete = ofMethod("#{value.delete}", method("one"));
        assertThatThrownBy(() -> delete.of(new Object[] {file.toFile()})).isInstanceOf(IllegalStateException.class);
        assertThat(file).exists();
    }

    @Test
    void accessors_of_values_are_properties() throws Exception {
        Key name = ofMethod("#{value.name}", method("one"));
        assertThat(name.of(new Object[] {TimeUnit.DAYS})).isEqualTo("DAYS");
        Key city = ofMethod("#{value.city}", method("one"));
        assertThat(city.of(new Object[] {new Address("Ulm")})).isEqualTo("Ulm");
    }

    @ParameterizedTest
    @ValueSource(strings = {"values", "clear", "hashCode"})
    void entries_can_be_named_as_methods_of_maps(String name) throws Exception {
        Key key = ofMethod("#{params." + name + "}", method("send"));
        assertThat(key.of(new Object[] {"1", new User("bob"), Map.of(name, "x"), 1, List.of()}))
                .isEqualTo("x");
    }

    @Test
    void texts_are_in_lower_case_whatever_language_the_instance_speaks() throws Exception {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("tr"));
        try {
            Key key = ofMethod("#{value.toLowerCase()}", method("one"));
            assertThat(key.of(new Object[] {"INFO"})).isEqualTo("info");
            assertThatThrownBy(() -> key.of(new Object[] {null})).isInstanceOf(MissingLimitKeyException.class);
            assertThatThrownBy(() -> key.of(new Object[] {7})).isInstanceOf(IllegalStateException.class);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void only_collections_maps_and_texts_have_sizes() throws Exception {
        Method one = method("one");
        Key key = ofMethod("#{value.size()}", one);
        assertThat(key.of(new Object[] {List.of(1)})).isEqualTo("1");
        assertThat(key.of(new Object[] {Map.of()})).isEqualTo("0");
        assertThatThrownBy(() -> key.of(new Object[] {new java.io.ByteArrayOutputStream()}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no value");
        assertThatThrownBy(() -> key.of(new Object[] {null})).isInstanceOf(MissingLimitKeyException.class);
    }

    @Test
    void names_need_parameters_option() throws Exception {
        // The JDK's own classes are compiled without.
        Method concat = String.class.getMethod("concat", String.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofMethod("#{str}", concat))
                .withMessageContaining("#{str}")
                .withMessageContaining("-parameters")
                .withMessageContaining("#{#p0}");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofMethod("#{#str}", concat))
                .withMessageContaining("-parameters");
        assertThat(ofMethod("#{#p0}", concat).of(new Object[] {"x"})).isEqualTo("x");
    }

    @Test
    void method_without_arguments() throws Exception {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofMethod("#{phone}", method("none")))
                .withMessageContaining("the method has no arguments");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n"})
    void rejects_null_and_blank(String value) throws Exception {
        for (String template : List.of("#{value}", "sms:#{value}", "#{value}:x", "#{#p0}")) {
            Key key = ofMethod(template, method("one"));
            assertThatThrownBy(() -> key.of(new Object[] {value}))
                    .isInstanceOf(MissingLimitKeyException.class)
                    .hasMessageContaining(template)
                    .hasMessageContaining("Service.one(java.lang.Object)")
                    .hasMessageContaining(value == null ? "is null" : "is blank");
        }
    }

    static Stream<Object> withoutPhone() {
        Map<String, Object> withNull = new HashMap<>();
        withNull.put("phone", null);
        return Stream.of(null, Map.of(), withNull);
    }

    @ParameterizedTest
    @MethodSource("withoutPhone")
    void rejects_a_call_without_the_value_and_without_a_stack_trace(Object value) throws Exception {
        Key entry = ofMethod("#{value.phone}", method("one"));
        assertThatThrownBy(() -> entry.of(new Object[] {value}))
                .isInstanceOf(MissingLimitKeyException.class)
                .extracting(Throwable::getStackTrace, as(InstanceOfAssertFactories.ARRAY))
                .isEmpty();
    }

    @Test
    void a_developers_mistake_has_a_stack_trace() {
        assertThat(new MissingLimitKeyException("no request").getStackTrace()).isNotEmpty();
    }

    @Test
    void a_property_that_no_object_has_is_a_mistake_in_the_expression() throws Exception {
        Key entry = ofMethod("#{value.phone}", method("one"));
        assertThatThrownBy(() -> entry.of(new Object[] {new User("bob")}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("#{value.phone}");
    }

    @Test
    void an_empty_optional_is_no_value() throws Exception {
        Key itself = ofMethod("#{value}", method("one"));
        assertThatThrownBy(() -> itself.of(new Object[] {Optional.empty()}))
                .isInstanceOf(MissingLimitKeyException.class);
    }

    @Test
    void takes_the_text_of_values() throws Exception {
        Key key = ofMethod("#{value}", method("one"));
        UUID uuid = UUID.randomUUID();
        assertThat(key.of(new Object[] {42L})).isEqualTo("42");
        assertThat(key.of(new Object[] {TimeUnit.DAYS})).isEqualTo("DAYS");
        assertThat(key.of(new Object[] {true})).isEqualTo("true");
        assertThat(key.of(new Object[] {uuid})).isEqualTo(uuid.toString());
        assertThat(key.of(new Object[] {new StringBuilder("built")})).isEqualTo("built");
        assertThat(key.of(new Object[] {Optional.of("there")})).isEqualTo("there");
        assertThat(key.of(new Object[] {new Address("Ulm")})).isEqualTo("Address[city=Ulm]");
    }

    @Test
    void rejects_identity_as_text() throws Exception {
        Key key = ofMethod("#{value}", method("one"));
        for (Object value : List.of(new User("bob"), new byte[] {1}, new Object())) {
            assertThatThrownBy(() -> key.of(new Object[] {value}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no toString() of its own");
        }
    }

    @Test
    void no_choice_of_arguments_reaches_the_key_of_another_caller() throws Exception {
        List<String> nasty =
                List.of("1", "1:2", "2:3", "3", ":", "\\", "\\:", ":\\", "a\\:b", "::", "1:", ":1", "\\\\");
        for (String template : List.of("#{a}:#{b}", "#{a}\\#{b}", "x#{a}::#{b}y", "#{a}1#{b}", "#{a}/#{b}/")) {
            Key key = ofMethod(template, method("two"));
            Map<String, List<String>> seen = new HashMap<>();
            for (String a : nasty) {
                for (String b : nasty) {
                    List<String> before = seen.put(key.of(new Object[] {a, b}), List.of(a, b));
                    assertThat(before).as(template + " with " + a + " and " + b).isNull();
                }
            }
        }
    }

    static Stream<Arguments> templates() {
        return table("""
                #{phone}                                  | 0171
                #{#phone}                                 | 0171
                #{#p0}                                    | 0171
                #{#a0}                                    | 0171
                #{user.id}                                | bob
                #{#user.id}                               | bob
                #{#a1.id}                                 | bob
                #{user.home.city}                         | Ulm
                #{user?.home?.city}                       | Ulm
                #{user['id']}                             | bob
                #{params.phone}                           | 0172
                #{params['phone']}                        | 0172
                #{params[phone]}                          | 0172
                #{params['a b']}                          | x
                #{p1}                                     | 7
                #{p1 + 1}                                 | 8
                #{list[0]}                                | first
                #{list[p1 - 6]}                           | second
                #{list.?[#this != 'first'][0]}            | second
                #{phone ?: 'none'}                        | 0171
                #{p1 > 5 ? phone : 'few'}                 | 0171
                #{!user.touched ? 'no' : 'yes'}           | no
                #{{phone, p1}}                            | [0171, 7]
                #{phone.length()}                         | 4
                #{phone.length}                           | 4
                #{list.size}                              | 2
                #{user.spaced.trim()}/#{user.spaced.strip()} | Bob/Bob
                #{user.spaced.trim().toLowerCase()}       | bob
                #{list.size()}/#{params.size()}           | 2/2
                #{list.?[length() > 5][0]}                | second
                #{{5, 7}.?[#this == #p1][0]}              | 7
                #{params.isEmpty() ? 'none' : 'some'}     | some
                sms:#{phone}                              | sms:0171
                sms:#{phone}/#{user.id}.                  | sms:0171/bob.
                """);
    }

    static Stream<Arguments> rejections() {
        return table("""
                                                        | needs a key, such as #{phone}
                                                        | needs a key, such as #{phone}
                phone                                     | same for all calls: write #{phone}
                user                                      | write #{user} if it is the name of an argument, or leave the key out and use limitType USER
                ip                                        | write #{ip} if it is the name of an argument, or leave the key out and use limitType IP
                #phone                                    | same for all calls: write #{phone}
                #{phone                                   | cannot be parsed
                #{}                                       | cannot be parsed
                #{phone..x}                               | cannot be parsed
                #{fone}                                   | uses 'fone', which is not an argument: the method has [phone, user,
                #{#fone}                                  | [phone, user, params, p1, list] and #p0 to #p4
                #{phone + fone}                           | uses 'fone', which is not an argument
                #{list[fone + 1]}                         | uses 'fone', which is not an argument
                #{#p5}                                    | uses '#p5', and the method has
                #{#a17}                                   | uses '#a17', and the method has
                #{#root.phone}                            | must not use #root
                #{#this}                                  | must not use #this
                #{phone}#{user.id}                        | two values side by side
                #{T(java.lang.Runtime).getRuntime()}      | must not use T(java.lang.Runtime)
                #{T(java.lang.System).exit(1)}            | must not use T(java.lang.System)
                #{new java.io.File(phone)}                | must not use new java.io.File(phone)
                #{@bean}                                  | must not use @bean
                #{&bean}                                  | must not use &bean
                #{phone = 'x'}                            | must not use
                #{user.touched = true}                    | must not use
                #{p1++}                                   | must not use
                #{--p1}                                   | must not use
                #{user.touch()}                           | must not use touch()
                #{phone.toUpperCase()}                    | must not use toUpperCase()
                #{phone.trim(1)}                          | must not use trim(1)
                #{trim()}                                 | must not use trim()
                #{user.touch}                             | must not use touch
                #{#user.touch}                            | must not use touch
                #{#a1.home.toString}                      | must not use toString
                #{user?.touch}                            | must not use touch
                #{list.stream}                            | must not use stream
                #{list.clear}                             | must not use clear
                #{phone.length(1)}                        | must not use length(1)
                #{size()}                                 | must not use size()
                #{user.size(touch())}                     | must not use size(touch())
                #{#touch(phone)}                          | must not use
                #{phone instanceof T(String)}             | must not use T(String)
                #{{x:phone}}                              | must not use
                #{list.![touch()]}                        | must not use touch()
                #{1}                                      | same for all calls, because it reads nothing of the arguments: leave the key out
                #{'x'}                                    | same for all calls, because it reads nothing
                a#{'x'.length()}:#{2 * 3}                 | same for all calls, because it reads nothing
                #{normalize('x')}                         | same for all calls, because it reads nothing
                #{phone.class}                            | uses 'class', which is not a property of java.lang.String
                #{user.class}                             | uses 'class', which is not a property of
                #{user.home.town}                         | uses 'town', which is not a property of
                #{phone.bytes}                            | a byte[] has no toString() of its own
                #{p1.value}                               | uses 'value', which is not a property of int
                #{user}                                   | has no toString() of its own
                #{params.phone.trim().bytes}              | a byte[] has no toString() of its own
                #{(p1 > 5).value}                         | uses 'value', which is not a property of boolean
                #{(user ?: user).touch}                   | must not use touch
                #{{phone * 2, p1}}                        | uses * over phone, which is a text: write number(phone)
                """);
    }

    /** Not a {@code CsvSource}: there a line that starts with # is a comment. */
    static Stream<Arguments> table(String lines) {
        return lines.lines().map(line -> line.split("\\|", 2)).map(row -> arguments(row[0].strip(), row[1].strip()));
    }

    /** A key of an annotation, in a call without facts. */
    private interface Key {
        String of(Object[] arguments);
    }

    private static Key ofMethod(String template, Method method) {
        KeyTemplate key = RuleKey.ofMethod(template, method);
        return arguments -> key.of(arguments, TestRequest.EMPTY);
    }

    static Method method(String name) {
        return Arrays.stream(Service.class.getDeclaredMethods())
                .filter(method -> method.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
