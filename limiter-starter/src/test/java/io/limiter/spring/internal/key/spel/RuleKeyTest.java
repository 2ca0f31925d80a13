package io.limiter.spring.internal.key.spel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.limiter.spring.key.MissingLimitKeyException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleKeyTest {

    private static final TestRequest ANN = new TestRequest(
            "ann", Map.of("header X-Key", "k1", "cookie sid", "s1", "param q", "a:b", "claim https://a.b/plan", "pro"));
    private static final TestRequest ANONYMOUS = TestRequest.EMPTY;

    private static RuleKey ofRule(String... keys) {
        return RuleKey.ofRule(List.of(keys));
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{1}", "#{'x'}", "#{number('1') + 2}"})
    void a_key_that_reads_nothing_of_the_request_is_rejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ofRule(text))
                .withMessage(
                        "'" + text + "' is the same for all calls, because it reads nothing of the request: use all");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    ip                                     | 1.2.3.4         | 1.2.3.4
                    user                                   | user:ann        | ip:1.2.3.4
                    #{method()}:#{path()}                  | GET:/a/b        | GET:/a/b
                    #{header('X-Key') ?: ip()}             | k1              | 1.2.3.4
                    #{user() != null ? user() : 'guest'}   | ann             | guest
                    #{param('q') ?: '-'}:#{ip()}           | a\\:b:1.2.3.4   | -:1.2.3.4
                    #{path().length() > 3 ? 'long' : 'short'} | long         | long
                    #{method().toLowerCase().trim().strip()} | get           | get
                    #{path()[1]}                           | a               | a
                    """)
    void a_key_is_found_in_the_request(String text, String ofAnn, String ofAnonymous) {
        RuleKey key = ofRule(text);
        assertThat(key.of(ANN)).containsExactly(ofAnn);
        assertThat(key.of(ANONYMOUS)).containsExactly(ofAnonymous);
    }

    @Test
    void all_share_one() {
        assertThat(ofRule("all").of(ANN)).isEmpty();
        assertThat(ofRule("all").isShared()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "header:X-Key",
                "cookie:sid",
                "param:q",
                "claim:https://a.b/plan",
                "#{header('X-Key')}",
                "#{param('q').length()}"
            })
    void a_request_without_its_key_is_rejected(String text) {
        RuleKey key = ofRule(text);
        assertThat(key.of(ANN).get(0)).isNotBlank();
        assertThatThrownBy(() -> key.of(ANONYMOUS)).isInstanceOf(MissingLimitKeyException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "user", "#{ip()}", "#{header('X-Key') ?: ip()}"})
    void a_request_whose_address_is_unknown_is_rejected(String text) {
        TestRequest request = new TestRequest(null, Map.of(TestRequest.NO_ADDRESS, ""));
        assertThatThrownBy(() -> ofRule(text).of(request)).isInstanceOf(MissingLimitKeyException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "ip, false",
        "user, true",
        "header:user, false",
        "claim:plan, true",
        "#{claim('plan')}, true",
        "#{user()}, true",
        "#{method()}:#{user() ?: ip()}, true"
    })
    void a_key_declares_whether_it_uses_the_user(String text, boolean usesUser) {
        assertThat(ofRule(text).needs().user()).isEqualTo(usesUser);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "IP",
                "header:",
                "header:a b",
                "param:",
                "claim: ",
                "user,",
                "user,all",
                "#{header('a b')}",
                "#{header(user())}",
                "#{ip('x')}",
                "cookie:a;b",
                "phone",
                "#{phone}",
                "#{header}",
                "#{header()}",
                "#{header('a', 'b')}",
                "#{getHeader('a')}",
                "#{path().class}",
                "#{path().bytes}",
                "#{path().trim().bytes}",
                "#{path().concat('x')}",
                "#{path().length(1)}",
                "#{path().?[#this == 'x']}",
                "#{path().![#this]}",
                "#{T(java.lang.Runtime).getRuntime()}",
                "#{new java.lang.String('a')}",
                "#{@bean.name}",
                "#{#root}",
                "#{#this.path()}",
                "#{path() = 'x'}",
                "#{{1,2}}",
                "#{user()}#{path()}",
                "#{user()",
                "#{}"
            })
    void what_cannot_work_or_must_not_be_used_is_rejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ofRule(text));
    }

    @Test
    void a_plan_is_read_as_a_key_is() {
        assertThat(KeyTemplate.planOfRule("header:X-Key").of(ANN)).isEqualTo("k1");
        assertThat(KeyTemplate.planOfRule("#{claim('https://a.b/plan')}").of(ANN))
                .isEqualTo("pro");
        for (String none : new String[] {"ip", "user", "all", "pro", ""}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyTemplate.planOfRule(none))
                    .withMessageStartingWith(
                            "must be header:<name>, cookie:<name>, param:<name>, claim:<name>, or a text with");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    ip       | write ip()
                    user     | write user()
                    method   | write method()
                    path     | write path()
                    header   | write header('X-Tenant')
                    claim    | write claim('tenant')
                    #user    | write user()
                    phone    | a rule has no arguments: expressions can only read ip(), user(),
                    """)
    void a_bare_name_in_a_rule_names_the_function(String name, String problem) {
        for (String text : List.of("#{" + name + "}", "x#{" + name + "}y", "#{" + name + " ?: ip()}")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ofRule(text))
                    .withMessageContaining("and a rule has no arguments")
                    .withMessageContaining(problem);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallPermits.ofRequest(null, "#{" + name + " != null}"))
                .withMessageContaining(problem);
    }

    @Test
    void commas_outside_of_expressions_separate_the_keys_of_a_path() {
        List<String> path = List.of("s1", "user:ann");
        assertThat(ofRule("cookie:sid,user").of(ANN)).isEqualTo(path);
        assertThat(ofRule(" cookie:sid , user ").of(ANN)).isEqualTo(path);
        assertThat(ofRule("cookie:sid", "user").of(ANN)).isEqualTo(path);
        assertThat(ofRule("#{cookie('sid')},#{'user:' + user()}").of(ANN)).isEqualTo(path);
        assertThat(ofRule("#{user() + ', ' + {1,2}[1] + '}'},ip").of(ANN)).containsExactly("ann, 2}", "1.2.3.4");
        assertThat(ofRule("claim:org,user").needs().user()).isTrue();
    }

    @Test
    void a_key_of_a_path_that_is_missing_rejects_the_request() {
        assertThatThrownBy(() -> ofRule("user,cookie:sid").of(ANONYMOUS))
                .isInstanceOf(MissingLimitKeyException.class)
                .hasMessage("the request has no cookie sid, which is the key of its limit");
    }
}
